"""Texts of tasks and of records, reworded by a model."""
