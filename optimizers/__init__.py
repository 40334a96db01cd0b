"""Compiling programs: trace bank, demonstration selection, search, artifacts. Works on any program."""
