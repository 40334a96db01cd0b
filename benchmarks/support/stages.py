"""Stages of a study that takes hours: each is kept with the digest of its inputs, and done once."""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.seeding import digest

_BEGUN, _RESULT = "begun.json", "result.json"


@dataclass(frozen=True)
class Stage:
    """A part of the study.

    Attributes:
        name: also of its folder; `/` stands between parts.
        job: what it does; the name decides the digest of the inputs.
        settings: of the job, as JSON-able data.
        needs: the names of the stages whose results it takes.
        amount: of work: tokens to train on, or episodes.
        pace: the name under which stages share their speed.
        each: seconds for one unit of work, until a stage of the same pace was measured.
    """

    name: str
    job: Callable[[At], dict[str, Any]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    needs: Sequence[str] = ()
    amount: float = 1
    pace: str = ""
    each: float = 0.0


@dataclass(frozen=True)
class At:
    """The place and the inputs of a stage.

    Attributes:
        folder: for its files. Files of a run that was killed are there.
        results: of the stages that it needs, by name.
        folders: theirs.
    """

    folder: Path
    settings: Mapping[str, Any]
    results: Mapping[str, Mapping[str, Any]]
    folders: Mapping[str, Path]


class Work:
    """The stages of a study and the folder with what was done.

    Args:
        folder: may be that of an earlier run, also of one that was killed.
    """

    def __init__(self, folder: Path, stages: Iterable[Stage]) -> None:
        self._folder = folder.resolve()
        self.stages = {stage.name: stage for stage in stages}

    @classmethod
    @contextmanager
    def within(cls, folder: Path | None, stages: Iterable[Stage]) -> Iterator[Work]:
        """The stages in a folder, by default in a temporary one."""
        with ExitStack() as stack:
            yield cls(folder or Path(stack.enter_context(tempfile.TemporaryDirectory())), stages)

    def folder(self, name: str) -> Path:
        return self._folder / name.replace("/", "-")

    def result(self, name: str) -> dict[str, Any] | None:
        """What a stage gave; None if it is not done, or was done with other inputs."""
        inputs = self.inputs(name)
        return None if inputs is None else _read(self.folder(name) / _RESULT, inputs)

    def inputs(self, name: str) -> str | None:
        """The digest of the inputs of a stage; None if a stage that it needs is not done."""
        stage = self.stages[name]
        found = [self.result(need) for need in stage.needs]
        if any(each is None for each in found):
            return None
        return digest([stage.job.__name__, stage.settings, [each["digest"] for each in found if each]])

    def minutes(self, name: str) -> float:
        """How long a stage is expected to take, by the speed of stages that are done."""
        stage = self.stages[name]
        same = [each for each in self.stages.values() if stage.pace and each.pace == stage.pace]
        known = [result["each"] for each in same if (result := self.result(each.name)) and "each" in result]
        return stage.amount * (statistics.median(known) if known else stage.each) / 60

    def do(self, name: str) -> dict[str, Any]:
        """Do a stage whose needs are done, unless it is done itself; goes on where a killed run ended."""
        if (known := self.result(name)) is not None:
            return known
        stage, folder, inputs = self.stages[name], self.folder(name), self.inputs(name)
        if inputs is None:
            raise RuntimeError(f"{name} needs stages that are not done")
        if _read(folder / _BEGUN, inputs) is None:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            _write(folder / _BEGUN, {"inputs": inputs})
        results = {need: self.result(need) or {} for need in stage.needs}
        places = {need: self.folder(need) for need in stage.needs}
        started = time.perf_counter()
        result = stage.job(At(folder, stage.settings, results, places))
        result = {"inputs": inputs, "wall_seconds": round(time.perf_counter() - started, 1), **result}
        _write(folder / _RESULT, result)
        return result

    def chosen(self, only: str | None) -> list[str]:
        """The stages in order; with `only` those with this text in their names, and all that they need."""
        wanted = {name for name in self.stages if only is None or only in name}
        for name in reversed(self.stages):
            if name in wanted:
                wanted.update(self.stages[name].needs)
        return [name for name in self.stages if name in wanted]

    def left(self, only: str | None = None) -> Iterator[str]:
        """The stages that are not done, in order, each with a word on how long it is expected to take."""
        for name in self.chosen(only):
            if self.result(name) is None:
                print(f"{name}: about {self.minutes(name):.1f} minutes", file=sys.stderr)
                yield name

    def alone(self, name: str) -> Work:
        """A stage that needs no other, to be done in another process."""
        return Work(self._folder, [self.stages[name]])

    def results(self) -> dict[str, dict[str, Any]]:
        """What the stages gave that are done."""
        return {name: found for name in self.stages if (found := self.result(name)) is not None}

    def plan(self, only: str | None) -> list[dict[str, Any]]:
        """The stages with their amount of work, the minutes that are expected, and whether they are done."""
        return [
            {
                "stage": name,
                "amount": self.stages[name].amount,
                "minutes": round(self.minutes(name), 1),
                "done": self.result(name) is not None,
            }
            for name in self.chosen(only)
        ]


def finished(folder: Path) -> list[dict[str, Any]]:
    """What all stages gave that are done in a folder, whatever their inputs."""
    return [json.loads(file.read_text()) for file in sorted(folder.glob(f"*/{_RESULT}"))]


def _read(file: Path, inputs: str) -> dict[str, Any] | None:
    if not file.is_file():
        return None
    found: dict[str, Any] = json.loads(file.read_text())
    return found if found["inputs"] == inputs else None


def _write(file: Path, value: Mapping[str, Any]) -> None:
    write_atomically(file, json.dumps(value).encode())
