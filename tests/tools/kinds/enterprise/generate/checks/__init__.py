"""Checks of generated worlds: every fact is read back from the texts."""
