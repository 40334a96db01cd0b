"""The jobs of the study's stages: worksmith's own commands, called from Python.

Each gives the digest of its result, and `each`, the seconds for one unit of its work.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks._stages import At
from worksmith.cli.terminal import Terminal
from worksmith.evals.building import import_suite
from worksmith.evals.lm.named import ANALOGY, SMOLLM2
from worksmith.evals.records.groups import by_task, intents_of
from worksmith.evals.records.record import STRICT, EpisodeRecord
from worksmith.evals.records.summary import Summary, interval_json
from worksmith.tools.seeding import digest

WORKERS = 8
"""Episodes at once: on a CPU a model generates for so many at once."""

SIDE_EFFECTS = "unwanted_side_effects"

_SUITE, _MODEL, _BASE = "suite", "model", "base"


def published(at: At) -> dict[str, Any]:
    """Import the published tasks, as a suite of its own in the place of a seed."""
    suite = import_suite("workbench", Path(at.settings["source"]), at.folder / "published")
    return {"digest": suite.digest, "tasks": len(suite.tasks)}


def base(at: At) -> dict[str, Any]:
    """Name the model that training begins from; a tiny one with random weights is made here."""
    from worksmith.models.transformer.bases import base_model

    if at.settings[_MODEL] == SMOLLM2:
        return {"digest": base_model(SMOLLM2)[1].digest, "model": SMOLLM2, "lm": SMOLLM2}
    from tests.worksmith.training.tiny import write_tiny_model
    from worksmith.models.transformer.manifest import TrainedModel, file_digests, write_manifest

    plain, ours = (write_tiny_model(at.folder / name, window=4_096) for name in (_BASE, _MODEL))
    _, found = base_model(str(plain))
    files = file_digests(ours)
    write_manifest(
        ours,
        TrainedModel(weights="whole", base=found, files=files, context_window=4_096, licence="CC0-1.0"),
    )
    return {"digest": found.digest, "model": str(plain), "lm": f"local/{ours}"}


def sft_data(at: At) -> dict[str, Any]:
    """Export gold trajectories of generated suites."""
    from worksmith.exports.training import sft

    return _exported(at, sft, [str(place) for place in _sources(at)])


def dpo_data(at: At) -> dict[str, Any]:
    """Export pairs of gold trajectories and failed ones."""
    from worksmith.exports.training import dpo

    logs = sorted(at.folders[at.settings["samples"]].glob("*.jsonl"))
    return _exported(at, dpo, [str(place) for place in (*_sources(at), *logs)])


def _exported(at: At, export: Any, sources: Sequence[str]) -> dict[str, Any]:
    made = export(
        sources,
        out=at.folder / "data.jsonl",
        exclude=tuple(place for need in at.settings["exclude"] for place in _made(at.folders[need])),
        leave_out=True,
        scheme=at.settings["scheme"],
        limit_per_intent=at.settings.get("per_intent"),
        workers=WORKERS,
        force=True,
    )
    (file,) = made.card.files
    return {
        "digest": file.sha256,
        "rows": file.rows,
        "intents": len(file.intents),
        "suites": len(made.card.suites),
        "held_back_left_out": made.card.held_back.same + made.card.held_back.near,
        "faults": made.card.faults,
    }


def samples(at: At) -> dict[str, Any]:
    """Have a model do train tasks of generated suites, and keep the logs."""
    records: list[EpisodeRecord] = []
    for number, place in enumerate(_sources(at)):
        records += _evaluated(at, place, at.folder / f"{number}.jsonl", split="train").records
    failed = sum(record.scores.get("outcome", 0) < 1 for record in records)
    keys = digest([record.key for record in records])
    return {"digest": keys, "episodes": len(records), "failed": failed, "each": _each(records)}


def trained(at: At) -> dict[str, Any]:
    """Train a model by `worksmith train`; goes on at the last checkpoint of a run that was killed."""
    from worksmith.jobs.settings.training import DpoSettings, SftSettings
    from worksmith.models.transformer.manifest import read_manifest
    from worksmith.training.folder import UNFINISHED
    from worksmith.training.job import train

    out = at.folder / _MODEL
    unfinished = (out / UNFINISHED).is_file()
    kind = DpoSettings if at.settings["method"] == "dpo" else SftSettings
    settings = kind(
        model=_start(at),
        data=at.folders[at.settings["data"]] / "data.jsonl",
        out=out,
        track=False,
        resume=unfinished,
        force=not unfinished,
        **at.settings["train"],
    )
    done = train(settings, progress=Terminal())
    facts = done.facts()
    kept = ("tune", "examples", "left_out", "tokens", "taught_tokens", "steps", "loss", "precision")
    speed = done.tokens_per_second
    return {
        "digest": read_manifest(out).digest,
        "lm": f"local/{out}",
        "model": str(out),
        **{name: facts[name] for name in (*kept, "megabytes", "tokens_per_second")},
        "minutes": round(done.trained_tokens / speed / 60, 1) if speed else None,
        **({"each": 1 / speed} if speed else {}),
    }


def compiled(at: At) -> dict[str, Any]:
    """Compile demonstrations for the base model: those nearest to each task."""
    from worksmith.jobs.compilation import compile
    from worksmith.jobs.settings.programs import CompileSettings

    (place,) = _sources(at)
    out = at.folder / "program.json"
    compile(
        CompileSettings(
            suite=place,
            out=out,
            optimizer="knn",
            strategy="act",
            lm=_lm(at),
            accept="best",
            dev_limit=1,
            workers=WORKERS,
            track=False,
            force=True,
            scheme=at.settings["scheme"],
            **at.settings["program"],
        )
    )
    return {"digest": json.loads(out.read_text())["digest"]}


def cell(at: At) -> dict[str, Any]:
    """Measure a program with a model on test tasks."""
    (place,) = _made(at.folders[at.settings["test"]])
    result = _evaluated(at, place, at.folder / "log.jsonl", split=None)
    return {"digest": digest([r.key for r in result.records]), "cells": [_figures(at, "", result)]}


def floors(at: At) -> dict[str, Any]:
    """Measure `local/analogy`, uncompiled and compiled, and the baselines without a model."""
    from worksmith.evals.tracking import Tracker
    from worksmith.jobs.compare_plan import plan_comparison
    from worksmith.jobs.settings.programs import CompareSettings

    (place,), (train,) = _made(at.folders[at.settings["test"]]), _made(at.folders[at.settings["learns"]])
    settings = CompareSettings(
        suite=place,
        train_suite=train,
        lm=(ANALOGY,),
        workers=WORKERS,
        track=False,
        strategies=("react",),
        **at.settings["compare"],
    )
    plan = replace(plan_comparison(settings), logs=at.folder / "logs")
    with Tracker().start("weights") as nothing:
        study = plan.run(nothing)
    cells = [
        _figures(at, row.arm.label if row.arm.baseline else f"{ANALOGY}, {row.arm.optimizer}", row.result)
        for row in study.rows
    ]
    return {"digest": digest([r.key for row in study.rows for r in row.result.records]), "cells": cells}


def _sources(at: At) -> list[Path]:
    """The suites that the settings name: so many of each stage, after those that are passed over."""
    first = at.settings.get("from", 0)
    return [
        place
        for need, count in at.settings["suites"].items()
        for place in _made(at.folders[need])[first : first + count]
    ]


def _made(folder: Path) -> list[Path]:
    """The suites in the folder of a stage, by seed."""
    places = [place for place in folder.iterdir() if place.is_dir()]
    return sorted(places, key=lambda place: (len(place.name), place.name))


def _lm(at: At) -> str:
    options = at.settings.get("options", "")
    named = at.settings[_MODEL]
    lm = at.results[named]["lm"] if named in at.results else named
    return f"{lm} {options}".strip()


def _start(at: At) -> str:
    return str(at.results[at.settings[_MODEL]]["model"])


def _evaluated(at: At, place: Path, log: Path, *, split: str | None) -> Any:
    from worksmith.jobs.evaluation import evaluate
    from worksmith.jobs.settings.programs import EvalSettings

    program = at.settings.get("compiled")
    settings = EvalSettings(
        suite=place,
        split=split,
        scheme=at.settings["scheme"],
        lm=_lm(at),
        log=log,
        resume=log.exists(),
        workers=WORKERS,
        no_cache=True,
        track=False,
        **({"program": at.folders[program] / "program.json"} if program else {"strategy": "act"}),
        **at.settings["eval"],
    )
    return next(iter(evaluate(settings, progress=Terminal()).runs.values()))


def _figures(at: At, arm: str, result: Any) -> dict[str, Any]:
    summary: Summary = result.summary
    scores = summary.scores
    alike = intents_of(result.records) or {}
    values = {name: by_task(result.records, name) for name in (STRICT, SIDE_EFFECTS)}
    return {
        "arm": arm or at.settings["arm"],
        "tasks": summary.tasks,
        "lost": summary.errors,
        "score": interval_json(scores[STRICT]) if STRICT in scores else None,
        "side_effects": interval_json(scores[SIDE_EFFECTS]) if SIDE_EFFECTS in scores else None,
        "tokens_a_task": round(summary.means.get("used_tokens", 0)),
        "calls_a_task": round(summary.means.get("model_calls", 0), 1),
        "seconds_a_task": round(_each(result.records), 2),
        "endings": summary.statuses,
        "values": {name: {str(task): found for task, found in each.items()} for name, each in values.items()},
        "intents": {str(task): list(found) for task, found in alike.items() if isinstance(found, tuple)},
        "each": _each(result.records),
    }


def _each(records: Iterable[EpisodeRecord]) -> float:
    """Seconds an episode takes of the machine: its duration, in which others run as well."""
    seconds = [record.seconds for record in records]
    return sum(seconds) / len(seconds) / min(WORKERS, len(seconds)) if seconds else 0.0
