"""What a built trace bank is made of and for: the card at the head of its file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import dspy
from pydantic import BaseModel, ConfigDict

from tools.errors import InputError


class BankCard(BaseModel):
    """Which tasks a bank was built from, by whom, and in which program's format.

    Attributes:
        kind: of the suite's world.
        suite: digest of the suite.
        split, scheme: of the tasks.
        tasks: how many were tried.
        sources: as they were named, in the order in which they were asked.
        program: what it takes to build the program anew, as a manifest has it.
        interface: see `interface_of`.
        versions: of the software.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    suite: str
    split: str
    scheme: str
    tasks: int
    sources: tuple[str, ...]
    program: dict[str, Any] = {}
    interface: dict[str, tuple[str, ...]] = {}
    seed: int = 0
    versions: dict[str, str] = {}

    @property
    def strategy(self) -> str:
        """Name of the strategy that its demonstrations show; empty for programs without one."""
        strategy = self.program.get("strategy")
        return str(strategy.get("name", "")) if isinstance(strategy, dict) else str(strategy or "")

    def check(self, program: dspy.Module, kind: str) -> None:
        """See that `program`, at work in a world of `kind`, can show the bank's demonstrations.

        Raises:
            InputError: it cannot.
        """
        if kind != self.kind:
            raise InputError(
                f"the trace bank is of a world of the kind {self.kind}, the suite is of the kind {kind}"
            )
        if interface_of(program) != self.interface:
            made_for = f"the strategy {self.strategy}" if self.strategy else "another program"
            raise InputError(
                f"the trace bank was built for {made_for}, whose parts have other fields",
                hint="build it again with the program's own strategy",
            )


def interface_of(program: dspy.Module) -> dict[str, tuple[str, ...]]:
    """For each predictor's name the fields of its signature, inputs before outputs.

    Two programs with the same interface can show each other's demonstrations.
    """
    return {
        name: (*predictor.signature.input_fields, *_marked(predictor.signature.output_fields))
        for name, predictor in program.named_predictors()
    }


def _marked(outputs: Iterable[str]) -> list[str]:
    return [f"-> {name}" for name in outputs]
