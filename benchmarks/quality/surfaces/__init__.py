"""Optimizers beside each other where the best program is known: ours and DSPy's, at equal calls.

The student is simulated. Its chance of a right reply is a known function of the prompt, so the true mean of
a program is computed, without noise. A surface rewards one thing: an instruction, the nearest demonstration,
a tool's description, an instruction with demonstrations, a choice of demonstrations of which some harm,
nothing, or the texts of one predictor of three. A simulated proposer writes texts for all optimizers.

`--work DIR` keeps finished cells; those of our optimizers are measured again after a change of our code.
`--only TEXT` measures only cells with it in their names, such as `both/race`. Figures are of all in `DIR`.
`--page` takes the figures of `DIR` over into `figures.json`, and writes their table into `docs/results.md`.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.support.page import PAGE, between
from benchmarks.support.stages import At, Stage, Work, finished
from worksmith.evals.table import NO_DATA, Grid
from worksmith.tools.errors import WorksmithError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.seeding import digest, digest_bytes

DESCRIPTION = "worksmith's optimizers and DSPy's at equal calls, where simulated models reward one thing each"

CALLS, SEEDS = 600, 20
"""Requests that an optimizer may make, those for proposals included; seeds of each surface and arm."""

RACE = "race"

_FIGURES = Path(__file__).with_name("figures.json")

ARMS: Mapping[str, Mapping[str, Any]] = {
    RACE: {},
    "bootstrap": {"optimizer": "bootstrap", "accept": "best", "candidates": (8, 2, 1)},
    "nearest": {"optimizer": "knn", "accept": "best"},
    "dspy:BootstrapFewShot": {},
    "dspy:BootstrapFewShotWithRandomSearch": {"candidates": (8, 2, 1)},
    "dspy:KNNFewShot": {"accept": "best"},
    "dspy:MIPROv2": {"candidates": (8, 2, 1)},
    "dspy:SIMBA": {"candidates": 2, "batch": (20, 16, 5), "rounds": (3, 1, 1)},
    "dspy:GEPA": {"candidates": 8},
}
"""Settings, such that an optimizer makes use of the calls and ends before they are spent.

