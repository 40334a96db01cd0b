"""The tables of `docs/results.md`, made from the finished cells."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.models.cells import ARMS, CALLS
from benchmarks.models.suites import SUITES
from benchmarks.support.page import PAGE, between
from worksmith.evals.records.groups import intent_or_task, telling
from worksmith.evals.records.summary import interval_json
from worksmith.evals.statistics import Interval, mean, paired_difference
from worksmith.evals.table import NO_DATA, Grid, number, percent, points
from worksmith.tools.files.atomic import write_atomically

_CELLS = Path(__file__).with_name("cells.jsonl")

Cell = Mapping[str, Any]

_UNCOMPILED = "uncompiled"
_SAME = ("suite", "suite_digest", "lm", "seed", "attack", "prompts")
"""What a cell has in common with that of the uncompiled program. The digest of a model is not among it: it
names the processor as well, and a note of the table names the machines."""

_OLD = "tools last"
"""The `prompts` of cells of commit b3862d69, before the tools stood in the system message."""

_OWN = "own"
"""The name of the three projects over own data together."""


def written(work: Path | None) -> dict[str, Any]:
    """Take over the finished cells below a folder, and write the page."""
    known = {_place(cell): cell for cell in finished()}
    found = [] if work is None else [json.loads(file.read_text()) for file in work.glob("*/result.json")]
    known |= {_place(cell): _kept(cell) for cell in found if "arm" in cell and not cell["quick"]}
    cells = sorted(known.values(), key=_place)
    write_atomically(_CELLS, "".join(f"{json.dumps(cell)}\n" for cell in cells).encode())
    write_atomically(PAGE, with_tables(PAGE.read_text(), cells).encode())
    return {"cells": len(cells)}


def finished() -> list[Cell]:
    """The cells that are kept."""
    return [json.loads(line) for line in _CELLS.read_text().splitlines()] if _CELLS.exists() else []


def with_tables(page: str, cells: Sequence[Cell]) -> str:
    """A page with the tables of cells between its marks."""
    plain = [cell for cell in cells if "attack" not in cell]
    tables = "\n".join(grid.markdown() for grid in _grids(plain))
    under_attack = between(page, "attacks", _attacks(cells).markdown())
    return between(under_attack, "cells", f"{tables}\n{_missing(plain)}")


def figures(cells: Sequence[Cell]) -> dict[str, Any]:
    """The figures of cells as JSON-able data, by suite and arm."""
    found: dict[str, Any] = {}
    for cell in cells:
        shown = {name: value for name, value in cell.items() if name not in (*_HIDDEN, "suite", "arm")}
        arm = f"{cell['arm']}{' under attack' if 'attack' in cell else ''}"
        found.setdefault(cell["suite"], {})[arm] = {**shown, **_scores(cell, cells)}
    return {"suites": found}


_OF_FOLDERS = ("inputs", "digest", "wall_seconds", "quick")
_HIDDEN = (*_OF_FOLDERS, "tasks", "followed", "each", "closed_intents", "lm", "model")


def _scores(cell: Cell, cells: Sequence[Cell]) -> dict[str, Any]:
    if "failed" in cell:
        return {}
    before = _before(cell, cells)
    gain = {} if before is None else {"difference": interval_json(_difference(cell, before))}
    return {"outcome": interval_json(_outcome(cell)), **gain}


def _kept(cell: Cell) -> Cell:
    """A cell without what only its folder needs."""
    return {name: value for name, value in cell.items() if name not in _OF_FOLDERS}


def _place(cell: Cell) -> tuple[Any, ...]:
    arms, suites = list(ARMS), list(SUITES)
    return (
        cell["lm"],
        suites.index(cell["suite"]),
        arms.index(cell["arm"]),
        cell["seed"],
        "attack" in cell,
        "prompts" in cell,
    )


def _grids(cells: Sequence[Cell]) -> Iterator[Grid]:
    for lm, seed, prompts in dict.fromkeys(map(_setting, cells)):
        own = [cell for cell in cells if _setting(cell) == (lm, seed, prompts)]
        model = f"`{lm}`{', tools after the demonstrations' if prompts == _OLD else ''}"
        if len({cell["suite"] for cell in own if SUITES[cell["suite"]].own}) > 1:
            yield _pooled(model, own)
        for suite in SUITES:
            rows = [cell for cell in own if cell["suite"] == suite]
            if rows:
                yield _grid(f"{SUITES[suite].title}: {model}", rows, _command(lm, suite, seed, rows))


def _setting(cell: Cell) -> tuple[str, int, str]:
    return cell["lm"], cell["seed"], cell.get("prompts", "")


def _attacks(cells: Sequence[Cell]) -> Grid:
    return Grid.of(
        "Instructions that others planted",
        [cell for cell in cells if "attack" in cell and "failed" not in cell],
        ("model", lambda row: f"`{row['lm']}`"),
        ("suite", lambda row: row["suite"]),
        ("arm", lambda row: row["arm"]),
        ("n", lambda row: str(len(row["tasks"]))),
        ("followed (asr)", lambda row: percent(_outcome({**row, "tasks": row["followed"]}))),
        ("read it", lambda row: _of(row["read"])),
        ("outcome under attack", _shown),
        ("leaks", lambda row: _of(row["leaks"])),
        notes=("Each row: the command above with `--lm MODEL --suite SUITE --arms ARM --attack`",),
    )


def _command(lm: str, suite: str, seed: int, rows: Sequence[Cell]) -> str:
    asked = f"--lm {shlex.quote(lm)} --suite {suite} --seed {seed} --arms ARM"
    tested = max(len(row.get("tasks", ())) for row in rows)
    fewer = f" --limit {tested}" if 0 < tested < SUITES[suite].test else ""
    before = "after `git checkout b3862d69`, " if rows[0].get("prompts") == _OLD else ""
    return f"Each row: {before}`python -m benchmarks models --work DIR {asked}{fewer}`"


def _grid(title: str, rows: Sequence[Cell], command: str) -> Grid:
    machines = sorted({row["machine"] for row in rows if "machine" in row})
    notes = (
        *(f"{row['arm']} gave no program: {row['failed']}" for row in rows if "failed" in row),
        *(
            f"{row['arm']}: lost episodes, which count as wrong: {row['lost']}"
            for row in rows
            if row.get("lost")
        ),
        *([f"Seconds beside other cells on: {'; '.join(machines)}"] if machines else []),
        command,
    )
    return Grid.of(
        title,
        rows,
        ("arm", lambda row: row["arm"]),
        ("n", lambda row: str(len(row.get("tasks", ())) or NO_DATA)),
        ("intents", lambda row: str(_intents(row) or NO_DATA)),
        ("before", lambda row: _shown(_before(row, rows))),
        ("after", lambda row: NO_DATA if row["arm"] == _UNCOMPILED else _shown(row)),
        ("difference", lambda row: _gain(row, rows)),
        ("leaks", lambda row: _of(row.get("leaks"))),
        ("side effects", lambda row: _of(row.get("side_effects"))),
        ("calls to compile", lambda row: _calls(row)),
        ("tokens a task: prompt / reply", _tokens),
        ("seconds: compile / test", _seconds),
        notes=notes,
    )


def _pooled(model: str, cells: Sequence[Cell]) -> Grid:
    """The arms that are finished in all projects over own data."""
    suites = [name for name in SUITES if any(c["suite"] == name and SUITES[name].own for c in cells)]
    rows: list[Cell] = []
    for arm in ARMS:
        found = [cell for cell in cells if cell["arm"] == arm and cell["suite"] in suites and "tasks" in cell]
        if len(found) == len(suites):
            tasks = {
                f"{cell['suite']}/{task}": [f"{cell['suite']}/{intent}", score]
                for cell in found
                for task, (intent, score) in cell["tasks"].items()
            }
            rows.append({"arm": arm, "suite": _OWN, "tasks": tasks})
    best = max((row for row in rows if row["arm"].startswith("dspy:")), key=_mean, default=None)
    return Grid.of(
        f"Projects over own data together ({', '.join(suites)}): {model}",
        rows,
        ("arm", lambda row: row["arm"]),
        ("n", lambda row: str(len(row["tasks"]))),
        ("intents", lambda row: str(_intents(row))),
        ("score", _shown),
        ("difference to uncompiled", lambda row: _gain(row, rows)),
        (
            "difference to DSPy's best",
            lambda row: NO_DATA if best in (None, row) else points(_difference(row, best)),
        ),
    )


def _before(cell: Cell, cells: Iterable[Cell]) -> Cell | None:
    """The uncompiled program with the same model on the same suite."""
    bare = (each for each in cells if each["arm"] == _UNCOMPILED)
    return next((each for each in bare if all(each.get(of) == cell.get(of) for of in _SAME)), None)


def _gain(row: Cell, rows: Sequence[Cell]) -> str:
    before = _before(row, rows)
    if before is None or row["arm"] == _UNCOMPILED or "tasks" not in row:
        return NO_DATA
    return points(_difference(row, before))


def _groups(cell: Cell) -> dict[Any, Any] | None:
    if cell.get("closed_intents"):
        return None
    return telling({task: intent_or_task(intent, task) for task, (intent, _) in cell["tasks"].items()})


def _intents(cell: Cell) -> int:
    return len({intent for intent, _ in cell.get("tasks", {}).values()})


def _by_task(cell: Cell) -> dict[Any, list[float]]:
    return {task: [score] for task, (_, score) in cell["tasks"].items()}


def _mean(cell: Cell) -> float:
    return fmean(score for _, score in cell["tasks"].values())


def _outcome(cell: Cell) -> Interval:
    return mean(_by_task(cell), groups=_groups(cell))


def _difference(cell: Cell, before: Cell) -> Interval:
    return paired_difference(_by_task(cell), _by_task(before), _groups(cell))


def _shown(cell: Cell | None) -> str:
    return NO_DATA if cell is None or "tasks" not in cell else percent(_outcome(cell))


def _of(count: Sequence[int] | None) -> str:
    return f"{count[0]} of {count[1]}" if count and count[1] else NO_DATA


def _calls(row: Cell) -> str:
    if "calls" not in row:
        return NO_DATA
    return f"{row['calls']:.0f}{', all spent' if row['stopped'] else ''}"


def _tokens(row: Cell) -> str:
    if "tasks" not in row:
        return NO_DATA
    prompt, reply = (row[name] / len(row["tasks"]) for name in ("prompt_tokens", "completion_tokens"))
    return f"{number(prompt, 0)} / {number(reply, 0)}"


def _seconds(row: Cell) -> str:
    if "tasks" not in row:
        return NO_DATA
    compiled = number(row["compile_seconds"], 0) if "compile_seconds" in row else NO_DATA
    return f"{compiled} / {number(row['test_seconds'], 0)}"


def _missing(cells: Sequence[Cell]) -> str:
    """What was not run yet, by model."""
    lines = []
    for lm in dict.fromkeys(cell["lm"] for cell in cells):
        done = {(cell["suite"], cell["arm"]) for cell in cells if cell["lm"] == lm and "prompts" not in cell}
        left = {suite: [arm for arm in ARMS if (suite, arm) not in done] for suite in SUITES}
        said = [
            f"{suite} ({'all arms' if len(arms) == len(ARMS) else ', '.join(arms)})"
            for suite, arms in left.items()
            if arms
        ]
        if said:
            lines.append(f"Not run yet with `{lm}`: {'; '.join(said)}.")
    return "\n\n".join(lines) or f"All cells were run, with {CALLS} calls each."
