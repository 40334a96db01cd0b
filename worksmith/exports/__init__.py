"""Suites for other frameworks: objects of theirs to import, folders of files that they run, training data."""
