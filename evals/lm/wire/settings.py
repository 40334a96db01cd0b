"""Settings of the way to a model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WireSettings:
    """Limits and marks of the requests to one model. None does not limit.

    Attributes:
        requests_per_minute: requests that the provider takes.
        tokens_per_minute: tokens of prompts and replies that it takes.
        parallel: the most requests in flight. Fewer are, while the model reports too many requests.
        retry_time: seconds from the first try of a request after which there is no retry.
        total_timeout: seconds that one request may take, with all of its reply; None for the usual limit, see
            `worksmith.evals.lm.wire.deadline`.
        prompt_cache: whether prompts are marked for the provider's cache, see
            `worksmith.evals.lm.prompt_cache`.
    """

    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    parallel: int | None = None
    retry_time: float = 600.0
    total_timeout: float | None = None
    prompt_cache: bool = True
