"""What it takes to compile as well as DSPy's random search: `race` beside `BootstrapFewShotWithRandomSearch`.

Both sides get the same agent, training, dev and test tasks, model, teacher (gold plans), seeds, number of
demonstrations in a prompt (16) and workers (16). DSPy's side is its own optimizer through our registry, with
its own 16 candidates (`dspy_defaults`), or with as many as ours (`same_candidates`).

A call is a request that reaches a model or the teacher, counted where it arrives and in the same way for
both; calls on test tasks are not part of it. What a race would return changes on the way: `calls_ratio` and
`wall_ratio` are about the moment from which on its program scores no less on the test tasks than what DSPy
returns in the end, against the whole of DSPy's run. The race goes on, so `whole_calls_ratio` and
`whole_wall_ratio` are about its end, as is `score_difference` (ours less theirs, paired by test task, over
all seeds). At the top of the output each of the three is that of the setting that is worst for us. Where a
race never gets there, `reached` is below the number of seeds and its whole run counts.

No model here is a language model. The simulated one answers 200 ms late, and breaks off a twentieth of its
replies; its teacher is as late.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._metered import MeteredEngine
from worksmith.evals.building import build_suite
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.records.summary import interval_json
from worksmith.evals.statistics import paired_difference

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.suite import Suite

NAME = "compile"
DESCRIPTION = (
    "calls and time to reach the score of DSPy's random search: calls_ratio, wall_ratio, score_difference"
)

OURS, THEIRS = "race", "dspy:BootstrapFewShotWithRandomSearch"
WORKERS = 16
DEMOS = 16
CANDIDATES = 4
"""Of ours; our default."""
_THEIRS = {"dspy_defaults": 16, "same_candidates": CANDIDATES}
"""The rows, and how many candidates DSPy gets in them."""


@dataclass(frozen=True)
class Setting:
    """Where both sides compile.

    Attributes:
        latency: seconds that each reply of model and teacher takes longer.
        spoiled: the share of the model's replies that break off.
        train, dev, test: at most so many tasks, spread evenly; None for all.
        at_once: so many seeds at the same time, on both sides alike; more where a compile mostly waits.
    """

    kind: str
    scale: float = 1.0
    latency: float = 0.0
    spoiled: float = 0.0
    train: int | None = None
    dev: int | None = None
    test: int | None = None
    at_once: int = 2


SETTINGS = {
    "office": Setting("office"),
    "enterprise": Setting("enterprise", scale=0.25),
    "simulated": Setting("office", latency=0.2, spoiled=0.05, at_once=3),
}
_QUICK = Setting("office", latency=0.02, spoiled=0.05, train=160, dev=40, test=40)


def run(quick: bool) -> dict[str, Any]:
    """Compile on both sides in every setting under three seeds; quick: a small setting, one seed, one row."""
    from worksmith.optimizers.registry import OPTIMIZERS

    started = time.perf_counter()
    settings, seeds = ({"quick": _QUICK}, range(1)) if quick else (SETTINGS, range(3))
    with tempfile.TemporaryDirectory() as folder:
        rows = dict([*_THEIRS.items()][:1]) if quick else _THEIRS
        found = {
            name: _figures(setting, Path(folder) / name, seeds, rows) for name, setting in settings.items()
        }
    return {
        "workers": WORKERS,
        "demonstrations": DEMOS,
        "lm": "local/analogy (no language model)",
        "dspy_differs": OPTIMIZERS[THEIRS].differs,
        **_worst([rows["dspy_defaults"] for rows in found.values()]),
        "settings": found,
        "seconds": round(time.perf_counter() - started, 1),
    }


def _worst(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The figures of whichever setting is worst for ours, each for itself, with DSPy's own candidates."""
    return {
        "calls_ratio": max(row["calls_ratio"] for row in rows),
        "wall_ratio": max(row["wall_ratio"] for row in rows),
        "score_difference": min((row["score_difference"] for row in rows), key=lambda each: each["value"]),
    }


@dataclass(frozen=True)
class Stage:
    """A program that a compile had found, and at what price.

    Attributes:
        calls: of the model and the teacher until then.
        seconds: since the compile began.
        scores: on the test tasks, by task.
    """

    name: str | None
    calls: int
    seconds: float
    scores: Mapping[str, float]

    @property
    def score(self) -> float:
        """The mean over the test tasks."""
        return _mean(self.scores.values())

    def to_json(self) -> dict[str, Any]:
        """The raw figures."""
        return {
            "program": self.name,
            "calls": self.calls,
            "seconds": round(self.seconds, 2),
            "score": round(self.score, 4),
        }


@dataclass(frozen=True)
class Side:
    """One compile.

    Attributes:
        stages: what it would have returned on the way, and its end.
        teacher_calls: the part of the calls that the teacher got.
    """

    stages: tuple[Stage, ...]
    teacher_calls: int

    @property
    def end(self) -> Stage:
        """What it returned."""
        return self.stages[-1]

    def reached(self, score: float) -> Stage | None:
        """The stage from which on no test score is below `score`; None if the end's is."""
        found = None
        for stage in reversed(self.stages):
            if stage.score < score:
                break
            found = stage
        return found

    def to_json(self) -> dict[str, Any]:
        """The raw figures."""
        return {
            "teacher_calls": self.teacher_calls,
            "stages": [stage.to_json() for stage in self.stages],
        }


