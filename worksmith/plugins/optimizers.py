"""Optimizers with worksmith's budget, journal, trace bank and tests."""

from worksmith.optimizers.candidates.building import Built
from worksmith.optimizers.candidates.undoing import without_parts
from worksmith.optimizers.demos.demonstration import Demonstration
from worksmith.optimizers.demos.selection import Display
from worksmith.optimizers.demos.showing import show
from worksmith.optimizers.demos.trace_bank import TraceBank
from worksmith.optimizers.optimizer import CompileContext, Compiled, Optimizer
from worksmith.optimizers.search.race_optimizer import Race
from worksmith.optimizers.teleprompter import Teleprompter
from worksmith.optimizers.trial import Trial

__all__ = [
    "Built",
    "CompileContext",
    "Compiled",
    "Demonstration",
    "Display",
    "Optimizer",
    "Race",
    "Teleprompter",
    "TraceBank",
    "Trial",
    "show",
    "without_parts",
]
