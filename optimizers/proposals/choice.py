"""The sources of a race."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice

from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.optimizers.proposals.checks import Checks
from worksmith.optimizers.proposals.combination import combined
from worksmith.optimizers.proposals.hints import hinted
from worksmith.optimizers.proposals.removal import reduced
from worksmith.optimizers.proposals.source import Source, Standing
from worksmith.optimizers.proposer import Proposer


@dataclass(frozen=True)
class Derived:
    """A source that asks no model.

    Attributes:
        derive: gives candidates, the most promising first; they may be known.
    """

    name: str
    derive: Callable[[Standing, Checks], Iterable[Candidate]]
    checks: Checks
    adaptive: bool = True

    def propose(self, standing: Standing, count: int) -> list[Candidate]:
        return list(islice(self.checks.fresh(self.derive(standing, self.checks), standing), count))

    def max_calls(self, count: int) -> int:
        return 0


def sources(checks: Checks, proposer: Proposer | None = None, *, tools: bool = False) -> tuple[Source, ...]:
    """What makes new texts, then what joins and takes away. Without a model that proposes, hints are written.

    Args:
        tools: whether descriptions of tools may change.
    """
    joining = Derived("combination", combined, checks)
    removing = Derived("removal", reduced, checks)
    if proposer is None:
        return Derived("hints", hinted, checks), joining, removing
    from worksmith.optimizers.proposals.peers import GepaReflection, Grounded
    from worksmith.optimizers.proposals.reflection import Reflection

    proposing = (
        Grounded(proposer, checks),
        Reflection(proposer, checks, tools=tools),
        GepaReflection(proposer, checks),
    )
    return *proposing, joining, removing
