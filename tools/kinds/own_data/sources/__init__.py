"""Readers of user tables: files, folders, frames and lists of dicts."""
