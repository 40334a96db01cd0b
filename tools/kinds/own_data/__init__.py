"""Worlds of a user's own tables, tools and access rules."""
