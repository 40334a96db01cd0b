"""Language models before and after compiling: worksmith's optimizers beside DSPy's, at equal calls.

A cell is a model, a suite and an arm. An arm is the agent as it is, or an optimizer that may ask the model
`CALLS` times, whether in episodes or for proposals. All arms of a suite get the same tasks, seed, teacher
(gold plans) and number of demonstrations; a proposer of instructions is the model itself. Where the calls
are spent, an optimizer of either side gives the best program that it has.

`--work DIR` keeps what is finished: a killed run goes on there, in the middle of a cell. `--plan` forecasts.
`--attack` tests compiled arms a second time, with an instruction planted into what each task reads.
`--page` takes the finished cells of `--work` over into `cells.jsonl`, and writes `docs/results.md` from it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.models import page as pages
from benchmarks.models.cells import ARMS, CALLS, DEV, attacked, measured
from benchmarks.models.suites import SUITES, made
from benchmarks.support.stages import Stage, Work
from worksmith.tools.errors import InputError

NAME = "models"
DESCRIPTION = "language models uncompiled and compiled, by worksmith's optimizers and DSPy's, at equal calls"

APPRENTICE = "local/apprentice"
_QUICK = {"suite": "helpdesk", "arms": "uncompiled,knn"}
_FEW = 3
"""Tasks of the quick form, of dev and of test each."""

_LIKELY = 100
"""Calls of a compile, as a forecast takes them: some optimizers need fewer than they may make."""

_BARE = 1.0
"""Seconds for a call without demonstrations, for the first forecast."""

_OTHERS = 12.0
"""How much longer a call is expected to take with another model than `APPRENTICE`, until one is measured."""


def run(
    quick: bool,
    *,
    lm: str = APPRENTICE,
    suite: str | None = None,
    arms: str | None = None,
    seed: int = 0,
    work: Path | None = None,
    plan: bool = False,
    minutes: float | None = None,
    limit: int | None = None,
    attack: bool = False,
    page: bool = False,
) -> dict[str, Any]:
    """Measure the cells that are left, and give the figures of all that are asked for.

    Args:
        quick: two arms on a few tasks of one suite.
        lm: a model, as `--lm` of the commands takes it.
        suite: names from `SUITES`, with commas between; None for all.
        arms: names from `ARMS`; None for all.
        seed: of the optimizers.
        work: the folder of the cells; None for a temporary one.
        plan: give the cells with the minutes that are expected, and measure none.
        minutes: begin no cell that is expected to end later.
        limit: at most so many test tasks of a suite.
        attack: also measure the arms under attack.
        page: take over finished cells and write the page; measure none.
    """
    if page:
        return pages.written(work)
    chosen = _QUICK if quick else {"suite": suite, "arms": arms}
    names, skipped = _present(_listed(chosen["suite"], SUITES, "--suite"))
    arms_chosen = _listed(chosen["arms"], ARMS, "--arms")
    stages = [*_stages(names, arms_chosen, lm, seed, _FEW if quick else limit, quick=quick, attack=attack)]
    started = time.perf_counter()
    with ExitStack() as stack:
        place = work or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        study = Work(place, stages)
        left = sum(study.minutes(name) for name in study.stages if study.result(name) is None)
        if plan:
            return {"cells": study.plan(None), "minutes_left": round(left, 1), "skipped": skipped}
        print(f"about {left:.0f} minutes for what is left", file=sys.stderr)
        for name in study.stages:
            if study.result(name) is None:
                spent = (time.perf_counter() - started) / 60
                if minutes is not None and spent + study.minutes(name) > minutes:
                    print(f"{name}: left for another run", file=sys.stderr)
                    continue
                print(f"{name}: about {study.minutes(name):.1f} minutes", file=sys.stderr)
                study.do(name)
        cells = [found for name in study.stages if "arm" in (found := study.result(name) or {})]
    return {"lm": lm, "calls": CALLS, "skipped": skipped, **pages.figures(cells)}


def _listed(given: str | None, known: Iterable[str], option: str) -> list[str]:
    names = list(known) if given is None else given.split(",")
    if unknown := set(names).difference(known):
        raise InputError(f"there is no {min(unknown)!r}", where=option, hint=f"there are {', '.join(known)}")
    return names


def _present(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The suites that can be made here, and a sentence on each of the others."""
    absent = [name for name in names if (needs := SUITES[name].needs) and not needs.is_dir()]
    said = [f"{name}: its published files are not in {SUITES[name].needs}" for name in absent]
    for each in said:
        print(each, file=sys.stderr)
    return [name for name in names if name not in absent], said


def _stages(
    suites: Sequence[str],
    arms: Sequence[str],
    lm: str,
    seed: int,
    limit: int | None,
    *,
    quick: bool,
    attack: bool,
) -> Iterator[Stage]:
    from worksmith.evals.dspy_programs.digests import model_digest
    from worksmith.evals.tasks.transcript import GOLD
    from worksmith.models.resolve import resolve

    model = lm if lm == GOLD else model_digest(resolve(lm))
    for name in suites:
        yield Stage(f"suite/{name}", made, {"suite": name}, amount=1, pace="suite", each=10)
        of = SUITES[name]
        test = min(of.test, limit or of.test)
        sizes = {"calls": CALLS, "demos": of.demos, "dev": _FEW if quick else DEV, "test": test}
        for arm in arms:
            compiled, parts = bool(ARMS[arm]), (name, arm, lm.replace("/", "-"), seed, test)
            settings = {"suite": name, "lm": lm, "model": model, "arm": arm, "seed": seed, "quick": quick}
            settings |= {**sizes, "options": ARMS[arm]}
            stage = Stage(
                "/".join(map(str, parts)).replace(":", "-"),
                measured,
                settings,
                needs=[f"suite/{name}"],
                amount=_LIKELY * compiled + of.steps * test,
                pace=f"{name}, {lm}, {'compiled' if compiled else 'uncompiled'}",
                each=(of.each if compiled else _BARE) * (1.0 if lm == APPRENTICE else _OTHERS),
            )
            yield stage
            if attack:
                needs = [f"suite/{name}", stage.name]
                under = replace(stage, name=f"{stage.name}/attack", job=attacked, needs=needs)
                yield replace(under, amount=of.steps * test)
