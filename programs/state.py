"""Agents on disk: one JSON file with how the agent is built, its state, and where it comes from.

The file holds neither a model nor a workshop. Demonstrations are kept whole, with whatever fields say where
they come from and what they quote.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import dspy
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from programs.agent import Agent
from programs.strategies import Strategy, Toolkits
from tools.errors import InputError
from tools.files import write_atomically
from tools.seeding import digest
from tools.workshop import Workshop

_STRATEGY = TypeAdapter(Strategy)


class _Config(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    strategy: dict[str, Any]
    toolset: Toolkits
    max_steps: int


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["worksmith-agent/1"] = "worksmith-agent/1"
    digest: str
    config: _Config
    state: dict[str, Any]
    manifest: dict[str, Any]


def save(program: Agent, path: Path | str, manifest: Mapping[str, Any] | None = None) -> None:
    """Write `program` to the file `path`.

    Args:
        manifest: JSON-able notes on where the program comes from; `load_manifest` gives them back.

    Raises:
        InputError: the program takes demonstrations from outside, which this file cannot hold.
    """
    if program.demo_source is not None:
        raise InputError(
            "the agent takes its demonstrations from a bank", hint="save it as a compiled program instead"
        )
    config, state = program.config, json.loads(json.dumps(program.portable_state()))
    file = _File(
        digest=digest([config, state]),
        config=_Config.model_validate(config),
        state=state,
        manifest=dict(manifest or {}),
    )
    text = json.dumps(file.model_dump(mode="json"), indent=1, ensure_ascii=False)
    write_atomically(Path(path), text.encode() + b"\n")


def load(path: Path | str, workshop: Workshop | None = None) -> Agent:
    """The agent in the file `path`, working in `workshop`.

    Raises:
        InputError: the file is missing, damaged, changed by hand, or of another program.
    """
    file = _read(Path(path))
    try:
        strategy = _STRATEGY.validate_python(file.config.strategy)
        agent = Agent(
            strategy, toolset=file.config.toolset, max_steps=file.config.max_steps, workshop=workshop
        )
        agent.load_state(file.state)
    except (ValidationError, KeyError, TypeError, ValueError) as error:
        raise InputError("not the state of this agent", where=str(path), hint=str(error)) from error
    for predict in agent.predictors():
        predict.demos = [dspy.Example(**demo) for demo in predict.demos]
    return agent


def load_manifest(path: Path | str) -> dict[str, Any]:
    """The manifest that an agent was saved with.

    Raises:
        InputError: as `load`.
    """
    return _read(Path(path)).manifest


def _read(path: Path) -> _File:
    try:
        file = _File.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError("cannot read the agent", where=str(path), hint=str(error)) from error
    except ValidationError as error:
        raise InputError("not a saved agent", where=str(path), hint=str(error)) from error
    if digest([file.config.model_dump(mode="json"), file.state]) != file.digest:
        raise InputError(
            "the agent differs from its digest", where=str(path), hint="it was edited or damaged"
        )
    return file
