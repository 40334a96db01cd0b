"""Pace: how many units a minute, evenly spread."""

from __future__ import annotations

_MARGIN = 0.99
"""Share of a limit that is used: what leaves here evenly arrives a little unevenly."""


class Pace:
    """Spreads units evenly over time, without a burst at first: servers have windows of their own."""

    def __init__(self, per_minute: float) -> None:
        self._seconds = 60.0 / (per_minute * _MARGIN)
        self._free = 0.0

    def reserve(self, units: float, now: float) -> float:
        """Take units, and return the time at which they may be used; it is `now` or later."""
        at = max(now, self._free)
        self._free = at + units * self._seconds
        return at

    def shift(self, seconds: float) -> None:
        """Move all future units by this many seconds; those with a reservation move themselves."""
        self._free += seconds

    def correct(self, units: float) -> None:
        """Take more units after the fact, or give some back (a negative number)."""
        self._free += units * self._seconds
