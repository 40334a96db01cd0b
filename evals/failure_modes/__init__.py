"""Failure modes: the first fault of a wrong episode, found by rules from its calls."""
