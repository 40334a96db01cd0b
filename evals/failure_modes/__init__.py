"""Failure modes: what went wrong first in an episode that is not right, by rules from its calls."""
