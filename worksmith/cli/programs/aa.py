"""`worksmith compile --aa`: whether a race tells a program apart from itself."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from worksmith.cli.options import say

if TYPE_CHECKING:
    from optimizers.compiling.plan import Plan


def check_same_program(plan: Plan, out: Path) -> dict[str, Any]:
    """Run the check, write what it found to `out`, and return it."""
    from optimizers.search.aa import same_program
    from tools.files.atomic import write_atomically
    from worksmith.jobs.session import compile_bar

    with compile_bar("A/A") as on_progress, plan.open_journal("aa") as journal:
        found = same_program(replace(plan, on_progress=on_progress).context(journal))
    if not found.differing:
        say("the model did the same every time, so there was nothing to mistake for a difference")
    facts = {"suite": plan.suite.path.name, "lm": plan.lm.name, **found.to_json()}
    write_atomically(out, json.dumps(facts, indent=1).encode() + b"\n")
    return {"file": str(out), **facts}


def end(facts: dict[str, Any]) -> None:
    """Fail where programs were told apart that are the same.

    Raises:
        Exit: with 1.
    """
    if not facts["passed"]:
        say("identical programs are told apart more often than stated")
        raise typer.Exit(1)
