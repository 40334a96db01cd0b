"""Worlds of user tables, tools and access rules."""
