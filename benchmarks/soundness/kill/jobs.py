"""The compiles and evaluations that are killed: their commands, and what they leave in their folders."""

from __future__ import annotations

import json
import os
import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from worksmith.evals.records.logs.log import read_log
from worksmith.tools.seeding import digest

WORKERS = 8
WHOLE = "whole-"
"""Begins the name of the folder of a job that nobody disturbs."""

_MODEL = ("--lm", "openai/paid", "--workers", str(WORKERS), "--no-track", "--resume", "--json")

_TASKS, _TRIALS = 8, 2
"""The numbers of tasks of an evaluation, and of episodes of each."""


@dataclass(frozen=True)
class Job(ABC):
    """A command that can be killed and resumed. It works in a folder of its own."""

    name: str

    @abstractmethod
    def command(self, suite: Path) -> tuple[str, ...]: ...

    @abstractmethod
    def result(self, folder: Path) -> str:
        """A digest of what has to be the same after kills."""

    @abstractmethod
    def replied(self, folder: Path) -> Counter[str]:
        """The ids of the replies that are kept; a torn line is none."""

    def ended(self, folder: Path) -> bool:
        """Whether it came to its end and has thrown its replies away."""
        return False

    @abstractmethod
    def paid(self, folder: Path) -> int:
        """The requests that the result counts as paid."""

    @abstractmethod
    def repeated_episodes(self, folder: Path) -> int:
        """How many episodes are in their logs more often than once."""


@dataclass(frozen=True)
class Compile(Job):
    """A compile by the optimizer of its name, on so many tasks."""

    train: int = 16
    dev: int = 20

    def command(self, suite: Path) -> tuple[str, ...]:
        tasks = ("--train-limit", str(self.train), "--dev-limit", str(self.dev))
        limits = (*tasks, "--candidates", "2", "--demos", "8")
        return ("compile", str(suite), "--out", "program.json", "--optimizer", self.name, *limits, *_MODEL)

    def result(self, folder: Path) -> str:
        return str(json.loads((folder / "program.json").read_text())["digest"])

    def replied(self, folder: Path) -> Counter[str]:
        return _ids(folder / "program.json.journal" / "replies.jsonl")

    def paid(self, folder: Path) -> int:
        return int(json.loads((folder / "program.json").read_text())["measured"]["paid_requests"])

    def repeated_episodes(self, folder: Path) -> int:
        return _repeated((folder / "program.json.journal").glob("*/*.jsonl"))


class Evaluation(Job):
    """An evaluation of a compiled program, with two trials: equal requests come up in different episodes."""

    def command(self, suite: Path) -> tuple[str, ...]:
        program = f"../{WHOLE}dspy-BootstrapFewShotWithRandomSearch/program.json"
        of = ("--program", program, "--limit", str(_TASKS), "--trials", str(_TRIALS))
        return ("eval", str(suite), "--log", "log.jsonl", *of, *_MODEL)

    def result(self, folder: Path) -> str:
        records = {record.key: record.without_times() for record in read_log(folder / "log.jsonl")}
        return digest(sorted(records.items()))

    def replied(self, folder: Path) -> Counter[str]:
        return _ids(folder / "log.jsonl.replies")

    def ended(self, folder: Path) -> bool:
        log = folder / "log.jsonl"
        keys = {record.key for record in read_log(log)} if log.exists() else ()
        return len(keys) == _TASKS * _TRIALS and not (folder / "log.jsonl.replies").exists()

    def paid(self, folder: Path) -> int:
        records = {record.key: record for record in read_log(folder / "log.jsonl")}
        return sum(record.paid_requests for record in records.values())

    def repeated_episodes(self, folder: Path) -> int:
        return _repeated([folder / "log.jsonl"])


COMPILES = (
    Compile("bootstrap"),
    Compile("race"),
    Compile("dspy:BootstrapFewShotWithRandomSearch"),
    Compile("knn"),
    Compile("dspy:BootstrapFewShot"),
)
EVAL: Job = Evaluation("eval")


def work(command: tuple[str, ...], environment: dict[str, str], folder: Path, said: Path) -> None:
    """Run one command in a folder, as a process of its own."""
    import dspy

    from worksmith.cli import main

    os.environ.update(environment)
    os.chdir(folder)
    # A reply that DSPy keeps for all processes would be no paid call.
    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=False)
    with said.open("w") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
        sys.argv = ["worksmith", *command]
        main()


def _ids(replies: Path) -> Counter[str]:
    whole = replies.read_bytes().rpartition(b"\n")[0].splitlines() if replies.exists() else []
    entries = [json.loads(line) for line in whole]
    return Counter(entry["reply"].get("id", "") for entry in entries if "reply" in entry)


def _repeated(logs: Iterable[Path]) -> int:
    repeated = 0
    for log in logs:
        keys = [entry["key"] for entry in map(json.loads, log.read_text().splitlines()) if "key" in entry]
        repeated += len(keys) - len(set(keys))
    return repeated
