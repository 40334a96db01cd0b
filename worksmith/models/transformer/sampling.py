"""The choice of each next token: greedy or sampled, from a seed of the request's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import TemperatureLogitsWarper, TopPLogitsWarper
from transformers.generation.continuous_batching.cb_logits_processors import (
    ContinuousBatchingLogitsProcessor,
)

_STEP = 0x9E3779B97F4A7C15
"""An odd number; its multiples give every position of a reply another seed."""

_NEVER = float("-inf")


@dataclass(frozen=True)
class Sampling:
    """How one reply is chosen.

    Attributes:
        temperature: 0 for the most probable token.
        stop: texts that end the reply.
        prompt: the number of tokens before the reply.
    """

    temperature: float
    top_p: float
    seed: int
    stop: tuple[str, ...]
    prompt: int


class Sampler(ContinuousBatchingLogitsProcessor):  # type: ignore[misc]
    """Changes the scores so that the highest one is that of the next token.

    Its noise depends on the request's seed and the position alone, so a reply does not depend on its batch.
    """

    supported_kwargs = {"sampling": Sampling}  # noqa: RUF012 (as its base declares it)
    ignored_kwargs = ()

    def __init__(self, tokenizer: Any, end: int) -> None:
        self._tokenizer = tokenizer
        self._end = end
        self._replies: list[tuple[Sampling, list[int]]] = []

    def fill_defaults(self, int32_tensor: torch.Tensor) -> None:
        int32_tensor.zero_()

    def prepare_tensor_args(self, requests_with_new_token: Sequence[Any]) -> torch.Tensor:
        """Note whose scores come next, row by row."""
        self._replies = []
        for request in requests_with_new_token:
            state = request.state
            sampling = state.logit_processor_kwargs["sampling"]
            said = (state.initial_tokens + state.generated_tokens)[sampling.prompt :]
            self._replies.append((sampling, said))
        return torch.zeros(len(self._replies), dtype=torch.int32)

    def __call__(self, scores: torch.Tensor, tensor_arg: torch.Tensor) -> torch.Tensor:
        for row, (sampling, said) in enumerate(self._replies):
            if sampling.stop and stopped(self._tokenizer.decode(said), sampling.stop) is not None:
                scores[row] = _NEVER
                scores[row, self._end] = 0.0
            elif sampling.temperature:
                scores[row] = _noisy(scores[row : row + 1], sampling, len(said))
        return scores


def stopped(text: str, stop: Sequence[str]) -> int | None:
    """Where the first text of `stop` begins; None if there is none."""
    found = [place for each in stop if (place := text.find(each)) >= 0]
    return min(found, default=None)


def _noisy(scores: torch.Tensor, sampling: Sampling, position: int) -> torch.Tensor:
    """Scores whose highest one is a draw from their distribution: the Gumbel-max trick."""
    scores = TemperatureLogitsWarper(sampling.temperature)(None, scores)
    if sampling.top_p < 1:
        scores = TopPLogitsWarper(sampling.top_p)(None, scores)
    generator = torch.Generator().manual_seed((sampling.seed + position * _STEP) % 2**63)
    waits = torch.empty(scores.shape, dtype=torch.float32).exponential_(generator=generator)
    return (scores - waits.log().to(scores.device))[0]
