"""The model of agents that ask their own models."""

from __future__ import annotations

from typing import NoReturn

import dspy
from dspy.utils.exceptions import LMNotConfiguredError

from worksmith.evals.dspy_programs.digests import addresses
from worksmith.tools.seeding import digest


class OwnModels:
    """Stands for models that an agent asks itself, and answers nothing."""

    @property
    def version(self) -> str:
        """The content address of the server that OpenAI's clients ask."""
        return digest(addresses("openai/any"))

    def complete(self, request: dspy.lm15.Request) -> NoReturn:
        raise LMNotConfiguredError(
            "The agent asked DSPy's model, and none is named: name it with --lm, or let the agent make a "
            "client of its own",
            model="own",
        )


def own_models() -> dspy.LM:
    """A model in the place of those that an agent asks itself."""
    return dspy.LM("own", engine=OwnModels(), cache=False, num_retries=0)
