"""Trace banks as files: building and reading them."""
