"""Noticing that a model does not answer at all, before every task has been tried in vain.

A model that is down costs every episode the whole patience of its retries. After so many in a row, none
of which came to anything, the rest would tell nothing new: the evaluation ends and says so. What was lost is
owed again.
"""

from __future__ import annotations

from typing import Any

from evals.dspy_programs.digests import model_name
from evals.lm.prices import free
from evals.records.record import EpisodeRecord
from tools.errors import InfrastructureError

IN_VAIN = 24
"""Episodes from the beginning of an evaluation on that have to be lost to the model before it is given up."""


class ModelDownError(InfrastructureError):
    """A model has not answered a single one of many episodes."""


def may_pass(record: EpisodeRecord, lm: Any) -> bool:
    """Whether an episode was lost to something that may be over when it is tried again.

    What runs here, a replay or a gold plan, has no other reply, and a broken scorer no other score.
    """
    if record.status == "harness_error":
        return not record.scorer_failed
    return record.status == "model_error" and not free(model_name(lm))


class Outage:
    """Counts what is lost to a model before anything came of it.

    Args:
        known: whether something did, in an earlier attempt.
    """

    def __init__(self, lm: Any, *, known: bool) -> None:
        self._model = model_name(lm)
        # That what runs here has no answer to a task says nothing about the next.
        self._over = known or lm is None or free(self._model)
        self._lost = 0
        self._first = ""

    def note(self, record: EpisodeRecord) -> None:
        """Take in an episode that ended.

        Raises:
            ModelDownError: it was one too many.
        """
        if self._over or record.status != "model_error":
            self._over = True
            return
        self._first = self._first or (record.error or record.status).partition("\n")[0]
        self._lost += 1
        if self._lost == IN_VAIN:
            raise ModelDownError(
                f"{self._model} does not answer: the first {IN_VAIN} episodes were lost, the first to "
                f"{self._first} (--resume goes on when it does)"
            )
