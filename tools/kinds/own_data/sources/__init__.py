"""Readers of a user's own tables: files, folders, frames and lists of dicts."""