A tuple has those for programs of one, two and three calls an example.
"""


def run(
    quick: bool, *, work: Path | None = None, only: str | None = None, page: bool = False
) -> dict[str, Any]:
    """Measure the cells that are left (quick: one surface, two arms, 60 calls); give the figures.

    With `page`, measure none, and write the page.
    """
    if page and work:
        text = json.dumps(figures(finished(work)), indent=1, sort_keys=True)
        write_atomically(_FIGURES, f"{text}\n".encode())
    if page:
        write_atomically(PAGE, with_table(PAGE.read_text(), kept()).encode())
        return {"surfaces": kept()}
    with Work.within(work, _stages(quick)) as study:
        left = [name for name in study.chosen(only) if study.result(name) is None]
        if quick:
            for name in left:
                study.do(name)
        else:
            _all(study, left)
        return {"surfaces": figures(study.results().values())}


def _stages(quick: bool) -> Iterator[Stage]:
    from benchmarks.quality.surfaces.worlds import SURFACES

    here = Path(__file__).parent
    model = _content([here / "models.py", here / "worlds.py"])
    code = _content(sorted((here.parents[2] / "optimizers").rglob("*.py")))
    names, arms = (list(SURFACES)[:1], (RACE, "nearest")) if quick else (SURFACES, ARMS)
    # Seed by seed, so that the figures of a part of the cells are of all surfaces and arms.
    for seed, name, arm in product(range(1 if quick else SEEDS), names, arms):
        options = {
            key: given[SURFACES[name].calls - 1] if isinstance(given, tuple) else given
            for key, given in {"optimizer": arm, **ARMS[arm]}.items()
        }
        cell = {"surface": name, "arm": arm, "seed": seed, "calls": 60 if quick else CALLS}
        cell |= {"options": options, "model": model, "code": "" if ":" in arm else code}
        yield Stage(f"{name}/{arm.replace(':', '-')}/{seed:02}", measured, cell)


def _content(files: Iterable[Path]) -> str:
    return digest([digest_bytes(file.read_bytes()) for file in files])


def _all(study: Work, names: Sequence[str]) -> None:
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        running = [pool.submit(study.alone(name).do, name) for name in names]
        for number, done in enumerate(as_completed(running), start=1):
            done.result()
            if number % 50 == 0:
                print(f"{number} of {len(names)} cells", file=sys.stderr)


def measured(at: At) -> dict[str, Any]:
    """The true mean of the program that an optimizer returns; without one, that of the program as it is."""
    from benchmarks.quality.surfaces.models import Proposer, Student, simulated
    from benchmarks.quality.surfaces.worlds import SURFACES, cases
    from worksmith.evals.dspy_programs.digests import program_digest
    from worksmith.optimizers.cost.budget import Budget
    from worksmith.optimizers.registry import optimizer_class

    of, seed = at.settings, at.settings["seed"]
    surface, known = SURFACES[of["surface"]], cases(seed)
    program, (train, dev, fresh), metric = surface.world(known)
    student = Student(surface, known, seed)
    student.meet(program, train[0])
    lm, budget = simulated(student), Budget(calls=of["calls"])
    options = dict(of["options"])
    made_by = optimizer_class(options.pop("optimizer"))
    sizes = {name: options.pop(name) for name in ("batch", "rounds") if name in options}
    options |= {"demos": 4, "seed": seed, "budget": budget, "lm": lm, "teacher": lm, "workers": 1}
    options |= {"proposer": simulated(Proposer(seed))} if made_by.proposes or made_by.may_propose else {}
    options |= {"metric": metric, "intent": "intent"} if metric else {}
    started, failed, found = time.perf_counter(), "", program
    with warnings.catch_warnings(action="ignore"):
        optimizer = made_by(**options)
        for name, size in sizes.items():
            setattr(optimizer, name, size)
        try:
            found = optimizer.compile(program, trainset=train, valset=dev)
        except WorksmithError as error:
            failed = str(error).partition("\n")[0]
    return {
        **{name: of[name] for name in ("surface", "arm", "seed")},
        "mean": student.true_mean(found, fresh),
        "as_it_is": student.true_mean(program, fresh),
        "changed": program_digest(found) != program_digest(program),
        "calls": budget.spent.calls,
        "seconds": round(time.perf_counter() - started, 1),
        "failed": failed,
        "digest": "",
    }


def figures(cells: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """By surface and arm: true mean, changed programs and calls; and whether the race is behind the best."""
    by: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    for cell in cells:
        by.setdefault(cell["surface"], {}).setdefault(cell["arm"], []).append(cell)
    return {surface: _of_arms(arms) for surface, arms in by.items()}


def _of_arms(arms: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    from worksmith.evals.records.summary import interval_json
    from worksmith.evals.statistics import mean, paired_difference, wilson

    means = {arm: {cell["seed"]: [cell["mean"]] for cell in cells} for arm, cells in arms.items()}
    best = max(means, key=lambda arm: (mean(means[arm]).value, arm == RACE))
    found: dict[str, dict[str, Any]] = {}
    for arm, cells in arms.items():
        of_arm = means[arm]
        found[arm] = {
            "mean": interval_json(mean(of_arm)),
            "against_best": None if arm == best else interval_json(paired_difference(of_arm, means[best])),
            "changed": interval_json(wilson(sum(cell["changed"] for cell in cells), len(cells))),
            "seeds": len(cells),
            "calls": round(sum(cell["calls"] for cell in cells) / len(cells)),
            "seconds": round(sum(cell["seconds"] for cell in cells) / len(cells), 1),
            "failed": sum(bool(cell["failed"]) for cell in cells),
        }
    first = next(iter(arms.values()))
    as_it_is = sum(cell["as_it_is"] for cell in first) / len(first)
    return {"as_it_is": round(as_it_is, 4), "best": best, "verdict": _verdict(found, best), "arms": found}


def kept() -> dict[str, Any]:
    """The figures that are kept."""
    return dict(json.loads(_FIGURES.read_text()))


def with_table(page: str, surfaces: Mapping[str, Any]) -> str:
    """A page with the table of figures between its marks."""
    rows = sorted(surfaces.items())
    seeds = {each["seeds"] for _, found in rows for each in found["arms"].values()}
    shares = [(arm, lambda row, arm=arm: _mean(row[1]["arms"].get(arm))) for arm in ARMS]
    grid = Grid.of(
        f"Simulated models that reward one thing each: true mean of the program, {CALLS} calls",
        rows,
        ("surface", lambda row: row[0].replace("_", " ")),
        ("as it is", lambda row: f"{100 * row[1]['as_it_is']:.1f}"),
        *shares,
        ("verdict", lambda row: row[1]["verdict"]),
        notes=(
            f"Seeds of each: {min(seeds)}" + (f" to {max(seeds)}" if len(seeds) > 1 else ""),
            "Programs that the race changed on `nothing`: "
            + "{value:.0%} [{low:.0%}, {high:.0%}]".format(**surfaces["nothing"]["arms"][RACE]["changed"]),
            "`python -m benchmarks surfaces --work DIR`, then `--work DIR --page`",
        ),
    )
    return between(page, "surfaces", grid.markdown().rstrip())


def _mean(arm: Mapping[str, Any] | None) -> str:
    return NO_DATA if arm is None else f"{100 * arm['mean']['value']:.1f}"


def _verdict(arms: Mapping[str, Mapping[str, Any]], best: str) -> str:
    if best == RACE or RACE not in arms:
        return "the race is the best" if best == RACE else "the race was not measured"
    lead = arms[RACE]["against_best"]
    value, low, high = (100 * lead[name] for name in ("value", "low", "high"))
    said = "worse than" if high < 0 else "not shown to be worse than"
    return f"the race is {said} {best}: {value:+.1f} [{low:+.1f}, {high:+.1f}] points"
