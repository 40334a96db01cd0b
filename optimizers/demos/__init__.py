"""Demonstrations: collected from teachers, redacted, and chosen for a prompt."""
