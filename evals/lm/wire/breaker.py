"""A breaker: pauses a model that fails, and tries it with one request at a time."""

from __future__ import annotations

import math

from worksmith.tools.errors import WorksmithError
from worksmith.tools.statuses import EpisodeStatus

FAILURES = 10
"""Consecutive failures, of any requests, that pause a model."""

FIRST_PAUSE = 2.0
"""Seconds of the first pause; each further one in a row is twice as long if the model has ever answered."""

LONGEST_PAUSE = 60.0


class PausedError(WorksmithError):
    """A request was not sent: its model is paused, and another request has just tried it in vain."""

    episode_status: EpisodeStatus = "model_error"


class Breaker:
    """Whether a model is paused. After each pause one request tries it; the others wait for its result.

    Attributes:
        failure: the last one; None if the model answered since.
        failed_tries: how many requests have tried it in vain since it was paused first.
    """

    def __init__(self) -> None:
        self.failure: Exception | None = None
        self.failed_tries = 0
        self._in_a_row = 0
        self._answered = -math.inf
        self._until = -math.inf
        self._trying = False

    @property
    def paused(self) -> bool:
        return self._in_a_row >= FAILURES

    def wait(self, now: float) -> float | None:
        """Seconds to wait before a request; 0 for none, None until another request has tried the model."""
        if not self.paused:
            return 0.0
        if self._trying:
            return None
        return max(0.0, self._until - now)

    def begin(self) -> bool:
        """Let a request through, after `wait` returned 0.

        Returns:
            Whether it tries a paused model.
        """
        self._trying = self.paused
        return self._trying

    def failed(self, error: Exception, now: float, *, sent: float, tried: bool) -> None:
        """Take note of a failure of the model.

        Args:
            sent: when the request was sent. If the model has answered another one since, the failure is not
                counted: replies that never come end together, long after others were answered.
            tried: whether the request tried a paused model.
        """
        if not tried and sent < self._answered:
            return
        before, self.failure = self.paused, error
        if tried:
            self._trying = False
            self.failed_tries += 1
        self._in_a_row += 1
        # Requests from before the pause give no new information.
        if tried or (self.paused and not before):
            self._until = now + self._pause

    @property
    def _pause(self) -> float:
        # A model that never answered has a wrong address rather than an outage: the run is to end soon.
        in_a_row = min(self.failed_tries, 10) if self._answered > -math.inf else 0
        return min(FIRST_PAUSE * 2.0**in_a_row, LONGEST_PAUSE)

    def answered(self, now: float, *, tried: bool) -> None:
        """Record that the model works, or refuses a request for its content."""
        self._answered = now
        if tried or not self.paused:
            self.failure = None
            self._trying = False
            self._in_a_row = self.failed_tries = 0

    def given_up(self, *, tried: bool) -> None:
        """Record that a request ended without information about the model."""
        self._trying = self._trying and not tried
