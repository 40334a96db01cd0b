"""Outages: an evaluation ends early if a model does not answer at all.

A model that is down costs every episode all of its retries. After `IN_VAIN` lost episodes in a row from the
beginning, the evaluation ends; a resumed one runs the lost episodes again.
"""

from __future__ import annotations

from typing import Any

from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.lm.prices import free
from worksmith.evals.records.record import EpisodeRecord
from worksmith.tools.errors import InfrastructureError, InputError

IN_VAIN = 24
"""The number of lost episodes at the beginning after which an evaluation ends."""


class ModelDownError(InfrastructureError):
    """A model has answered none of the first episodes."""


def may_pass(record: EpisodeRecord, lm: Any) -> bool:
    """Whether an episode was lost for a reason that may have passed.

    A model that runs here, such as a replay, gives the same reply again, and a broken scorer breaks again.
    """
    if record.status == "harness_error":
        return not record.scorer_failed
    return record.status == "model_error" and not free(model_name(lm))


class UnscoredError(InputError):
    """A metric or scorer of the user's gave no answer a score."""


class Unscored:
    """Counts the answers at which a metric or scorer of the user's raised before any answer got a score.

    Ends the work after as many as DSPy's setting `max_errors` says: to go on would pay for nothing.
    """

    def __init__(self) -> None:
        import dspy

        self._over = False
        self._raised = 0
        self._most = dspy.settings.max_errors

    def note(self, failure: str | None) -> None:
        """Count an answer.

        Args:
            failure: the exception of the metric; None if it gave a score.

        Raises:
            UnscoredError: it was the last one.
        """
        self._over = self._over or failure is None
        if self._over:
            return
        self._raised += 1
        if self._raised >= self._most:
            raise UnscoredError(
                f"{failure}, as for each of the first {self._raised} answers",
                hint="return 0 for an answer that cannot be scored; dspy.configure(max_errors=N) allows more",
            )

    def note_record(self, record: EpisodeRecord) -> None:
        if record.graded:
            self.note(record.error if record.scorer_failed else None)

    def __deepcopy__(self, memo: dict[int, Any]) -> Unscored:
        return self


class Outage:
    """Counts the episodes that are lost to a model before its first answer.

    Args:
        known: whether the log holds an episode that was not lost.
    """

    def __init__(self, lm: Any, *, known: bool) -> None:
        self._model = model_name(lm)
        # A model that runs here may lack an answer to one task and have one to the next.
        self._over = known or lm is None or free(self._model)
        self._lost = 0
        self._first = ""

    def note(self, record: EpisodeRecord) -> None:
        """Count an episode that ended.

        Raises:
            ModelDownError: it was the last of `IN_VAIN`.
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
