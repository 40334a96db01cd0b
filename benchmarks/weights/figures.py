"""The figures of a study from the results of its stages."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.weights.forms import ENTERPRISE, OFFICE, UNSEEN, WORKBENCH, Form, skipped
from benchmarks.weights.jobs import SIDE_EFFECTS
from benchmarks.weights.stages import Work
from evals.lm.named import ANALOGY
from evals.records.record import STRICT
from evals.records.run_card import package_versions
from evals.records.summary import interval_json
from evals.reporting.published import published_tables
from evals.statistics import paired_difference

Cell = dict[str, Any]

_TRAINED = (
    *("tune", "examples", "tokens", "taught_tokens", "steps", "loss", "precision"),
    *("tokens_per_second", "minutes", "megabytes"),
)
_DATA = ("rows", "intents", "suites", "held_back_left_out", "faults")


def report(work: Work, form: Form, seconds: float) -> dict[str, Any]:
    """All figures that there are.

    Cells have the score, the share of tasks with unwanted side effects, and their differences to
    `local/analogy` (the better of its compiled programs) and to the model before DPO, paired by task.
    """
    cells = _cells(work)
    return {
        "form": form.name,
        "model": form.model,
        "hardware": hardware(),
        "training": [*_training(work)],
        "cells": [_shown(cell, cells) for cell in cells],
        "published": published(),
        "goals": goals(cells),
        "not_measured": [name for name in work.stages if work.result(name) is None],
        "skipped": skipped(form),
        "seconds": round(seconds, 1),
    }


def hardware() -> dict[str, Any]:
    """The machine, and the versions of what computes on it."""
    import torch

    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": names[0] if names else platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "replies": "float32",
        **package_versions("torch", "transformers", "trl", "peft"),
    }


def published() -> list[dict[str, Any]]:
    """Published figures, in percent, with their sources."""
    by_tools, by_domain, _ = published_tables(OFFICE)
    counts, wrong = (dict(by_domain.rows)[row] for row in ("tasks", "side effects"))
    side_effects = sum(n * share for n, share in zip(counts, wrong, strict=True)) / sum(counts)
    rows = [
        {
            "test": WORKBENCH,
            "row": f"{model}, {row}",
            "score": by_tools.figure(row, model),
            "side_effects": round(side_effects, 1) if (model, row) == ("GPT-4", "all tools") else None,
            "source": f"{by_tools.paper}, table {by_tools.number}",
        }
        for row in ("all tools", "required tools")
        for model in by_tools.columns
    ]
    (planners,) = (table for table in published_tables(ENTERPRISE) if table.number == 4)
    rows += [
        {
            "test": "EnterpriseBench, judged",
            "row": name,
            "score": 100 * values[0],
            "side_effects": None,
            "source": f"{planners.paper}, table {planners.number}",
        }
        for name, values in planners.rows
    ]
    return rows


def _training(work: Work) -> Iterator[dict[str, Any]]:
    for name, stage in work.stages.items():
        result = work.result(name)
        if result is None or "method" not in stage.settings:
            continue
        data = work.result(stage.settings["data"]) or {}
        kept = {key: result[key] for key in _TRAINED}
        yield {"model": name, "method": stage.settings["method"], **kept, **{key: data[key] for key in _DATA}}


def _cells(work: Work) -> list[Cell]:
    found = []
    for name, stage in work.stages.items():
        for cell in (work.result(name) or {}).get("cells", ()):
            _, test, *_ = name.split("/")
            found.append({"test": test, "model": stage.settings.get("model", ""), **cell})
    return found


def _shown(cell: Cell, cells: Sequence[Cell]) -> Cell:
    shown = {key: value for key, value in cell.items() if key not in ("values", "intents", "each")}
    against = {"local/analogy": analogy(cell["test"], cells), "before DPO": _before(cell, cells)}
    differences = {
        name: {score: interval_json(paired_difference(*_pair(cell, other, score))) for score in _scores(cell)}
        for name, other in against.items()
        if other is not None and other is not cell
    }
    return shown | {"differences": differences}


def _scores(cell: Cell) -> list[str]:
    return [score for score in (STRICT, SIDE_EFFECTS) if cell["values"][score]]


def _pair(cell: Cell, other: Cell, score: str) -> tuple[Any, Any, Any]:
    ours, theirs = cell["values"][score], other["values"][score]
    known = {**other["intents"], **cell["intents"]}
    groups = {task: tuple(known[task]) for task in ours if task in known}
    return ours, theirs, groups if groups.keys() >= ours.keys() else None


def analogy(test: str, cells: Sequence[Cell]) -> Cell | None:
    """The better of the compiled programs of `local/analogy` on a test."""
    found = [
        cell
        for cell in cells
        if cell["test"] == test and cell["arm"].startswith(ANALOGY) and not cell["arm"].endswith("none")
    ]
    return max(found, key=_value, default=None)


def _before(cell: Cell, cells: Sequence[Cell]) -> Cell | None:
    if not cell["model"].startswith("dpo/"):
        return None
    start = cell["model"].replace("dpo/", "sft/", 1)
    return next((each for each in cells if (each["test"], each["model"]) == (cell["test"], start)), None)


def _value(cell: Cell, score: str = "score") -> float:
    found: Mapping[str, Any] | None = cell[score]
    return -math.inf if found is None or found["value"] is None else float(found["value"])


def goals(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """The goals of the study, and whether the measured cells reach them; null where they are missing."""
    trained = [cell for cell in cells if cell["model"].startswith(("sft/", "dpo/"))]
    real = [cell for cell in trained if cell["test"] == WORKBENCH]
    best = max(real, key=_value, default=None)
    unseen = next((cell for cell in trained if cell["test"] == UNSEEN), None)
    rule = analogy(UNSEEN, cells)
    pairs = [(cell, before) for cell in trained if (before := _before(cell, cells)) is not None]
    return [
        {
            "goal": "at least 60 % of WorkBench's real tasks with at most 12 % side effects",
            "reached": None if best is None else _value(best) >= 0.6 and _value(best, "side_effects") <= 0.12,
        },
        {
            "goal": "better than local/analogy on held-out intents",
            "reached": None
            if unseen is None or rule is None
            else (paired_difference(*_pair(unseen, rule, STRICT))).low > 0,
        },
        {
            "goal": "DPO halves the side effects of SFT at no loss of score",
            "reached": all(_halved(cell, before) for cell, before in pairs) if pairs else None,
        },
    ]


def _halved(cell: Cell, before: Cell) -> bool:
    less = _value(cell, "side_effects") <= _value(before, "side_effects") / 2
    return less and paired_difference(*_pair(cell, before, STRICT)).value >= 0
