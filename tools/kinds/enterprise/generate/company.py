"""The company whose world is generated, and its clock."""

from __future__ import annotations

from datetime import date, datetime

NAME = "Varunika"
DOMAIN = "varunika.example"
DEFAULT_NOW = datetime(2022, 12, 31, 18, 0)
"""The clock of every episode. Nothing in a generated world happens later, except plans."""

TODAY = DEFAULT_NOW.date()
FOUNDED = date(2012, 1, 3)
"""The first day on which anybody worked here."""

LEAVES = {"casual": 12, "sick": 10, "vacation": 15}
"""Days of leave a year: what the leave policy grants and what every employee's record shows."""
