"""The figures of a study from the results of its stages."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks._stages import Work
from benchmarks.weights.forms import (
    HELD_OUT,
    OFFICE,
    UNSEEN,
    WHOLE,
    WORKBENCH,
    Form,
    skipped,
)
from benchmarks.weights.jobs import SIDE_EFFECTS
from benchmarks.weights.wordings import worded_alike
from worksmith.evals.lm.named import ANALOGY
from worksmith.evals.records.record import STRICT
from worksmith.evals.records.run_card import package_versions
from worksmith.evals.records.summary import interval_json
from worksmith.evals.reporting.published import published_tables
from worksmith.evals.statistics import paired_difference

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
    cells, training = _cells(work), [*_training(work)]
    return {
        "form": form.name,
        "model": form.model,
        "hardware": hardware(),
        "training": training,
        "worded_alike": [*worded_alike(work, form)],
        "cells": [_shown(cell, cells) for cell in cells],
        "published": published(),
        "goals": goals(cells) if form is WHOLE else [],
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
    (planners,) = (table for table in published_tables("enterprise") if table.number == 4)
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
    return max(found, key=_rank, default=None)


def _before(cell: Cell, cells: Sequence[Cell]) -> Cell | None:
    if not cell["model"].startswith("dpo/"):
        return None
    start = cell["model"].replace("dpo/", "sft/", 1)
    return next((each for each in cells if (each["test"], each["model"]) == (cell["test"], start)), None)


def _rank(cell: Cell) -> float:
    score = _value(cell, "score")
    return -math.inf if score is None else score


def _value(cell: Cell, score: str) -> float | None:
    found: Mapping[str, Any] | None = cell[score]
    return None if found is None else found["value"]


def goals(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """The goals of the study, and whether they are reached; null where a measurement is missing.

    The program that a goal is about is fixed, not the best of those measured.
    """
    by_place = {(cell["test"], cell["model"]): cell for cell in cells}
    preferred = next((model for _, model in by_place if model.startswith("dpo/")), None)
    real = None if preferred is None else by_place.get((WORKBENCH, preferred))
    before = None if real is None else _before(real, cells)
    return [
        {
            "goal": "at least 60 % of WorkBench's tasks with at most 12 % side effects, after SFT and DPO",
            "reached": None if real is None else _good(real),
        },
        {
            "goal": "better than local/analogy on held-out intents",
            "reached": _beats_analogy(by_place.get((UNSEEN, HELD_OUT)), cells),
        },
        {
            "goal": "DPO halves the side effects of SFT on WorkBench at no loss of score",
            "reached": None if real is None or before is None else _halved(real, before),
        },
        {
            "goal": "better than local/analogy in the office, as a default model has to be in all worlds",
            "reached": None
            if preferred is None
            else _beats_analogy(by_place.get((OFFICE, preferred)), cells),
        },
    ]


def _beats_analogy(cell: Cell | None, cells: Sequence[Cell]) -> bool | None:
    """Whether the interval of the difference lies above zero."""
    rule = analogy(cell["test"], cells) if cell is not None else None
    if cell is None or rule is None:
        return None
    return paired_difference(*_pair(cell, rule, STRICT)).low > 0


def _good(cell: Cell) -> bool | None:
    score, side_effects = _value(cell, "score"), _value(cell, "side_effects")
    return None if score is None or side_effects is None else score >= 0.6 and side_effects <= 0.12


def _halved(cell: Cell, before: Cell) -> bool | None:
    now, then = _value(cell, "side_effects"), _value(before, "side_effects")
    if now is None or then is None:
        return None
    return now <= then / 2 and paired_difference(*_pair(cell, before, STRICT)).value >= 0
