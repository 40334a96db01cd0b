"""Compiles that are killed at random moments, and what came of them.

Every compile is a process of its own that runs `worksmith compile` on a small suite, with a model behind an
HTTP server that counts what it is asked. It gets SIGKILL at a moment drawn from the seed (by the clock, or
so many requests after its start), is started again with `--resume`, and so on until one attempt comes to its
end. The program is then compared with that of a compile nobody disturbed. Several kills may hit one compile.

`kills_while_asking` are those that hit a process which had already asked the model something.
`repeated_calls` are requests to which the journal held the reply when they were made (or that were made twice
by one process), `repeated_episodes` episodes that were logged as finished more than once. Requests that were
under way at a kill have no reply that anybody could know: they are made again, and are counted apart.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from benchmarks._paid import PaidModel, serving
from tools.seeding import rng

NAME = "kill"
DESCRIPTION = "compiles killed at random moments: identical results, repeated episodes, repeated paid calls"

OPTIMIZERS = ("bootstrap", "race", "dspy:BootstrapFewShotWithRandomSearch", "knn", "dspy:BootstrapFewShot")
LATENCY = 0.02
"""Seconds until the model has thought."""
WORKERS = 8
_BY_CLOCK = 0.3
"""The share of kills at any moment of an attempt, its beginning included; the others come while it asks."""
_A_COMPILE = 4
"""Kills that hit the same compile, at most."""

_LOADED = [
    *(
        "worksmith.cli.app",
        "worksmith.jobs.study",
        "worksmith.cli.programs.compile_report",
        "worksmith.models.analogy",
    ),
    *(
        "programs.agent",
        "programs.replaying.scripted",
        "evals.kinds.office.suites",
        "tools.kinds.office.kind",
    ),
    *(
        "litellm.main",
        "litellm.llms.openai.openai",
        "openai.resources.chat",
        "numpy",
        "httpcore",
        "h2.connection",
    ),
]
"""What each process finds imported, so that kills hit the compile and not the start of Python."""


@dataclass
class _Whole:
    """A compile that nobody disturbed: its program's digest, and what it took."""

    digest: str
    seconds: float
    calls: int


@dataclass
class _Compile:
    """One compile, over all processes that worked on it."""

    optimizer: str
    number: int
    folder: Path
    kills: int = 0
    repeated_calls: int = 0
    in_flight: int = 0
    while_asking: int = 0

    @property
    def file(self) -> Path:
        return self.folder / f"{self.number}.json"

    @property
    def journal(self) -> Path:
        return self.folder / f"{self.number}.json.journal"


@dataclass
class _Figures:
    kills: int = 0
    kills_while_asking: int = 0
    identical: int = 0
    repeated_episodes: int = 0
    repeated_calls: int = 0
    asked_again_in_flight: int = 0
    calls: int = 0
    compiles: int = 0
    kills_by_optimizer: Counter[str] = field(default_factory=Counter)


def run(quick: bool) -> dict[str, Any]:
    """Kill 100 times (quick: 5), in turn with each optimizer."""
    started, kills = time.perf_counter(), 5 if quick else 100
    optimizers, each = (OPTIMIZERS[1:3], 3) if quick else (OPTIMIZERS, _A_COMPILE)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_LOADED)
    found = _Figures()
    with tempfile.TemporaryDirectory() as place, serving(LATENCY) as model:
        killer = _Killer(context, Path(place), model)
        killer.build_suite()
        whole = {name: killer.undisturbed(name) for name in optimizers}
        while found.kills < kills:
            name = optimizers[found.compiles % len(optimizers)]
            compiled = killer.disturbed(whole[name], name, found.compiles, min(each, kills - found.kills))
            found.compiles += 1
            found.kills += compiled.kills
            found.kills_while_asking += compiled.while_asking
            found.kills_by_optimizer[name] += compiled.kills
            found.identical += compiled.kills if _digest(compiled.file) == whole[name].digest else 0
            found.repeated_calls += compiled.repeated_calls
            found.asked_again_in_flight += compiled.in_flight
            found.repeated_episodes += _repeated_episodes(compiled.journal)
        found.calls = len(model.asked)
    return {
        **vars(found),
        "kills_by_optimizer": dict(found.kills_by_optimizer),
        "workers": WORKERS,
        "seconds": round(time.perf_counter() - started, 1),
    }


