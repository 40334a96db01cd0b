"""Sources that ask a language model for a text."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import dspy

from worksmith.evals.characters import harmless
from worksmith.evals.lm.failures import chain, failure_status
from worksmith.evals.lm.payer import AdmissionError
from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.optimizers.proposals.checks import Checks
from worksmith.optimizers.proposals.source import Standing
from worksmith.optimizers.proposer import Proposer
from worksmith.optimizers.quiet import quiet
from worksmith.tools.statuses import PROGRAM_ERROR

_FENCED = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.S)
_MARKER = re.compile(r"\[\[ ## \w+ ## \]\]")


class Asking(ABC):
    """Makes a candidate of each reply of the model that proposes.

    Attributes:
        made, failed: how many proposals were asked for so far, and how many gave no candidate.
    """

    name: ClassVar[str]
    adaptive: ClassVar[bool] = True

    def __init__(self, proposer: Proposer, checks: Checks) -> None:
        self.proposer = proposer
        self.checks = checks
        self.made = self.failed = 0

    def propose(self, standing: Standing, count: int) -> list[Candidate]:
        """At most `count` candidates; a useless reply gives no candidate.

        Raises:
            WorksmithError: the model never answered.
            AdmissionError: the budget is spent.
        """
        start, self.made = self.made, self.made + count
        replies = [self.proposed(standing, number) for number in range(start, self.made)]
        self.proposer.check()
        kept = list(self.checks.fresh(filter(None, replies), standing))
        self.failed += count - len(kept)
        return kept

    @abstractmethod
    def proposed(self, standing: Standing, number: int) -> Candidate | None:
        """The candidate of the proposal with this number, if the reply is of use."""

    def asked(self, ask: Callable[[], str]) -> str:
        """The text that the model proposes; empty if its reply is unusable or it fails.

        Args:
            ask: asks DSPy's model.
        """
        from dspy.utils.exceptions import AdapterParseError

        # One question a text.
        adapter = dspy.ChatAdapter(use_json_adapter_fallback=False)
        try:
            with (
                quiet(),
                dspy.context(lm=self.proposer.lm, adapter=adapter, trace=None, disable_history=True),
            ):
                reply = ask()
        except AdapterParseError as error:
            reply = str(error.lm_response)
        except Exception as error:
            for each in chain(error):
                if isinstance(each, AdmissionError):
                    raise each from error
            if failure_status(error) == PROGRAM_ERROR:
                raise
            return ""
        return _cleaned(reply)


def _cleaned(reply: str) -> str:
    """The text of a reply, without the additions of models; empty if it is unusable."""
    text = harmless(_MARKER.sub("", reply)).strip()
    fenced = _FENCED.match(text)
    text = (fenced[1] if fenced else text).strip()
    if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in text[1:-1]:
        text = text[1:-1].strip()
    return text if any(map(str.isalpha, text)) else ""
