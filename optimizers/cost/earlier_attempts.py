"""What earlier attempts at a compile took counts against its budget: what was paid, and the time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from optimizers.compiling.journal import Journal
from optimizers.cost.budget import Budget
from optimizers.cost.spending import Spent
from tools.errors import InputError
from tools.files.atomic import write_atomically
from tools.files.json_files import read_json

_AGAIN = "start anew with --force"


@contextmanager
def earlier_attempts_counted(budget: Budget | None, journal: Journal) -> Iterator[None]:
    """A block in which a compile works: its budget begins with what earlier attempts took.

    The journal keeps the seconds that this attempt takes, for the next one.
    """
    if budget is None:
        yield
        return
    file = journal.folder / "seconds.json"
    before = _seconds(file)
    budget.count(Spent.on_replies(journal.paid, budget.prices))
    begun = budget.taken_up(before)
    budget.keep = lambda seconds: write_atomically(
        file, json.dumps(round(before + seconds - begun, 1)).encode()
    )
    try:
        yield
    finally:
        budget.keep(budget.seconds)
        budget.keep = None


def _seconds(file: Path) -> float:
    """What a journal says that earlier attempts took.

    Raises:
        InputError: it says something else.
    """
    if not os.path.lexists(file):
        return 0.0
    value = read_json(file, "a number of seconds", hint=_AGAIN)
    if not isinstance(value, int | float):
        raise InputError("not a number of seconds", where=str(file), hint=_AGAIN)
    return float(value)
