"""The sources of a race."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import islice

from worksmith.optimizers.candidates.candidate import INSTRUCTIONS, TOOLS, Candidate
from worksmith.optimizers.proposals.checks import Checks
from worksmith.optimizers.proposals.combination import combined
from worksmith.optimizers.proposals.hints import hinted
from worksmith.optimizers.proposals.removal import reduced
from worksmith.optimizers.proposals.source import Source, Standing
from worksmith.optimizers.proposer import Proposer


@dataclass(frozen=True)
class ModelFreeSource:
    """A source that asks no model.

    Attributes:
        derive: gives candidates, the most promising first; they may be known.
    """

    name: str
    derive: Callable[[Standing, Checks], Iterable[Candidate]]
    checks: Checks
    adaptive: bool = True
    failed: int = 0

    def propose(self, standing: Standing, count: int) -> list[Candidate]:
        return list(islice(self.checks.fresh(self.derive(standing, self.checks), standing), count))


def sources(checks: Checks, proposer: Proposer | None, over: Collection[str]) -> tuple[Source, ...]:
    """What joins and takes away, then what makes new texts. Without a model that proposes, hints are written.

    Args:
        over: the parts of the program that may change; of these `instructions` and `tools` are texts.
    """
    proposing: tuple[Source, ...] = ()
    tools = TOOLS in over
    if proposer is not None and (tools or INSTRUCTIONS in over):
        from worksmith.optimizers.proposals.peers import GepaReflection, Grounded
        from worksmith.optimizers.proposals.reflection import Reflection

        proposing = (Reflection(proposer, checks, tools=tools),)
        if INSTRUCTIONS in over:
            proposing = Grounded(proposer, checks), *proposing, GepaReflection(proposer, checks)
    elif INSTRUCTIONS in over:
        proposing = (ModelFreeSource("hints", hinted, checks),)
    return (
        ModelFreeSource("combination", combined, checks),
        ModelFreeSource("removal", reduced, checks),
        *proposing,
    )
