"""Texts of tasks, rewritten by a model."""
