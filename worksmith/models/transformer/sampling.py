"""The choice of each next token: greedy or sampled, from a seed of the request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from transformers import TemperatureLogitsWarper, TopPLogitsWarper

_STEP = 0x9E3779B97F4A7C15
"""An odd number; its multiples give every position of a reply another seed."""


class TokenConstraint(Protocol):
    """The replies that a request allows."""

    def allows(self, token: int, said: Sequence[int]) -> bool:
        """Whether a token may follow the reply so far."""

    def narrow(self, scores: torch.Tensor, said: Sequence[int]) -> None:
        """Set the scores of tokens that may not follow the reply so far to minus infinity."""


@dataclass(frozen=True)
class Sampling:
    """How one reply is chosen.

    Attributes:
        temperature: 0 for the most probable token.
        stop: texts that end the reply.
    """

    temperature: float
    top_p: float
    seed: int
    stop: tuple[str, ...]
    constraint: TokenConstraint | None = None


def next_token(scores: torch.Tensor, sampling: Sampling, said: Sequence[int]) -> int:
    """The next token of a reply, in any batch with: noise is drawn from its seed and place alone.

    Args:
        scores: of each token of the vocabulary.
        said: the tokens of the reply so far.
    """
    token = _chosen(scores, sampling, said)
    if sampling.constraint is not None and not sampling.constraint.allows(token, said):
        sampling.constraint.narrow(scores, said)
        token = _chosen(scores, sampling, said)
    return token


def _chosen(scores: torch.Tensor, sampling: Sampling, said: Sequence[int]) -> int:
    if not sampling.temperature:
        return int(scores.argmax())
    scores = TemperatureLogitsWarper(sampling.temperature)(None, scores[None])
    if sampling.top_p < 1:
        scores = TopPLogitsWarper(sampling.top_p)(None, scores)
    generator = torch.Generator().manual_seed((sampling.seed + len(said) * _STEP) % 2**63)
    waits = torch.empty(scores.shape, dtype=torch.float32).exponential_(generator=generator)
    return int((scores - waits.log().to(scores.device))[0].argmax())  # the Gumbel-max trick


def stopped(text: str, stop: Sequence[str]) -> int | None:
    """Where the first text of `stop` begins; None without one."""
    found = [place for each in stop if (place := text.find(each)) >= 0]
    return min(found, default=None)
