"""Filling in the next step, argument by argument."""
