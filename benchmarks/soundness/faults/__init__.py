"""Evaluations behind a proxy that injects faults: 12 kinds, each at three rates.

Two simulated models are served by `worksmith serve model` in processes of their own: a student for an agent
that writes its calls as text, and one that makes the calls of gold plans natively. A proxy in front of them,
another process, injects one kind of fault (`kinds.py` says what a client sees of each).
Both agents are evaluated with 64 workers on an office suite, in which they send mails and change calendars,
and compared with the same evaluation without faults. Targets: everything is 0 but the faults, the requests
and the episodes tried again.

- `wrong_classifications`: episodes that ended with another status than the faults they met say
  (`checks.py` has the table), and faults that the records do not show.
- `lost_episodes`, `doubled_episodes`: without a graded record at the end; with more than one.
- `doubled_effects`: calls that changed the world more often than without faults.
- `changed_episodes`: other calls, changes or scores than without faults, for the kinds that retries mend and
  for missing token counts.
- `uncounted_requests`: the difference of the requests at the proxy and the paid requests of the records.
- `hastened`: requests sent again before the time that a Retry-After asked for.
- `grown_requests`: evaluations whose largest request is more than twice the largest without faults.

`RETRIES` is what users have who set nothing. At 40 % a request fails four times in a row in 1 of 40 cases;
the runner tries such episodes again after the others (`tried_again`). Retries follow after a hundredth of
the usual wait. A rate limit is no failure: it is tried again for ten minutes.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.soundness.faults.checks import doubled_effects, same_work, wrong_classifications
from benchmarks.soundness.faults.kinds import FAULTS, NO_FAULT
from benchmarks.soundness.faults.process import Proxy, faulty
from benchmarks.support.student import SUITES, Student, simulated
from worksmith.evals.records.logs.log import read_log
from worksmith.evals.records.record import PRIMARY, EpisodeRecord

DESCRIPTION = "12 kinds of faults on the wire, 3 rates: wrong statuses, lost episodes, doubled effects, books"

STUDENT, GOLD = "benchmarks.support.student:student", "benchmarks.support.student:gold"
RATES = (0.01, 0.1, 0.4)
WORKERS = 64
RETRIES = 3
TIMEOUT = 60.0
_IMPATIENT = 2.0
"""The timeout where servers fall silent: long enough that a busy machine answers the other requests."""
_FIRST_WAIT = 0.01
"""Seconds before a try without Retry-After, so that waiting does not take the time."""

_SHOWN = 3
"""Wrong classifications that a cell quotes."""

_SUMMED = (
    *("requests", "faults", "tried_again", "wrong_classifications", "lost_episodes", "doubled_episodes"),
    *("doubled_effects", "changed_episodes", "uncounted_requests", "hastened", "grown_requests"),
)


def run(quick: bool) -> dict[str, Any]:
    """All kinds at all rates (quick: without silence, at the highest rate, on fewer tasks)."""
    import dspy

    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else DSPy looks for newer prices first
    # A reply that DSPy keeps for all processes would be no request.
    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=False)
    with tempfile.TemporaryDirectory() as place, opened(Path(place), 16 if quick else None) as bench:
        if quick:
            return measured(bench, [kind for kind in FAULTS if kind != "slow"], RATES[-1:])
        return measured(bench, tuple(FAULTS), RATES)


@dataclass(frozen=True)
class Bench:
    """Agents on tasks, and the proxy of the models that they ask.

    Attributes:
        agents: by the name of the model that each asks.
        tasks: the part of a suite that is evaluated.
        writing: names of the tools that change the world.
        folder: for logs.
    """

    agents: Mapping[str, Any]
    tasks: Any
    writing: Collection[str]
    proxy: Proxy
    folder: Path

    def evaluated(self, kind: str, rate: float) -> Evaluated:
        """Evaluations that meet a kind of fault, of one agent after the other."""
        import worksmith as ws

        records: list[EpisodeRecord] = []
        logged: list[EpisodeRecord] = []
        started = time.perf_counter()
        timeout = _IMPATIENT if kind == "slow" else TIMEOUT
        for number, (model, agent) in enumerate(self.agents.items()):
            log = self.folder / f"{kind}-{rate:g}-{number}.jsonl"
            lm = self.proxy.named(model, kind, rate, num_retries=RETRIES, timeout=timeout)
            result = ws.evaluate(agent, self.tasks, lm=lm, workers=WORKERS, log=log, progress=False)
            records += result.records
            logged += read_log(log)
        seconds = time.perf_counter() - started
        return Evaluated(records, logged, self.proxy.counts(kind, rate), seconds)


@contextmanager
def opened(folder: Path, limit: int | None = None) -> Iterator[Bench]:
    """The test tasks of a small office, with two agents and the servers of their models.

    One writes its calls as text, with the nearest gold demonstrations, and asks the student; the other calls
    natively.

    Args:
        limit: the number of tasks.
    """
    import worksmith as ws
    from worksmith.evals.authoring.suite_building import build_suite
    from worksmith.evals.scoring.objective import writing_tools
    from worksmith.evals.task_kind import scorers_for

    suite = build_suite("office", folder / "office", seed=7, scale=0.5, per_intent=4)
    optimizer = ws.KNN(lm=simulated(Student(suite.tasks)), teacher="gold", demos=4, accept="best")
    compiled = optimizer.compile(ws.Agent("react", suite.env), trainset=suite.train, valset=suite.dev[:4])
    agents = {STUDENT: compiled, GOLD: ws.Agent("function_calling", suite.env, prompt="native")}
    with faulty(*agents, variables={SUITES: str(folder / "office")}) as proxy:
        yield Bench(agents, suite.test[:limit], writing_tools(scorers_for(suite.env)), proxy, folder)


@dataclass(frozen=True)
class Evaluated:
    """An evaluation.

    Attributes:
        records: the last of each episode.
        logged: all of them, in the order of the log.
        counts: of the proxy.
    """

    records: Sequence[EpisodeRecord]
    logged: Sequence[EpisodeRecord]
    counts: Mapping[str, Any]
    seconds: float

    @property
    def score(self) -> float:
        """The mean outcome, with lost episodes as failures."""
        return sum(record.scores.get(PRIMARY, 0.0) for record in self.records) / len(self.records)


def measured(bench: Bench, kinds: Sequence[str], rates: Sequence[float]) -> dict[str, Any]:
    """Figures of each kind at each rate, and their sums."""
    with _short_waits():
        undisturbed = bench.evaluated(NO_FAULT, 0)
        cells = [
            {"kind": kind, "rate": rate, **compared(kind, bench.evaluated(kind, rate), undisturbed, bench)}
            for kind in kinds
            for rate in rates
        ]
    return {
        "models": [f"{model} (simulated)" for model in bench.agents],
        "workers": WORKERS,
        "episodes": len(undisturbed.records),
        "score": round(undisturbed.score, 4),
        **{name: sum(cell[name] for cell in cells) for name in _SUMMED},
        "cells": cells,
    }


def compared(kind: str, met: Evaluated, undisturbed: Evaluated, bench: Bench) -> dict[str, Any]:
    """Figures of one evaluation."""
    pairs = list(zip(met.records, undisturbed.records, strict=True))
    same = FAULTS[kind].mends or kind == "no_usage"
    graded = Counter(record.key for record in met.logged if record.graded)
    wrong = wrong_classifications(kind, met.records, met.logged, met.counts)
    return {
        "requests": met.counts["requests"],
        "faults": sum(met.counts["faults"].values()),
        "forms": met.counts["faults"],
        "score": round(met.score, 4),
        "statuses": dict(Counter(record.status for record in met.records)),
        "tried_again": sum(record.attempts > 1 for record in met.records),
        "wrong_classifications": len(wrong),
        "wrong": wrong[:_SHOWN],
        "lost_episodes": sum(not graded[record.key] for record in met.records),
        "doubled_episodes": sum(count > 1 for count in graded.values()),
        "doubled_effects": sum(len(doubled_effects(one, other, bench.writing)) for one, other in pairs),
        "changed_episodes": sum(not same_work(one, other) for one, other in pairs) if same else 0,
        "uncounted_requests": abs(
            met.counts["requests"] - sum(record.paid_requests for record in met.records)
        ),
        "hastened": met.counts["hastened"],
        "grown_requests": int(met.counts["largest"] > 2 * undisturbed.counts["largest"]),
        "seconds": round(met.seconds, 1),
    }


@contextmanager
def _short_waits() -> Iterator[None]:
    """A block in which tries without Retry-After follow at once."""
    from worksmith.evals.lm.wire import retries

    before = retries.FIRST_WAIT
    retries.FIRST_WAIT = _FIRST_WAIT
    try:
        yield
    finally:
        retries.FIRST_WAIT = before
