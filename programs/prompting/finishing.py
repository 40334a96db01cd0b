"""What it means for an episode why a model stopped, where its reply cannot be read."""

from __future__ import annotations

from typing import NamedTuple

from tools.statuses import EpisodeStatus


class Stopped(NamedTuple):
    """What a reason to stop means where the reply cannot be read.

    Attributes:
        problem: in words for the model and for people.
        remedy: what the model is to do besides replying in the right format.
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
"""By reason, see `evals.lm.finish_reasons`. A reply that can be read is taken whatever the reason."""
