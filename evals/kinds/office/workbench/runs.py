"""The recorded runs of the published benchmark. Their calls are made again, for observations to read."""

from __future__ import annotations

import ast
import csv
import math
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from worksmith.evals.failure_modes.diagnosis import diagnose
from worksmith.evals.kinds.office.workbench.flags import MISTAKES
from worksmith.evals.records.record import PRIMARY, Digests, EpisodeRecord, WorkUnit
from worksmith.evals.records.recording import change_entries, record_episode
from worksmith.evals.records.run_card import LoadedRun, RunCard, versions
from worksmith.evals.running.score_tables import ScoredRow, domain_of, score_tables
from worksmith.evals.scoring.actions import UnreadableActionError, parse_action
from worksmith.evals.scoring.outcomes import GroundTruth, OutcomeScorer
from worksmith.evals.scoring.result_tables import TableRow, ended_by, read_table
from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import task_kind
from worksmith.evals.tasks.transcript import Transcript, TranscriptStep
from worksmith.retrievers.strict_json import open_text
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.errors import InputError

Mode = Literal["all", "domains"]

_MODE = re.compile(r"_(all|domains)_\d{4}-\d\d-\d\d")
_ACTION = re.compile(r"\bAction:|```")


@dataclass(frozen=True)
class RecordedRun(Transcript):
    """A recorded run; its last message is empty if the transcript is lost.

    Attributes:
        mode: whether it was given all tools or those of the task's domains.
        domain: of the task table that it belongs to.
    """

    mode: Mode = "all"
    domain: str = ""


def read_results(path: Path) -> list[RecordedRun]:
    """The runs recorded in one result table.

    Where the transcript of a run is unusable, its steps come from its list of calls, without thoughts.

    Raises:
        InputError: if the table is damaged, or its name lacks the tools of the agent.
    """
    mode = _MODE.search(path.name)
    if mode is None:
        raise InputError(
            "the name does not say which tools the agent had",
            where=str(path),
            hint="the original names its files MODEL_all_DATE.csv or MODEL_domains_DATE.csv",
        )
    supplied: Mode = "all" if mode[1] == "all" else "domains"
    rows = read_table(path)
    responses = _responses(path)
    return [_transcript(p, r, supplied) for p, r in zip(rows, responses, strict=True)]


def _responses(path: Path) -> list[str]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    with open_text(path) as file:
        return [row.get("full_response") or "" for row in csv.DictReader(file)]


def _transcript(prediction: TableRow, response: str, mode: Mode) -> RecordedRun:
    try:
        steps, final = _read_response(response)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        steps, final = _steps_of_calls(prediction.actions), ""
    return RecordedRun(
        query=prediction.query,
        steps=steps,
        final=final,
        error=prediction.error or None,
        mode=mode,
        domain=prediction.folder,
    )


def _read_response(text: str) -> tuple[tuple[TranscriptStep, ...], str]:
    response = _value(ast.parse(text.strip(), mode="eval").body)
    if not isinstance(response, dict) or not isinstance(response.get("intermediate_steps"), list):
        raise ValueError("not a transcript")
    steps = []
    for entry in response["intermediate_steps"]:
        if not (isinstance(entry, tuple) and entry and isinstance(entry[0], TranscriptStep)):
            raise ValueError("not a step")
        steps.append(entry[0])
    return tuple(steps), str(response.get("output", ""))


def _value(node: ast.expr) -> Any:
    """The value of a literal, of `nan`, or of one of the objects that a transcript may hold."""
    match node:
        case ast.Constant():
            return node.value
        case ast.List():
            return [_value(item) for item in node.elts]
        case ast.Tuple():
            return tuple(_value(item) for item in node.elts)
        case ast.Dict():
            return {
                _value(key): _value(value)
                for key, value in zip(node.keys, node.values, strict=True)
                if key is not None
            }
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.Name(id="nan"):
            return math.nan
        case ast.Name(id="object"):
            return "object"
        case ast.Call(func=ast.Name(id=name)):
            return _object(name, [_value(a) for a in node.args], _named(node))
    raise ValueError(f"not a literal: {ast.dump(node)[:80]}")


def _named(node: ast.Call) -> dict[str, Any]:
    return {keyword.arg: _value(keyword.value) for keyword in node.keywords if keyword.arg is not None}