def _figures(setting: Setting, folder: Path, seeds: Sequence[int], rows: Mapping[str, int]) -> dict[str, Any]:
    """The rows of a setting. Each seed is compiled in a process of its own."""
    _suite(setting, folder / "suite")
    # DSPy redirects the output of a whole process, and prepared prompts would serve the next seed.
    pool = ProcessPoolExecutor(setting.at_once, mp_context=get_context("spawn"), max_tasks_per_child=1)
    with pool:
        work = [pool.submit(_sides, setting, folder, seed, tuple(rows.values())) for seed in seeds]
        found = [sides.result() for sides in work]
    ours = [sides[0] for sides in found]
    return {
        name: {"candidates": [CANDIDATES, candidates], **compared(ours, [sides[place] for sides in found])}
        for place, (name, candidates) in enumerate(rows.items(), start=1)
    }


def _sides(setting: Setting, folder: Path, seed: int, candidates: Sequence[int]) -> list[Side]:
    """Ours, and theirs with so many candidates, under one seed."""
    bench = _Bench(setting, folder, seed)
    # What both sides need is made before either is timed. Nobody watches their bars.
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
        bench.side("none", 1)
        return [bench.side(OURS, CANDIDATES), *(bench.side(THEIRS, number) for number in candidates)]


class _Bench:
    def __init__(self, setting: Setting, folder: Path, seed: int) -> None:
        from worksmith.evals.suite import Suite

        self._setting = setting
        self._folder = folder / f"seed-{seed}"
        self._seed = seed
        self._suite = Suite.open(folder / "suite")

    def side(self, optimizer: str, candidates: int) -> Side:
        """One compile, and the test scores of what it gave."""
        from worksmith.jobs.parts.programs import new_agent
        from worksmith.jobs.settings.groups.programs import AgentSettings
        from worksmith.models.resolve import resolve
        from worksmith.optimizers import registry
        from worksmith.optimizers.compiling.compile import compile_program
        from worksmith.optimizers.compiling.models import Model
        from worksmith.optimizers.compiling.plan import Plan
        from worksmith.optimizers.settings import Settings

        setting = self._setting
        lm = MeteredEngine.around(resolve("local/analogy"), latency=setting.latency, spoiled=setting.spoiled)
        teacher = MeteredEngine.around(resolve("gold", tasks=self._suite.tasks), latency=setting.latency)
        plan = Plan(
            program=new_agent(self._suite, AgentSettings(), "react"),
            describes={},
            suite=self._suite,
            lm=Model("local/analogy", lm),
            teacher=Model("gold", teacher),
            optimizer=registry.optimizer(
                optimizer, Settings(demos=DEMOS, candidates=candidates, seed=self._seed)
            ),
            folder=self._folder / f"{optimizer}-{candidates}".replace(":", "-"),
            train_limit=setting.train,
            dev_limit=setting.dev,
            workers=WORKERS,
        )
        started = time.perf_counter()
        compiled = compile_program(plan).compiled
        seconds = time.perf_counter() - started
        taught, calls = teacher.engine.calls, teacher.engine.calls + lm.engine.calls
        stages = [
            Stage(step.chosen, step.model_calls, step.seconds, self._test(step.program, lm))
            for step in compiled.path
        ]
        last = stages[-1].scores if stages else self._test(compiled.program, lm)
        return Side((*stages, Stage(compiled.chosen, calls, seconds, last)), taught)

    def _test(self, program: dspy.Module, lm: dspy.LM) -> dict[str, float]:
        from worksmith.evals.running.runner import evaluate
        from worksmith.evals.running.settings import EvalSettings

        lm.engine.latency = 0.0  # nobody times the test
        tasks = self._suite.select(split="test", limit=self._setting.test)
        result = evaluate(program, tasks, EvalSettings(env=self._suite.env, lm=lm, workers=WORKERS))
        return {record.task_id: record.scores[PRIMARY] for record in result.records if record.graded}


def compared(ours: Sequence[Side], theirs: Sequence[Side]) -> dict[str, Any]:
    """The figures of all seeds together, and the raw ones of each."""
    reached = [own.reached(other.end.score) for own, other in zip(ours, theirs, strict=True)]
    ends, targets = [side.end for side in ours], [side.end for side in theirs]
    return {
        **_ratios("", [stage or end for stage, end in zip(reached, ends, strict=True)], targets),
        "reached": sum(stage is not None for stage in reached),
        **_ratios("whole_", ends, targets),
        "score_difference": interval_json(paired_difference(_by_task(ends), _by_task(targets))),
        "seeds": [
            {
                **_ratios("", [stage or own.end], [other.end]),
                **_ratios("whole_", [own.end], [other.end]),
                "score_difference": interval_json(
                    paired_difference(_by_task([own.end]), _by_task([other.end]))
                ),
                "reached_by": stage.name if stage else None,
                "ours": own.to_json(),
                "theirs": other.to_json(),
            }
            for own, other, stage in zip(ours, theirs, reached, strict=True)
        ],
    }


def _ratios(prefix: str, ours: Sequence[Stage], theirs: Sequence[Stage]) -> dict[str, float]:
    """Of the sums over seeds."""
    return {
        f"{prefix}calls_ratio": round(sum(s.calls for s in ours) / sum(s.calls for s in theirs), 4),
        f"{prefix}wall_ratio": round(sum(s.seconds for s in ours) / sum(s.seconds for s in theirs), 4),
    }


def _by_task(stages: Sequence[Stage]) -> dict[str, list[float]]:
    tasks = {task: None for stage in stages for task in stage.scores}
    return {task: [stage.scores[task] for stage in stages if task in stage.scores] for task in tasks}


def _mean(values: Iterable[float]) -> float:
    values = tuple(values)
    return sum(values) / len(values)


def _suite(setting: Setting, folder: Path) -> Suite:

    return build_suite(setting.kind, folder, scale=setting.scale)
