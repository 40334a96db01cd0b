"""Check that a race does not tell a program from itself: an A/A check."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.jobs.compiling.compile_plan import check_startable, plan_compile
from worksmith.jobs.showing.printing import Facts
from worksmith.optimizers.compiling.journal import discard
from worksmith.optimizers.search.aa import same_program
from worksmith.tools.files.atomic import write_atomically

if TYPE_CHECKING:
    from worksmith.jobs.settings.compiling import CompileSettings


@dataclass(frozen=True)
class SameProgram(Facts):
    """The result of an A/A check: whether a race tells a program from itself.

    Attributes:
        passed: whether it does so within the allowed rate.
        found: the figures.
    """

    file: Path
    passed: bool
    found: Mapping[str, Any]

    def facts(self) -> dict[str, Any]:
        return {"file": str(self.file), **self.found}


def check_same_program(settings: CompileSettings, *, progress: Progress = SILENT) -> SameProgram:
    """Check that a race does not tell the program from itself, and write the finding to the file `out`."""
    plan = plan_compile(settings, progress=progress, aa=True)
    check_startable(plan, settings, "aa")
    with progress.bar("A/A") as tick, plan.open_journal("aa") as journal:
        found = same_program(replace(plan, on_progress=lambda at: at.tell(tick)).context(journal))
    if not found.differing:
        progress.say("the model did the same every time, so there was nothing to mistake for a difference")
    facts = {"suite": plan.suite.path.name, "lm": plan.lm.name, **found.to_json()}
    write_atomically(settings.out, json.dumps(facts, indent=1).encode() + b"\n")
    discard(plan.folder)
    return SameProgram(settings.out, bool(facts["passed"]), facts)