def _object(name: str, positional: list[Any], named: dict[str, Any]) -> Any:
    if name in ("array", "Timestamp") and positional:
        return positional[0]
    if name in ("AgentAction", "AgentActionMessageLog"):
        given = named.get("tool_input")
        arguments = given if isinstance(given, dict) else str(given)
        return TranscriptStep(str(named.get("tool", "")), arguments, _thought(str(named.get("log", ""))))
    raise ValueError(f"no such object: {name}")


def _thought(log: str) -> str:
    """What stands before the call in the model's reply, without its label."""
    return _ACTION.split(log, maxsplit=1)[0].strip().removeprefix("Thought:").strip()


def _steps_of_calls(actions: tuple[str, ...]) -> tuple[TranscriptStep, ...]:
    steps = []
    for action in actions:
        try:
            tool, arguments = parse_action(action)
        except UnreadableActionError:
            continue
        steps.append(TranscriptStep(tool, dict(arguments), ""))
    return tuple(steps)


TOOLS = {"all": "all tools", "domains": "required tools"}
"""The tools of a run, by its file's name."""


def recorded_runs(
    suite: Suite, paths: Iterable[Path], *, ground_truth: GroundTruth = "published"
) -> list[LoadedRun]:
    """The runs in result files, in the order of their names.

    Verdicts are those of `worksmith.evals.running.score_tables.score_tables`. A row whose run died counts as
    a wrong answer, as it does there; the cause of its end is its error.

    Raises:
        InputError: a file cannot be read, or is about other tasks.
    """
    rows: dict[str, list[ScoredRow]] = defaultdict(list)
    for row in score_tables(suite, paths, ground_truth=ground_truth).rows:
        rows[row.run].append(row)
    replay = _Replay(suite, ground_truth)
    return [replay.run(name, rows[name], place) for place, name in enumerate(sorted(rows))]


class _Replay:
    """Makes the calls of recorded runs again."""

    def __init__(self, suite: Suite, ground_truth: GroundTruth) -> None:
        self._suite = suite
        self._ground_truth = ground_truth
        self._outcomes = OutcomeScorer(suite.env, ground_truth)
        self._transcripts = cache(read_results)

    def run(self, name: str, rows: Sequence[ScoredRow], place: int) -> LoadedRun:
        model, _, supplied = name.rpartition(" ")
        tools = TOOLS.get(supplied, supplied)
        card = RunCard(
            label=f"{model}, {tools}",
            command="report",
            suite=str(self._suite.path),
            suite_digest=self._suite.digest,
            kind=self._suite.manifest.kind,
            split="all",
            lm=model,
            strategy="react",
            place=place,
            settings={"toolset": tools, "ground_truth": self._ground_truth},
            versions=versions(),
        )
        files = ", ".join(sorted({row.prediction.file for row in rows}))
        return LoadedRun(card, tuple(self._record(row, name) for row in rows), files)

    def _record(self, row: ScoredRow, run: str) -> EpisodeRecord:
        task, died = row.task, row.status == "error"
        digests = Digests(
            program=run, task=task.digest, world=self._suite.env.digest, model=row.prediction.file
        )
        unit = WorkUnit(task_id=task.id, strategy="react", seed=0, trial=0, digests=digests)
        episode = self._episode(row)
        flags = {name: float(row.flags[name]) for name in MISTAKES.faults}
        scores = {
            PRIMARY: float(row.correct),
            "unwanted_side_effects": float(row.flags["unwanted_side_effects"]),
            "exact_match": float(row.flags["exact_match"]),
            "no_action": float(row.flags["no_actions"]),
            **flags,
        }
        known = {"domains": (domain_of(task),), "expected_actions": row.actions_expected}
        labels = task_kind("office").labels(task)
        record = record_episode(unit, task, episode, scores=scores, labels=labels).model_copy(update=known)
        if row.correct:
            return record
        expected = change_entries(self._outcomes.nearest(task, episode.outcome).beside(episode.outcome))
        fault = diagnose(task, record, None if died else episode, writing=self._outcomes.writing_tools)
        return record.model_copy(update={"expected_changes": expected, "fault": fault})

    def _episode(self, row: ScoredRow) -> EpisodeResult:
        transcript: RecordedRun = self._transcripts(Path(row.prediction.file))[row.prediction.row - 1]
        task = row.task
        episode = self._suite.env.episode(persona=task.persona, now=task.now)
        for step in transcript.steps:
            episode.call(step.tool, step.arguments)
        return EpisodeResult(
            status=ended_by(row.prediction.error) if row.status == "error" else "finished",
            error=row.prediction.error or None,
            outcome=episode.outcome(),
            calls=episode.calls,
            thoughts=[step.thought for step in transcript.steps],
            answer=transcript.final,
        )
