"""Deciding the kind of the next step."""
