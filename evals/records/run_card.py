"""The card of a run: program, suite, model and settings; and the files beside its log.

A card lies beside its log: `react.card.json` beside `react.jsonl`. It is written before the first episode,
so that a stopped run can be read. A log without a card gets one that is inferred from its records.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from worksmith.evals.lm.named import is_own
from worksmith.evals.records.compile_facts import CompileFacts
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.records.shard import Shard
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.json_files import read_model

CARD, JUDGEMENTS, RATINGS = ".card.json", ".judgements.jsonl", ".ratings.jsonl"
"""Endings of the files beside a log `NAME.jsonl`: `NAME.card.json` and so on."""

REPLIES = ".replies"
"""Added to the name of a log: the file of the replies to its unfinished episodes."""

INDEX = ".index"
"""Added to the name of a log: the file of its index."""

CARD_ARTIFACT = "episodes/card.json"
"""The path of a card among the artifacts of a run in MLflow."""


TASK = "TASK"
"""Stands for a task's id in the words of a command."""


_SAMPLING = re.compile(r"(temperature|top_p|max_tokens|seed|reasoning_effort)=")
"""A setting after the name of a model that a command may repeat."""


class RunCard(BaseModel):
    """The card of a run.

    Attributes:
        label: the name in tables.
        command: e.g. `eval`, or the whole command as far as its options can change the result.
        date: when the run began, to the minute; for people.
        suite: the path as the user gave it.
        access: what people should know of the access rules, e.g. that no policy is set.
        lm: the model's name as the user gave it.
        program: digest.
        artifact: the name of the program for `--program`, for people: a card may come from a stranger,
            so nothing opens this file. Empty for an agent that was not compiled.
        reopens: whether a command can open the program; one that was made in Python it cannot.
        compiled: the candidates of its compile.
        baseline, without: see `worksmith.evals.running.study.StudyArm`.
        place: of the run in its comparison, from 0; the first is the reference.
        scorers: digest of the scorers; a log's episodes of other scorers are left out.
        shard: the part of a run that this one is; None for a whole run.
        settings: all other settings.
        versions: of Python and the packages that results depend on.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str
    command: str = ""
    date: str = ""
    suite: str = ""
    suite_digest: str = ""
    kind: str = ""
    access: str = ""
    split: str = ""
    lm: str = ""
    strategy: str = ""
    optimizer: str = "none"
    program: str = ""
    artifact: str = ""
    reopens: bool = True
    compiled: CompileFacts | None = None
    baseline: bool = False
    without: str = ""
    place: int = 0
    seed: int = 0
    trials: int = 1
    scorers: str = ""
    shard: Shard | None = None
    settings: dict[str, Any] = {}
    versions: dict[str, str] = {}

    @property
    def rerun(self) -> tuple[str, ...]:
        """The words of the command that runs a task again and shows its prompts, with `TASK` for its id.

        Empty if the run names no suite, its program was not worksmith's or had tools removed, or the model is
        code of a user or has settings other than of sampling.
        """
        known = self.suite and self.lm and self.strategy and self.reopens
        # A card may come from a stranger: who pastes the command would run code, or send a key to an address.
        planner = str(self.settings.get("planner_lm") or "")
        harmless = all(map(_SAMPLING.match, [*self.lm.split()[1:], *planner.split()[1:]]))
        harmless &= not (is_own(self.lm) or is_own(planner))
        if not known or self.baseline or self.without or not harmless:
            return ()
        program = ("--program", self.artifact) if self.artifact else ("--strategy", self.strategy)
        tools: tuple[object, ...] = ()
        if not self.artifact and "toolset" in self.settings:
            tools = ("--toolset", self.settings["toolset"])
        described, prompt = self.settings.get("strategy"), self.settings.get("prompt")
        usual = described.get("prompt") if isinstance(described, dict) else None
        if not self.artifact and prompt not in (None, usual):
            tools += ("--prompt", prompt)
        return (
            "worksmith",
            "run",
            self.suite,
            TASK,
            "--lm",
            self.lm,
            *program,
            *(("--planner-lm", planner) if planner else ()),
            *map(str, tools),
            "--prompts",
        )


@dataclass(frozen=True)
class LoadedRun:
    """A run with its episodes; `path` is the log, or the address of the run in MLflow."""

    card: RunCard
    records: Sequence[EpisodeRecord]
    path: str


def beside(log: Path, ending: str) -> Path:
    """The file beside a log with the ending `CARD`, `JUDGEMENTS` or `RATINGS`."""
    return log.with_name(log.name.removesuffix(".jsonl") + ending)


def replies_beside(log: Path) -> Path:
    """The file of model replies beside a log, see `worksmith.evals.lm.replies.episodes`."""
    return log.with_name(log.name + REPLIES)


def index_beside(log: Path) -> Path:
    """The file of the index of a long log, see `worksmith.evals.records.logs.log_index`."""
    return log.with_name(log.name + INDEX)


def write_card(log: Path, card: RunCard) -> None:
    write_atomically(beside(log, CARD), card.model_dump_json(indent=1).encode() + b"\n")


def make_room(log: Path) -> Path | None:
    """Remove `log`, for a new run; a log with verdicts or ratings is moved with them.

    The replies to its unfinished episodes are removed too.

    Returns:
        The moved log, in a folder `earlier-N` beside the old place; None if it was removed.
    """
    sidecars = [file for ending in (JUDGEMENTS, RATINGS) if (file := beside(log, ending)).exists()]
    index_beside(log).unlink(missing_ok=True)
    if not log.exists() or not sidecars:
        log.unlink(missing_ok=True)
        replies_beside(log).unlink(missing_ok=True)
        return None
    folder = next(place for n in count(1) if not (place := log.parent / f"earlier-{n}" / log.stem).exists())
    folder.mkdir(parents=True)
    for file in (beside(log, CARD), *sidecars, replies_beside(log), log):
        if file.exists():
            file.rename(folder / file.name)
    return folder / log.name


def versions() -> dict[str, str]:
    """The versions of Python and the packages that results depend on."""
    return {"python": platform.python_version(), **package_versions("worksmith", "dspy")}


def package_versions(*packages: str) -> dict[str, str]:
    found = {}
    for package in packages:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def inferred_card(label: str, records: Sequence[EpisodeRecord], **known: Any) -> RunCard:
    """A card from records and other `known` fields."""
    said: dict[str, Any] = {"label": label}
    if records:
        first = records[0]
        splits = {record.split for record in records}
        said |= {
            "split": first.split if len(splits) == 1 else "all",
            "strategy": first.strategy,
            "program": first.digests.program,
            "seed": first.seed,
            "trials": 1 + max(record.trial for record in records),
        }
    return RunCard(**{**said, **known})


def read_card(file: Path) -> RunCard:
    """The card of a run.

    Raises:
        InputError: the file cannot be read, or is not a card.
    """
    return read_model(file, RunCard, "the card of a run", hint="delete it, and the log speaks for itself")
