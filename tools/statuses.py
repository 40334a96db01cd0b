"""How an episode can end, and whose doing it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

EpisodeStatus = Literal[
    "finished",
    "step_limit",
    "repetition",
    "invalid_reply",
    "truncated",
    "refused",
    "filtered",
    "context_limit",
    "invalid_request",
    "program_error",
    "model_error",
    "harness_error",
    "timeout",
]

AnswerStatus = Literal["answered", "partial", "denied", "not_found"]
"""An agent's status of its answer."""

ANSWER_STATUSES: Final[tuple[AnswerStatus, ...]] = get_args(AnswerStatus)


@dataclass(frozen=True)
class Ending:
    """The meaning of a status.

    Attributes:
        graded: the episode counts in the scores, since its end was the program's own doing. An episode that
            the infrastructure ended is not graded; the rate of such episodes stands beside every score.
        meaning: one sentence.
    """

    graded: bool
    meaning: str


STATUSES: Final[Mapping[str, Ending]] = {
    "finished": Ending(True, "The program ended the episode itself."),
    "step_limit": Ending(True, "The episode ran out of steps."),
    "repetition": Ending(True, "The agent made the same failing call three times in a row."),
    "invalid_reply": Ending(True, "The model's replies could not be read as a step."),
    "truncated": Ending(True, "The model's replies were cut off at the limit of output tokens."),
    "refused": Ending(True, "The model refused to reply."),
    "filtered": Ending(True, "The provider's content filter held prompt or reply back."),
    "context_limit": Ending(True, "The prompt was longer than the model takes."),
    "invalid_request": Ending(True, "The model does not take the request, such as a parameter of it."),
    "program_error": Ending(True, "The program raised an exception; the record has its traceback."),
    "model_error": Ending(False, "The model gave no reply: no connection, quota, login, server error."),
    "harness_error": Ending(False, "The sandbox, a search index, the disk or a scorer of worksmith failed."),
    "timeout": Ending(False, "The episode took longer than its time limit; a clock decided that."),
}
"""All statuses, in the order of tables."""

INFRASTRUCTURE: Final = frozenset(name for name, ending in STATUSES.items() if not ending.graded)
"""Statuses without information about the program; their episodes are not graded, and their rate is shown."""

PROGRAM_ERROR: Final = "program_error"
