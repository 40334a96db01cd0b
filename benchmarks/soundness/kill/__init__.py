"""Compiles and evaluations that are killed at random moments, commits at their steps, and what came of them.

Each is a process of its own that runs `worksmith compile` or `worksmith eval` on a small suite, with a
simulated student behind an HTTP server that counts what it is asked. It gets SIGKILL at a moment drawn from
the seed (by the clock, or so many requests after its start), is started again with `--resume`, and so on
until one attempt comes to its end. The program, or the episodes, are then compared with those of one that
nobody disturbed. Several kills may hit one.

`kills_while_asking` are those that hit a process which had already asked the model something.
`repeated_calls` are requests to which the journal held the reply when they were made, `repeated_episodes`
episodes that were logged as finished more than once. Requests that were under way at a kill have no reply
that anybody could know: they are made again, and are counted apart. `uncounted_calls` are the answered
requests that the results do not count as paid, or count twice.

A commit of approved changes in an SQLite file is killed at steps that lie evenly over it (`commits.py`).
`made_once` are those after which the change is there exactly once, with a second approval where the first one
was lost; `false_status` those of which the server said something else than the database.

An evaluation asks equal requests once for each trial; so a request is repeated if it is made more often
than by the undisturbed one.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.soundness.kill.commits import kill_commits
from benchmarks.soundness.kill.jobs import COMPILES, EVAL, WHOLE, Job, work
from benchmarks.soundness.kill.paid import PaidModel, paid_model
from benchmarks.support.student import Student
from docs.snippets import forks
from worksmith.evals.authoring.suite_building import build_suite
from worksmith.tools.seeding import rng

DESCRIPTION = "killed compiles, evaluations and commits: identical results, repeated episodes, changes"

LATENCY = 0.02
"""Seconds until the model has thought."""
_BY_CLOCK = 0.3
"""The share of kills at any moment of an attempt, its beginning included; the others come while it asks."""
_EACH = 4
"""Kills that hit the same compile or evaluation, at most."""


@dataclass
class _Whole:
    """A job that nobody disturbed: its result, its seconds, and its requests."""

    result: str
    seconds: float
    asked: Counter[str]


@dataclass
class _Disturbed:
    """A job in its folder, over all processes that worked on it."""

    job: Job
    folder: Path
    kills: int = 0
    calls: int = 0
    repeated_calls: int = 0
    in_flight: int = 0
    while_asking: int = 0


@dataclass
class _Figures:
    kills: int = 0
    kills_while_asking: int = 0
    identical: int = 0
    repeated_episodes: int = 0
    repeated_calls: int = 0
    asked_again_in_flight: int = 0
    uncounted_calls: int = 0
    calls: int = 0
    runs: int = 0
    kills_by_job: Counter[str] = field(default_factory=Counter)

    def add(self, ended: _Disturbed, whole: _Whole) -> None:
        self.runs += 1
        self.kills += ended.kills
        self.kills_by_job[ended.job.name] += ended.kills
        self.kills_while_asking += ended.while_asking
        self.identical += ended.kills if ended.job.result(ended.folder) == whole.result else 0
        self.calls += ended.calls
        self.repeated_calls += ended.repeated_calls
        self.asked_again_in_flight += ended.in_flight
        self.uncounted_calls += abs(ended.calls - ended.in_flight - ended.job.paid(ended.folder))
        self.repeated_episodes += ended.job.repeated_episodes(ended.folder)

    def shown(self) -> dict[str, Any]:
        return {**vars(self), "kills_by_job": dict(self.kills_by_job)}


def run(quick: bool) -> dict[str, Any]:
    """Kill 100 compiles, 100 evaluations and 100 commits (quick: 2 each), in turn with each optimizer."""
    kills = 2 if quick else 100
    with tempfile.TemporaryDirectory() as place:
        suite = build_suite("office", Path(place) / "suite", seed=7, scale=0.5, per_intent=4)
        with paid_model(Student(suite.tasks, (LATENCY, LATENCY))) as model:
            killer = _Killer(forks(), Path(place), model)
            small = replace(COMPILES[2], train=6, dev=8)
            found = {
                "compile": killer.figures((small,) if quick else COMPILES, kills),
                "eval": killer.figures((EVAL,), kills),
            }
        found["commit"] = kill_commits(forks(), Path(place) / "commits", kills)
    return {"model": "a simulated student", **found}


class _Killer:
    """Starts jobs, and ends them."""

    def __init__(self, context: Any, folder: Path, model: PaidModel) -> None:
        self._context = context
        self._folder = folder
        self._model = model

    @property
    def _suite(self) -> Path:
        return self._folder / "suite"

    def figures(self, jobs: tuple[Job, ...], kills: int) -> dict[str, Any]:
        """What comes of so many kills, in turn with each job."""
        found, whole = _Figures(), {job.name: self._undisturbed(job) for job in jobs}
        while found.kills < kills:
            job = jobs[found.runs % len(jobs)]
            at_most = min(_EACH, kills - found.kills)
            found.add(self._disturbed(job, whole[job.name], found.runs, at_most), whole[job.name])
        return found.shown()

    def _undisturbed(self, job: Job) -> _Whole:
        """A job that comes to its end at once."""
        folder = self._made(WHOLE + job.name)
        started = time.perf_counter()
        self._end(self._start(job.command(self._suite), folder, WHOLE + job.name))
        seconds = time.perf_counter() - started
        return _Whole(job.result(folder), seconds, self._asked(WHOLE + job.name))

    def _disturbed(self, job: Job, whole: _Whole, number: int, at_most: int) -> _Disturbed:
        """A job that is killed again and again, at most so often."""
        found = _Disturbed(job, self._made(f"{number}-{job.name}"))
        moments = rng(0, "kill", job.name, number)
        attempts: dict[str, tuple[Counter[str], Counter[str] | None]] = {}
        killed = True
        while killed:
            name, known = f"{number}-{job.name}-{len(attempts)}", job.replied(found.folder)
            process = self._start(job.command(self._suite), found.folder, name)
            if found.kills < at_most:
                self._await(process, moments, whole, left=whole.asked.total() - known.total())
            else:
                process.join()
            killed = process.is_alive()
            process.kill()
            self._end(process, killed=killed)
            lost = killed and not job.ended(found.folder)
            attempts[name] = known, job.replied(found.folder) if lost else None
            found.kills += killed
        # Only now: a request may reach the server after the death of whoever sent it.
        for name, (known, replied) in attempts.items():
            asked = self._asked(name)
            found.calls += asked.total()
            found.repeated_calls += sum(
                max(0, known[key] + asked[key] - whole.asked.get(key, 1)) for key in asked
            )
            if replied is not None:
                found.in_flight += (known + asked - replied).total()
            found.while_asking += bool(asked) and name != list(attempts)[-1]
        return found

    def _asked(self, client: str) -> Counter[str]:
        return Counter(key for each, key in self._model.asked if each == client)

    def _await(self, process: Any, moments: Random, whole: _Whole, *, left: int) -> None:
        """Wait for the moment to kill: by the clock, or after some of the requests that are left."""
        if moments.random() < _BY_CLOCK:
            process.join(moments.uniform(0, whole.seconds))
            return
        enough = len(self._model.asked) + moments.randint(1, max(1, left // 2))
        while process.is_alive() and len(self._model.asked) < enough:
            time.sleep(0.001)
        process.join(moments.uniform(0, 2 * LATENCY))

    def _made(self, name: str) -> Path:
        folder = self._folder / name.replace(":", "-")
        folder.mkdir()
        return folder

    def _start(self, command: tuple[str, ...], folder: Path, client: str = "none") -> Any:
        environment = {"OPENAI_API_BASE": self._model.url, "OPENAI_API_KEY": client, "DSPY_CACHEDIR": ""}
        process = self._context.Process(target=work, args=(command, environment, folder, self._said))
        process.start()
        return process

    @property
    def _said(self) -> Path:
        return self._folder / "said"

    def _end(self, process: Any, *, killed: bool = False) -> None:
        process.join()
        if process.exitcode and not killed:
            raise RuntimeError(f"a command ended with {process.exitcode}: {self._said.read_text()[-2000:]}")
