"""Recorded runs of WorkBench, read step by step for replay."""

from __future__ import annotations

import ast
import csv
import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evals.scoring.actions import UnreadableActionError, parse_action
from evals.scoring.predictions import Prediction, read_predictions
from evals.tasks.transcript import Transcript, TranscriptStep
from retrievers.strict_json import open_text
from tools.errors import InputError

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
        InputError: if the table is damaged, or its name does not say which tools the agent had.
    """
    mode = _MODE.search(path.name)
    if mode is None:
        raise InputError(
            "the name does not say which tools the agent had",
            where=str(path),
            hint="the original names its files MODEL_all_DATE.csv or MODEL_domains_DATE.csv",
        )
    supplied: Mode = "all" if mode[1] == "all" else "domains"
    predictions = read_predictions(path)
    responses = _responses(path)
    return [_transcript(p, r, supplied) for p, r in zip(predictions, responses, strict=True)]


def _responses(path: Path) -> list[str]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    with open_text(path) as file:
        return [row.get("full_response") or "" for row in csv.DictReader(file)]


def _transcript(prediction: Prediction, response: str, mode: Mode) -> RecordedRun:
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
