"""Faults: what went wrong first in an episode that is not right, by rules from what it did."""
