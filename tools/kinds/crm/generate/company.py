"""The company that a generated org belongs to."""

from __future__ import annotations

from datetime import datetime

DEFAULT_NOW = datetime(2024, 6, 1)
"""The clock of a generated org: nothing in it happens later."""

YEARS = (2020, 2021, 2022, 2023, 2024)
SHORT_YEAR = YEARS[-1]
"""Ends with the clock: it has the shopping events of its first months only."""
