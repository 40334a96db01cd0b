"""Payment for a model's requests, and its refusal."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol

from worksmith.tools.episode_result import Tokens
from worksmith.tools.errors import WorksmithError


class AdmissionError(WorksmithError):
    """Nothing more may be started or asked."""


class Payer(Protocol):
    """Pays for the requests of a model, for example `worksmith.optimizers.cost.budget.Account`."""

    def paying(self) -> AbstractContextManager[Any]:
        """A block in which a request is made.

        Raises:
            AdmissionError: nothing more is to be asked.
        """
        ...

    def check_again(self) -> None:
        """Check that a request may be tried again, or raise `AdmissionError`."""
        ...

    def asked(self, tokens: Tokens) -> None:
        """Count a request that reached the model, with its tokens."""
        ...
