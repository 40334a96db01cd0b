"""The limits of a budget, and the error for one that was reached."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from worksmith.evals.lm.payer import AdmissionError
from worksmith.optimizers.cost.spending import Spent
from worksmith.tools.errors import InputError
from worksmith.tools.numbers import number


@dataclass(frozen=True)
class Limits:
    """Upper bounds on the cost of a compile; None for no limit.

    Attributes:
        max_calls: requests that reach a model.
        max_tokens: paid prompt and completion tokens together.
        max_usd: dollars.
        max_minutes: wall-clock time, earlier attempts included.

    Raises:
        InputError: a limit is not positive.
    """

    max_calls: int | None = None
    max_tokens: int | None = None
    max_usd: float | None = None
    max_minutes: float | None = None

    def __post_init__(self) -> None:
        for name, value in self.given.items():
            if (found := number(value)) is None or not found > 0:
                raise InputError(f"a limit is a positive number, not {value!r}", where=_option(name))
            object.__setattr__(self, name, found)

    @property
    def given(self) -> dict[str, float]:
        """The limits that are set, by name."""
        named = {item.name: getattr(self, item.name) for item in fields(self)}
        return {name: value for name, value in named.items() if value is not None}

    def reached(self, spent: Spent, seconds: float) -> str:
        """The name of a limit that a cost and a time reach; empty without one."""
        return next((name for name, limit in self.given.items() if _level(name, spent, seconds) >= limit), "")

    def exceeded(self, spent: Spent, seconds: float = 0.0) -> str:
        """The name of a limit that a cost and a time exceed; empty without one."""
        return next((name for name, limit in self.given.items() if _level(name, spent, seconds) > limit), "")

    def room(self, spent: Spent, otherwise: Spent) -> float:
        """How many more times a cost has room within the limits, besides another cost; time is left out."""
        rooms = (
            (limit - _level(name, otherwise, 0)) / _level(name, spent, 0) - 1
            for name, limit in self.given.items()
            if _level(name, spent, 0)
        )
        return max(0.0, min(rooms, default=math.inf))


class BudgetSpentError(AdmissionError):
    """A limit was reached and nothing more starts.

    Attributes:
        limit: its name, e.g. `max_calls`.
    """

    exit_code = 3

    def __init__(self, limit: str) -> None:
        super().__init__(f"the budget is spent: {_option(limit)} was reached")
        self.limit = limit


def _option(limit: str) -> str:
    return f"--{limit.replace('_', '-')}"


_UNITS = {"max_calls": "calls", "max_tokens": "tokens", "max_usd": "usd"}


def _level(limit: str, spent: Spent, seconds: float) -> float:
    """A cost and a time in the unit of a limit."""
    level: float = seconds / 60 if limit == "max_minutes" else getattr(spent, _UNITS[limit])
    return level
