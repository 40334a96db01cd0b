"""Suites for other frameworks: objects of theirs to import, and folders of files that they run."""
