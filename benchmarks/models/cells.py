"""A cell: an arm compiled for a model on a suite under a limit of calls, then tested, also under attack."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.support.stages import At
from worksmith.evals.records.attacks import READ
from worksmith.evals.records.record import ASR, LEAK, PRIMARY
from worksmith.tools.errors import WorksmithError

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord

CALLS = 150
"""Requests to the model that an optimizer may make; the teacher follows gold plans and asks none."""

DEV = 12
"""The most dev tasks, spread evenly over the intents."""

_AGENT: Mapping[str, Any] = {"strategy": "act", "max_steps": 10}

_AT_ONCE = 16
"""Episodes in flight; a model on a GPU answers so many at once."""

_INSTRUCTING = ("dspy:MIPROv2", "dspy:GEPA", "dspy:SIMBA")

_PROPOSING = (*_INSTRUCTING, "race-proposer")
"""Arms that have the model itself propose texts."""

_OVER = ("demonstrations", "instructions", "form")

ARMS: Mapping[str, Mapping[str, Any]] = {
    "uncompiled": {},
    "bootstrap": {
        "optimizer": "bootstrap",
        "selection": "covering",
        "candidates": 1,
        "accept": "best",
    },
    "knn": {"optimizer": "knn", "accept": "best"},
    "race": {"optimizer": "race"},
    "race-all": {"optimizer": "race", "over": _OVER, "accept": "best"},
    "race-proposer": {"optimizer": "race", "over": (*_OVER, "tools"), "accept": "best"},
    **{
        name: {"optimizer": name}
        for name in ("dspy:BootstrapFewShot", "dspy:BootstrapFewShotWithRandomSearch", *_INSTRUCTING)
    },
}
"""Settings of `worksmith compile` by arm. DSPy's optimizers take their winner without a test, so ours do too,
but for `race`. `race-all` and `race-proposer` change whole programs, with written hints and with texts of a
proposer."""


def measured(at: At) -> dict[str, Any]:
    """Compile and test; goes on where a killed run ended."""
    of = at.settings
    (place,) = at.folders.values()
    cell = _told(at)
    if of["options"]:
        try:
            cell |= _compiled(at, place / "suite")
        except WorksmithError as error:
            return {**cell, "failed": str(error).partition("\n")[0].strip(), "digest": ""}
    cell |= _tested(at, place / "suite", _program(at))
    seconds = cell["test_seconds"] + cell.get("compile_seconds", 0.0)
    each = seconds / max(1, cell["test_calls"] + cell.get("calls", 0))
    return {**cell, "each": each, "digest": ""}


def attacked(at: At) -> dict[str, Any]:
    """Test a compiled arm with an instruction planted into what each task reads."""
    suite, compiled = at.folders.values()
    cell = {**_told(at), "attack": True}
    if any("failed" in result for result in at.results.values()):
        return {**cell, "failed": "there is no program", "digest": ""}
    return {**cell, **_tested(at, suite / "suite", compiled / _program(at).name, attack=True), "digest": ""}


def _told(at: At) -> dict[str, Any]:
    told = {name: at.settings[name] for name in ("suite", "lm", "arm", "seed", "model", "quick")}
    suite_digest = next(iter(at.results.values()))["digest"]
    return {**told, "suite_digest": suite_digest, "machine": _machine()}


def _machine() -> str:
    """The GPU or the processor on which models run, as a row's seconds need it."""
    import torch

    cores = f"{os.cpu_count()} cores"
    return f"{torch.cuda.get_device_name()}, {cores}" if torch.cuda.is_available() else cores


def _program(at: At) -> Path:
    return at.folder / "program.json"


def _compiled(at: At, suite: Path) -> dict[str, Any]:
    """The facts of a compile."""
    from worksmith.jobs.compiling.compilation import compile
    from worksmith.jobs.settings.compiling import CompileSettings

    of = at.settings
    more = {"proposer": of["lm"]} if of["arm"] in _PROPOSING else {}
    done = compile(
        CompileSettings(
            suite=suite,
            out=_program(at),
            lm=of["lm"],
            teacher="gold",
            demos=of["demos"],
            dev_limit=of["dev"],
            max_calls=of["calls"],
            seed=of["seed"],
            workers=_AT_ONCE,
            no_cache=True,
            resume=True,
            track=False,
            **_AGENT,
            **of["options"],
            **more,
        )
    )
    facts = done.artifact
    return {
        "chosen": facts.manifest.chosen,
        "demonstrations": len(facts.manifest.demonstrations),
        "stopped": facts.manifest.stopped,
        "calls": int(facts.measured["paid_requests"]),
        "compile_seconds": round(facts.measured["seconds"], 1),
    }


def _tested(at: At, suite: Path, compiled: Path, *, attack: bool = False) -> dict[str, Any]:
    """The figures of the test tasks."""
    from worksmith.jobs.evaluation import evaluate
    from worksmith.jobs.settings.programs import EvaluateSettings

    of = at.settings
    program = {"program": str(compiled)} if of["options"] else _AGENT
    done = evaluate(
        EvaluateSettings(
            suite=suite,
            lm=of["lm"],
            split="test",
            limit=of["test"],
            seed=of["seed"],
            log=at.folder / "log.jsonl",
            workers=_AT_ONCE,
            no_cache=True,
            resume=True,
            track=False,
            attack=attack,
            **program,
        )
    )
    records, totals = done.records, done.summary.totals
    return {
        "tasks": {record.task_id: _outcome(record) for record in records},
        "closed_intents": any(record.labels.closed_intents for record in records),
        "lost": sum(not record.graded for record in records),
        "leaks": _count(records, LEAK),
        "side_effects": _count(records, "unwanted_side_effects"),
        **({"followed": {each.task_id: _outcome(each, ASR) for each in records}} if attack else {}),
        **({"read": _count(records, READ)} if attack else {}),
        "statuses": done.summary.statuses,
        "test_calls": sum(record.model_calls for record in records),
        "prompt_tokens": totals.get("prompt_tokens", 0),
        "completion_tokens": totals.get("completion_tokens", 0),
        "test_seconds": round(sum(result.seconds for result in done.runs.values()), 1),
    }


def _outcome(record: EpisodeRecord, score: str = PRIMARY) -> list[Any]:
    """The intent, and a score, which is 0 for a lost episode."""
    return [record.intent, record.scores.get(score, 0.0)]


def _count(records: Iterable[EpisodeRecord], score: str) -> list[int]:
    """The number of episodes with such a failure, and of those that could have it."""
    found = [record.scores[score] > 0 for record in records if score in record.scores]
    return [sum(found), len(found)]
