"""Optimizers beside each other where the best program is known: ours and DSPy's, at equal calls.

The student is simulated. Its chance of a right reply is a known function of the prompt, a surface, see
`worlds`. So the true mean of a program is computed on fresh examples, without noise. A surface rewards one
thing: an instruction, the nearest demonstration, a tool's description, both of the first, a choice of
demonstrations of which some harm, nothing, or the texts of one predictor of three. The same simulated model
proposes texts where an optimizer asks for some.

`--work DIR` keeps what is finished. There the cells of our optimizers are measured again after a change of
their code. `--only TEXT` measures only cells with this text in their names, such as `instruction/race`;
figures are those of all that are finished.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks._stages import At, Stage, Work
from worksmith.tools.errors import InputError, WorksmithError
from worksmith.tools.seeding import digest, digest_bytes

DESCRIPTION = "ours and DSPy's optimizers at equal calls, where simulated models reward one thing each"

CALLS, SEEDS = 600, 20
"""Requests that an optimizer may make, those for proposals included; the seeds of each surface and arm."""

_QUICK_CALLS = 60
_PROCESSES = 2

_SHOWN = 4
"""Demonstrations in a prompt; DSPy's own number."""

RACE = "race"

ARMS: Mapping[str, Mapping[str, Any]] = {
    RACE: {"optimizer": "race", "candidates": 8},
    "bootstrap": {"optimizer": "bootstrap", "accept": "best", "candidates": 8},
    "nearest": {"optimizer": "knn", "accept": "best"},
    "dspy:BootstrapFewShot": {"optimizer": "dspy:BootstrapFewShot"},
    "dspy:RandomSearch": {"optimizer": "dspy:BootstrapFewShotWithRandomSearch", "candidates": 8},
    "dspy:KNNFewShot": {"optimizer": "dspy:KNNFewShot", "accept": "best"},
    "dspy:MIPROv2": {"optimizer": "dspy:MIPROv2", "candidates": 8},
    "dspy:SIMBA": {"optimizer": "benchmarks.surfaces.simba:ShortSIMBA", "candidates": 2},
    "dspy:GEPA": {"optimizer": "dspy:GEPA", "candidates": 8},
}
"""Settings of each optimizer, chosen so that it makes use of the calls."""


def run(
    quick: bool, *, work: Path | None = None, only: str | None = None, arms: str | None = None
) -> dict[str, Any]:
    """Measure the cells that are left; give the figures.

    Args:
        quick: one surface, two arms, one seed, few calls.
        work: the folder of the cells; None for a temporary one.
        only: a text in the names of the cells to measure.
        arms: names from `ARMS`, with commas between; None for all.
    """
    chosen = (RACE, "nearest") if quick else list(ARMS) if arms is None else arms.split(",")
    if unknown := set(chosen).difference(ARMS):
        raise InputError(f"there is no {min(unknown)!r}", where="--arms", hint=f"there are {', '.join(ARMS)}")
    stages = list(_stages(chosen, quick))
    started = time.perf_counter()
    with ExitStack() as stack:
        place = work or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        study = Work(place, stages)
        left = [study.stages[name] for name in study.chosen(only) if study.result(name) is None]
        _measure(place, left)
        cells = [found for name in study.stages if (found := study.result(name))]
    return {
        "calls": _QUICK_CALLS if quick else CALLS,
        "surfaces": figures(cells),
        "seconds": round(time.perf_counter() - started, 1),
    }


def _stages(arms: Iterable[str], quick: bool) -> Iterable[Stage]:
    from benchmarks.surfaces.worlds import SURFACES

    here = Path(__file__).parent
    model = _content([here / "models.py", here / "worlds.py"])
    ours = _content(sorted((here.parents[1] / "optimizers").rglob("*.py")))
    for surface in ["instruction"] if quick else SURFACES:
        for arm in arms:
            for seed in range(1 if quick else SEEDS):
                settings = {
                    "surface": surface,
                    "arm": arm,
                    "seed": seed,
                    "calls": _QUICK_CALLS if quick else CALLS,
                    "options": ARMS[arm],
                    "model": model,
                    "code": "" if ":" in arm else ours,
                }
                yield Stage(f"{surface}/{arm.replace(':', '-')}/{seed:02}", measured, settings)


def _content(files: Iterable[Path]) -> str:
    return digest([digest_bytes(file.read_bytes()) for file in files])


