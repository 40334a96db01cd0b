"""Predictions: the calls and the answer of an agent that ran elsewhere, one JSON object a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pydantic import Field, ValidationError, model_validator

from worksmith.evals.records.entries import RecordEntry
from worksmith.evals.records.logs.run_log import open_log
from worksmith.retrievers import strict_json
from worksmith.tools.dispatch import ObservationStatus
from worksmith.tools.errors import InputError
from worksmith.tools.files.json_files import read_lines, validated
from worksmith.tools.statuses import EpisodeStatus

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord

_WHAT = "a prediction"
_MOST_TRIALS = 1_000
_SEALED = re.compile(rb',"sum":"\w+"\}\s*$')


class PredictedCall(RecordEntry):
    """A call of a tool.

    Attributes:
        name: of the tool, with a dot or as chat APIs have it: `calendar.delete_event`,
            `calendar__delete_event`.
        arguments: by name; only a call that was refused for that may have others.
        status: of the call, if it is known. Calls of a tool that was not on offer (`unknown_tool`), and calls
            that the agent's own checker refused (`refused`), are not made again.
        observation: the result that the agent got; needed only where the tool asked the agent's own model.
    """

    name: str
    arguments: Any = Field(default_factory=dict)
    status: ObservationStatus | None = None
    observation: str = ""

    @model_validator(mode="after")
    def _named(self) -> Self:
        if not isinstance(self.arguments, dict) and self.status in (None, "ok"):
            raise ValueError(f"the arguments of {self.name[:80]} are no object")
        return self


class Prediction(RecordEntry):
    """One attempt of an agent at one task.

    Attributes:
        trial: number of the attempt, from 0.
        answer: the final message.
        status: `answered`, `denied` or `not_found`, where the kind of world asks for it.
        actions: all calls, in order. Calls that only read count in scores of the path and of evidence.
        shown: references (`table/key`) of records that the agent saw otherwise than by `actions`, such as
            those that its own search found. They can be leaks; they cannot be checked, so they earn nothing.
        ended: how the attempt ended, see `worksmith.tools.statuses`.
        error: of an attempt that failed.
    """

    task_id: str
    trial: int = Field(default=0, ge=0, lt=_MOST_TRIALS)
    answer: str = ""
    status: str = "answered"
    actions: tuple[PredictedCall, ...] = ()
    shown: tuple[str, ...] = ()
    ended: EpisodeStatus = "finished"
    error: str = ""

    @model_validator(mode="before")
    @classmethod
    def _failed(cls, given: Any) -> Any:
        """An error without a status is one of the agent's program."""
        if isinstance(given, dict) and given.get("error") and "ended" not in given:
            return {**given, "ended": "program_error"}
        return given

    @classmethod
    def of(cls, record: EpisodeRecord) -> Self:
        """The prediction of a recorded episode.

        Raises:
            ValidationError: the record is invalid.
        """
        return cls.model_validate(
            {
                "task_id": record.task_id,
                "trial": record.trial,
                "answer": record.answer,
                "status": record.answer_status,
                "actions": [
                    {
                        "name": call.tool,
                        "arguments": call.arguments,
                        "status": call.status,
                        "observation": call.observation,
                    }
                    for call in record.calls
                ],
                "shown": record.shown,
                "ended": record.status,
                "error": record.error or "",
            }
        )


class PlacedPrediction(NamedTuple):
    """A prediction and the place that it was read from.

    Attributes:
        record: of the episode, if it was read from a log.
    """

    where: str
    prediction: Prediction
    record: EpisodeRecord | None = None


def read_predictions(path: Path) -> Iterator[PlacedPrediction]:
    """The predictions in a file of JSON lines, or in an episode log.

    Raises:
        InputError: the file is unreadable or damaged; names line and field.
    """
    if not _is_log(path):
        for where, value in read_lines(path, _WHAT):
            yield PlacedPrediction(where, validated(value, Prediction, _WHAT, where=where))
        return
    for record in open_log(path, verdicts=False).records:
        where = f"{path}, task {record.task_id}"
        try:
            yield PlacedPrediction(where, Prediction.of(record), record)
        except ValidationError as error:
            raise InputError("not an episode record of a known form", where=where) from error


def _is_log(path: Path) -> bool:
    """Whether the first line is sealed, as those of an episode log."""
    try:
        return bool(_SEALED.search(next(strict_json.read_lines(path), b"")))
    except OSError:
        return False  # set by the reader
