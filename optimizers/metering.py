"""Models whose requests a budget counts, and lets through."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from evals.identity import model_name
from evals.stand_in import StandIn
from optimizers.budget import REQUEST, Account, Budget, BudgetSpentError
from optimizers.journal import REPLIES
from optimizers.spending import GOLD, Spent
from tools.errors import InputError
from tools.files import write_atomically
from tools.json_files import read_json, read_lines

if TYPE_CHECKING:
    import dspy
    from dspy import lm15

_AGAIN = "start anew with --force"


class MeteredEngine(StandIn):
    """Counts requests as they reach the model. A request outside of every episode needs leave of its own.

    DSPy's cache answers before it, so what comes out of that costs nothing.
    """

    def __init__(self, original: dspy.LM, account: Account) -> None:
        super().__init__(original)
        self._account = account

    def installed(self) -> dspy.LM:
        """See `StandIn`; DSPy's cache stays as it is."""
        lm: dspy.LM = super().installed().copy(cache=self.original.cache)
        return lm

    def complete(self, request: lm15.Request) -> lm15.Response:
        """The model's reply.

        Raises:
            BudgetSpentError: nothing more is to be asked.
        """
        if self._account.inside is not None:
            return self._counted(request)
        leave = self._account.admit(REQUEST)
        if leave is None:
            raise BudgetSpentError(self._account.budget.stopped)
        with leave:
            return self._counted(request)

    def _counted(self, request: lm15.Request) -> lm15.Response:
        prompt = completion = 0
        try:
            response = self.ask(request, cache=False)
            prompt, completion = response.usage.input_tokens or 0, response.usage.output_tokens or 0
            return response
        finally:
            self._account.asked(prompt, completion)


def metered(lm: dspy.LM, budget: Budget) -> dspy.LM:
    """The same model, counted. Who follows gold plans is none.

    Raises:
        InputError: dollars are limited, and its price is not known.
    """
    account = budget.account(model_name(lm))
    return lm if model_name(lm).startswith(GOLD) else MeteredEngine(lm, account).installed()


@contextmanager
def spending(budget: Budget | None, folder: Path) -> Iterator[None]:
    """A compile at work with its journal in `folder`: what it took before counts as well, time included."""
    if budget is None:
        yield
        return
    file = folder / "seconds.json"
    before = _seconds(file)
    budget.count(spent_before(folder / REPLIES, budget))
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


def spent_before(replies: Path, budget: Budget) -> Spent:
    """What a journal's model replies took, by its file of them; nothing if there is none."""
    total = Spent()
    if not replies.exists():
        return total
    for _, entry in read_lines(replies, "a model's reply", hint=_AGAIN, appended=True):
        if entry["model"].startswith(GOLD) or entry.get("cached"):
            continue
        usage = (entry.get("reply") or {}).get("usage") or {}
        tokens = [usage.get(name) or 0 for name in ("input_tokens", "output_tokens")]
        total += Spent.on(1, *tokens, model=entry["model"], prices=budget.prices)
    return total
