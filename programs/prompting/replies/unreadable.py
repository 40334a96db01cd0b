"""Replies that cannot be read: the problem in words, and the remedy for the model."""

from __future__ import annotations

from typing import NamedTuple

import dspy
from dspy.utils.exceptions import AdapterParseError

from worksmith.evals.lm.failures import failure_status
from worksmith.programs.prompting.exchange import Wire
from worksmith.tools.files.unicode import writable
from worksmith.tools.statuses import EpisodeStatus

IN_FORMAT = "Reply again in the given format."
"""The remedy for a reply that has not the fields asked for."""

_LONGEST_PROBLEM = 200
"""The most characters of a client's remark on a reply."""


class UnreadableReplyError(AdapterParseError):  # type: ignore[misc]
    """A reply that does not have the fields it should have.

    Attributes:
        episode_status: the status of an episode that ends by it.
        problem: in words for the model.
        remedy: the model is to do this instead.
    """

    def __init__(
        self,
        signature: type[dspy.Signature],
        reply: str,
        problem: str,
        remedy: str = IN_FORMAT,
        episode_status: EpisodeStatus = "invalid_reply",
    ) -> None:
        super().__init__("TrajectoryAdapter", signature, writable(reply), writable(problem))
        self.reply = writable(reply)
        self.problem = writable(problem)
        self.remedy = remedy
        self.episode_status = episode_status

    def __str__(self) -> str:
        return self.problem


class Stopped(NamedTuple):
    """The meaning of a reason to stop where the reply cannot be read.

    Attributes:
        problem: in words for the model and for people.
        remedy: the model's task besides replying in the right format.
    """

    status: EpisodeStatus
    problem: str
    remedy: str


STOPPED = {
    "length": Stopped(
        "truncated",
        "the reply was cut off at the limit of output tokens (max_tokens)",
        "Use fewer words, or do less at once.",
    ),
    "content_filter": Stopped("filtered", "a content filter held the reply back", "Use other words."),
    "refusal": Stopped(
        "refused",
        "the model refused",
        "If the task may not be done, finish it and say so in the answer.",
    ),
    "error": Stopped("model_error", "the provider broke the reply off", ""),
}
"""By reason, see `worksmith.evals.lm.finish_reasons`. A readable reply is taken for any reason."""


def as_unreadable(
    error: Exception, signature: type[dspy.Signature], wire: Wire
) -> UnreadableReplyError | None:
    """The error with its remedy, for an unreadable reply of a model; None for any other.

    Args:
        wire: the reply, and the reason of its end.
    """
    if isinstance(error, UnreadableReplyError):
        reply, problem, remedy = error.reply, error.problem, error.remedy
    elif isinstance(error, AdapterParseError):
        reply, problem, remedy = "", "the reply is empty", IN_FORMAT
    elif failure_status(error) in ("invalid_reply", "truncated"):
        said = getattr(error, "message", "") or str(error)
        reply, problem, remedy = "", said.partition("\n")[0][:_LONGEST_PROBLEM], IN_FORMAT
    else:
        return None
    stopped = STOPPED.get(wire.finish_reason)
    if stopped is None:
        return UnreadableReplyError(signature, reply, problem, remedy)
    return UnreadableReplyError(
        signature, reply or wire.reply, stopped.problem, f"{remedy} {stopped.remedy}", stopped.status
    )
