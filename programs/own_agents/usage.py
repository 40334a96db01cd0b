"""The reported usage of an agent with its own model."""

from __future__ import annotations

import threading
from operator import index

from worksmith.tools.episode_result import Usage


class AgentUsage:
    """The requests and tokens of an agent that asks a model itself. Thread-safe.

    Attributes:
        known: whether the agent has reported anything; if not, its usage is unknown.

    Example:
        >>> task.usage.add(prompt_tokens=512, completion_tokens=24)
    """

    def __init__(self) -> None:
        self.known = False
        self._lock = threading.Lock()
        self._total, self._requests = Usage(), 0

    def add(
        self,
        prompt_tokens: int = 0,
        completion_tokens: int = 0,
        *,
        cached_tokens: int = 0,
        requests: int = 1,
    ) -> None:
        """Report one request or several.

        Args:
            prompt_tokens: of all prompts, cached ones included.
            completion_tokens: of all replies.
            cached_tokens: of the prompts, read from the provider's cache.
            requests: 0 in an agent that asks no model.

        Raises:
            ValueError: a number is negative.
            TypeError: a number is not whole.
        """
        prompt_tokens, completion_tokens = index(prompt_tokens), index(completion_tokens)
        cached_tokens, requests = index(cached_tokens), index(requests)
        if min(prompt_tokens, completion_tokens, cached_tokens, requests) < 0:
            raise ValueError("numbers of tokens and requests are not negative")
        more = Usage.all_paid(prompt_tokens, completion_tokens, cached_tokens, requests=requests)
        with self._lock:
            self._total += more
            self._requests += requests
            self.known = True

    def total(self, *, unknown: bool) -> Usage:
        """The sum.

        Args:
            unknown: whether a missing report means uncounted requests.
        """
        with self._lock:
            return Usage(uncounted=True) if unknown and not self.known else self._total

    @property
    def requests(self) -> int:
        """The number of requests that were reported."""
        with self._lock:
            return self._requests
