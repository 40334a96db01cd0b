"""Repositories, their files and their issues."""