class _Killer:
    """Starts compiles, and ends them."""

    def __init__(self, context: Any, folder: Path, model: PaidModel) -> None:
        self._context = context
        self._folder = folder
        self._model = model
        self._suite = folder / "suite"

    def build_suite(self) -> None:
        """The suite that all compiles are on."""
        built = (
            "suite",
            "build",
            "office",
            "--seed",
            "7",
            "--scale",
            "0.5",
            "--per-intent",
            "4",
            "--out",
            str(self._suite),
        )
        self._end(self._start(built))

    def undisturbed(self, optimizer: str) -> _Whole:
        """A compile that comes to its end at once."""
        compiled = _Compile(optimizer, 0, self._folder / f"whole-{optimizer.replace(':', '-')}")
        started, before = time.perf_counter(), len(self._model.asked)
        self._end(self._start(self._command(compiled)))
        seconds = time.perf_counter() - started
        return _Whole(_digest(compiled.file), seconds, len(self._model.asked) - before)

    def disturbed(self, whole: _Whole, optimizer: str, number: int, at_most: int) -> _Compile:
        """A compile that is killed again and again, at most so often."""
        compiled = _Compile(optimizer, number, self._folder / "killed")
        moments = rng(0, "kill", number)
        while True:
            known, before = _replied(compiled.journal), len(self._model.asked)
            process = self._start(self._command(compiled))
            if compiled.kills < at_most:
                self._await(process, moments, whole, left=whole.calls - len(known))
            else:
                process.join()
            killed = process.is_alive()
            process.kill()
            self._end(process, killed=killed)
            asked = self._model.asked[before:]
            compiled.repeated_calls += sum(key in known for key in asked) + len(asked) - len(set(asked))
            compiled.in_flight += len(set(asked) - known - _replied(compiled.journal))
            if not killed:
                return compiled
            compiled.kills += 1
            compiled.while_asking += bool(asked)

    def _await(self, process: Any, moments: Random, whole: _Whole, *, left: int) -> None:
        """Wait for the moment to kill: by the clock, or after some of the requests that are left."""
        if moments.random() < _BY_CLOCK:
            process.join(moments.uniform(0, whole.seconds))
            return
        enough = len(self._model.asked) + moments.randint(1, max(1, left // 2))
        while process.is_alive() and len(self._model.asked) < enough:
            time.sleep(0.001)
        process.join(moments.uniform(0, 2 * LATENCY))

    def _command(self, compiled: _Compile) -> tuple[str, ...]:
        limits = ("--train-limit", "16", "--dev-limit", "20", "--candidates", "2", "--demos", "8")
        how = ("--lm", "openai/paid", "--workers", str(WORKERS), "--no-track", "--resume", "--json")
        out = ("--out", str(compiled.file), "--optimizer", compiled.optimizer)
        return ("compile", str(self._suite), *out, *limits, *how)

    def _start(self, command: Sequence[str]) -> Any:
        environment = {"OPENAI_API_BASE": self._model.url, "OPENAI_API_KEY": "none", "DSPY_CACHEDIR": ""}
        process = self._context.Process(
            target=_work, args=(tuple(command), environment, str(self._folder), str(self._folder / "said"))
        )
        process.start()
        return process

    def _end(self, process: Any, *, killed: bool = False) -> None:
        process.join()
        if process.exitcode and not killed:
            said = (self._folder / "said").read_text()
            raise RuntimeError(f"a command ended with {process.exitcode}: {said[-2000:]}")


def _work(command: tuple[str, ...], environment: dict[str, str], folder: str, said: str) -> None:
    """Run one command, as a process of its own."""
    import dspy

    from worksmith.cli import main

    os.environ.update(environment)
    os.chdir(folder)
    # A reply that DSPy keeps for all processes would be no paid call.
    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=False)
    with open(said, "w") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
        sys.argv = ["worksmith", *command]
        main()


def _digest(file: Path) -> str:
    return str(json.loads(file.read_text())["digest"])


def _replied(journal: Path) -> set[str]:
    """The ids of the replies that a journal holds; a torn line is none."""
    file = journal / "replies.jsonl"
    whole = file.read_bytes().rpartition(b"\n")[0].splitlines() if file.exists() else []
    entries = [json.loads(line) for line in whole]
    return {entry["reply"].get("id", "") for entry in entries if "reply" in entry}


def _repeated_episodes(journal: Path) -> int:
    """How many episodes are in their logs more often than once."""
    repeated = 0
    for log in journal.glob("*/*.jsonl"):
        keys = [entry["key"] for entry in map(json.loads, log.read_text().splitlines()) if "key" in entry]
        repeated += len(keys) - len(set(keys))
    return repeated
