"""What training adds: a small model as it is, with demonstrations, fine-tuned, and with preferences.

The model is SmolLM2-135M. It is trained on gold trajectories of generated worlds and measured on worlds that
training never saw, on intents that it never saw, and on WorkBench's real tasks, beside `local/analogy`,
baselines without a model, and published figures. Every stage is kept in the folder of `--work`, and done
again only if its inputs changed; a killed training or evaluation goes on where it was.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any

from benchmarks._stages import Work
from benchmarks.weights.arms import stages
from benchmarks.weights.figures import report
from benchmarks.weights.forms import SMALLEST, WHOLE, Form
from benchmarks.weights.forms import quick as quick_form

NAME = "weights"
DESCRIPTION = "a small model as it is, few-shot, fine-tuned and with preferences, in its worlds and WorkBench"


def run(
    quick: bool,
    *,
    work: Path | None = None,
    plan: bool = False,
    minutes: float | None = None,
    only: str | None = None,
) -> dict[str, Any]:
    """Do the stages that are left, and give all figures that there are.

    Args:
        work: the folder of the stages; a temporary one by default.
        plan: give the stages with the minutes that are expected, and do none.
        minutes: begin no stage that is expected to end later.
        only: do only stages whose names have this text, and those that they need.
    """
    return study(quick_form() if quick else WHOLE, work, plan=plan, minutes=minutes, only=only)


def smallest(work: Path) -> dict[str, Any]:
    """The study on a tiny model, in seconds: it shows that all stages run."""
    return study(SMALLEST, work)


def study(
    form: Form,
    folder: Path | None,
    *,
    plan: bool = False,
    minutes: float | None = None,
    only: str | None = None,
) -> dict[str, Any]:
    """The study in one of its forms; arguments as of `run`."""
    started = time.perf_counter()
    with ExitStack() as stack:
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        work = Work(place, stages(form))
        if plan:
            planned = work.plan(only)
            left = sum(each["minutes"] for each in planned if not each["done"])
            return {"form": form.name, "stages": planned, "minutes_left": round(left, 1)}
        for name in work.chosen(only):
            if work.result(name) is not None:
                continue
            spent = (time.perf_counter() - started) / 60
            if minutes is not None and spent + work.minutes(name) > minutes:
                print(f"{name}: left for another run", file=sys.stderr)
                break
            print(f"{name}: about {work.minutes(name):.1f} minutes", file=sys.stderr)
            (_apart if form is WHOLE else Work.do)(work, name)
        return report(work, form, time.perf_counter() - started)


def _apart(work: Work, name: str) -> None:
    """Do a stage in a process of its own, so that its models leave the memory.

    Raises:
        RuntimeError: the stage failed; its message is on stderr.
    """
    process = get_context("spawn").Process(target=_alone, args=(work, name))
    process.start()
    process.join()
    if process.exitcode:
        raise RuntimeError(f"the stage {name} failed; run the command again to go on with it")


def _alone(work: Work, name: str) -> None:
    """Do a stage, and end with the process that asked for it: a training goes on for hours otherwise."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    work.do(name)


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None, "a process of multiprocessing"
    parent.join()
    os._exit(1)