def _measure(place: Path, stages: Sequence[Stage]) -> None:
    """Measure cells in processes of their own, or in this one if it is few."""
    if len(stages) <= _PROCESSES:
        for stage in stages:
            _do(place, stage)
        return
    with ProcessPoolExecutor(_PROCESSES, get_context("spawn")) as pool:
        running = [pool.submit(_do, place, stage) for stage in stages]
        for number, done in enumerate(as_completed(running), start=1):
            done.result()
            if number % 50 == 0:
                print(f"{number} of {len(stages)} cells", file=sys.stderr)


def _do(place: Path, stage: Stage) -> None:
    Work(place, [stage]).do(stage.name)


def measured(at: At) -> dict[str, Any]:
    """The true mean of the program that an optimizer returns; without one, that of the program as it is."""
    from benchmarks.surfaces.models import Proposer, Student, simulated
    from benchmarks.surfaces.worlds import SURFACES, cases
    from worksmith.evals.dspy_programs.digests import program_digest
    from worksmith.optimizers.cost.budget import Budget
    from worksmith.optimizers.registry import optimizer_class

    of, seed = at.settings, at.settings["seed"]
    surface, known = SURFACES[of["surface"]], cases(seed)
    program, (train, dev, fresh), metric = surface.world(known)
    student = Student.of(surface, known, seed, program, train[0])
    lm, budget = simulated(student), Budget(calls=of["calls"])
    options = {"demos": _SHOWN, "seed": seed, "budget": budget, "lm": lm, "teacher": lm, "workers": 1}
    chosen = dict(of["options"])
    made_by = optimizer_class(chosen.pop("optimizer"))
    if made_by.proposes:
        options["proposer"] = simulated(Proposer(seed))
    if metric is not None:
        options |= {"metric": metric, "intent": "intent"}
    started, failed, found = time.perf_counter(), "", program
    with warnings.catch_warnings(action="ignore"):
        try:
            found = made_by(**options, **chosen).compile(program, trainset=train, valset=dev)
        except WorksmithError as error:
            failed = str(error).partition("\n")[0]
    return {
        "surface": of["surface"],
        "arm": of["arm"],
        "seed": seed,
        "mean": student.true_mean(found, fresh),
        "as_it_is": student.true_mean(program, fresh),
        "changed": program_digest(found) != program_digest(program),
        "calls": budget.spent.calls,
        "seconds": round(time.perf_counter() - started, 1),
        "failed": failed,
        "digest": "",
    }


def figures(cells: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """By surface and arm: true mean, changed programs and calls; and whether the race is behind the best."""
    by: dict[str, dict[str, dict[int, Mapping[str, Any]]]] = {}
    for cell in cells:
        by.setdefault(cell["surface"], {}).setdefault(cell["arm"], {})[cell["seed"]] = cell
    return {surface: _figures(arms) for surface, arms in by.items()}


def _figures(arms: Mapping[str, Mapping[int, Mapping[str, Any]]]) -> dict[str, Any]:
    from worksmith.evals.records.summary import interval_json
    from worksmith.evals.statistics import mean, paired_difference, wilson

    means = {arm: {seed: [cell["mean"]] for seed, cell in cells.items()} for arm, cells in arms.items()}
    estimates = {arm: mean(of_seeds) for arm, of_seeds in means.items()}
    best = max(estimates, key=lambda arm: estimates[arm].value)
    found: dict[str, Any] = {}
    for arm, cells in arms.items():
        every = list(cells.values())
        found[arm] = {
            "mean": interval_json(estimates[arm]),
            "behind_best": interval_json(paired_difference(means[arm], means[best])),
            "changed": interval_json(wilson(sum(cell["changed"] for cell in every), len(every))),
            "calls": round(sum(cell["calls"] for cell in every) / len(every)),
            "seconds": round(sum(cell["seconds"] for cell in every) / len(every), 1),
            "failed": sum(bool(cell["failed"]) for cell in every),
        }
    first = next(iter(arms.values()))
    as_it_is = mean({seed: [cell["as_it_is"]] for seed, cell in first.items()})
    return {"as_it_is": round(as_it_is.value, 4), "best": best, "verdict": _verdict(found, best), "arms": found}


def _verdict(arms: Mapping[str, Mapping[str, Any]], best: str) -> str:
    if RACE not in arms:
        return "the race was not measured"
    if best == RACE:
        return "the race is the best"
    lead = arms[RACE]["behind_best"]
    told = f"{best}: {100 * lead['value']:+.1f} [{100 * lead['low']:+.1f}, {100 * lead['high']:+.1f}] points"
    return f"the race is {'worse than' if lead['high'] < 0 else 'not shown to be worse than'} {told}"
