"""Families of functions in four languages, from which files of code are put together."""
