"""What a compile paid for before it was stopped, from its journal."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evals.prices import Prices
from optimizers.budget import Budget
from optimizers.journal import REPLIES
from optimizers.spending import GOLD, Spent
from tools.errors import InputError
from tools.files import write_atomically
from tools.json_files import read_json, read_lines

_AGAIN = "start anew with --force"


@contextmanager
def spending(budget: Budget | None, folder: Path) -> Iterator[None]:
    """A compile at work with its journal in `folder`: what it took before counts as well, time included."""
    if budget is None:
        yield
        return
    file = folder / "seconds.json"
    before = _seconds(file)
    budget.count(spent_before(folder / REPLIES, budget.prices))
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


def spent_before(replies: Path, prices: Prices) -> Spent:
    """What a journal's model replies took, by its file of them; nothing if there is none."""
    total = Spent()
    if not replies.exists():
        return total
    for _, entry in read_lines(replies, "a model's reply", hint=_AGAIN, appended=True):
        if not entry["model"].startswith(GOLD):
            total += Spent.on(*entry["paid"].values(), model=entry["model"], prices=prices)
    return total
