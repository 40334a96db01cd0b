"""What keeping an episode in MLflow costs, beside autologging of `dspy.ReAct`, and whether all of it arrives.

Both do the same eight steps with the same tools and replies, each into an SQLite store of its own. Measured
is what tracing adds: seconds over the episodes alone until everything is written, and bytes of the store.
Ours are written with their scores and expectations; of autologging only the traces are counted.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.speed.loop import a_task, instant_lm, office, our_agent, react_episode

DESCRIPTION = "bytes and time of an episode's trace against autologging, and 1,000 traces of 16 workers"

STEPS = 8
WORKERS = 16


def run(quick: bool) -> dict[str, Any]:
    """Ratios to autologging an episode of eight steps, and what arrives of 1,000 episodes (quick: 100)."""
    from worksmith.evals.tracking.store import quieten_libraries

    quieten_libraries()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        env = office(place / "office")
        return {
            **_cost(env, place, rounds=2 if quick else 5, episodes=6 if quick else 12),
            **_complete(env, place, 100 if quick else 1000),
        }


def _cost(env: Any, place: Path, *, rounds: int, episodes: int) -> dict[str, Any]:
    """Medians over rounds in which both take turns, so that a busy machine slows both."""
    ours, theirs = _Ours(env, place / "ours"), _Theirs(env, place / "theirs")
    measured: dict[str, list[float]] = {"ours": [], "theirs": []}
    for side in (ours, theirs):
        side.added(1)  # whatever is loaded or made at first use
    sizes = [_size(place / "ours"), _size(place / "theirs")]
    for _ in range(rounds):
        measured["ours"].append(ours.added(episodes))
        measured["theirs"].append(theirs.added(episodes))
    bytes_ours = (_size(place / "ours") - sizes[0]) / (rounds * episodes)
    # Autologging drops traces when it cannot keep up; what is not there has no size.
    stored = theirs.stored() - 1
    bytes_theirs = (_size(place / "theirs") - sizes[1]) / stored
    ms_ours, ms_theirs = (1000 * statistics.median(measured[name]) for name in ("ours", "theirs"))
    return {
        "bytes_ratio": round(bytes_ours / bytes_theirs, 3),
        "time_ratio": round(ms_ours / ms_theirs, 3),
        "kib_worksmith": round(bytes_ours / 1024, 1),
        "kib_autolog": round(bytes_theirs / 1024, 1),
        "ms_worksmith": round(ms_ours, 1),
        "ms_autolog": round(ms_theirs, 1),
        "autolog_stored": stored,
        "autolog_episodes": rounds * episodes,
    }


class _Ours:
    def __init__(self, env: Any, place: Path) -> None:
        from worksmith.evals.tracking import open_tracker
        from worksmith.evals.tracking.choice import ALL

        self._env = env
        self._number = 0
        self._tracker = open_tracker(f"sqlite:///{place}/mlflow.db", traces=ALL)

    def added(self, episodes: int) -> float:
        """Seconds an episode that its trace takes, until the store was asked whether all is there."""
        result, tasks = _evaluated(self._env, episodes, first=self._number, workers=1)
        self._number += episodes
        with self._tracker.start("benchmark") as run:
            start = time.perf_counter()
            run.traces(result.records, split="test", model=result.model, tasks=tasks)
            return (time.perf_counter() - start) / episodes


class _Theirs:
    def __init__(self, env: Any, place: Path) -> None:
        from worksmith.evals.tracking.store import open_store

        self._episode = react_episode(env, STEPS)
        self._uri = f"sqlite:///{place}/mlflow.db"
        self._client, self._experiment = open_store(self._uri, "autolog")

    def added(self, episodes: int) -> float:
        """Seconds an episode takes longer when it is autologged, until all is written."""
        bare = _seconds(self._episode, episodes)
        with _autologging(self._uri) as flush:
            start = time.perf_counter()
            _seconds(self._episode, episodes)
            flush()
            logged = time.perf_counter() - start
        return (logged - bare) / episodes

    def stored(self) -> int:
        """Traces in the store."""
        traces = self._client.search_traces(
            locations=[self._experiment], include_spans=False, max_results=500
        )
        return len(traces)


@contextmanager
def _autologging(uri: str) -> Iterator[Callable[[], None]]:
    import mlflow

    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(uri)
    mlflow.set_experiment("autolog")
    mlflow.dspy.autolog(silent=True)
    try:
        yield mlflow.flush_trace_async_logging
    finally:
        mlflow.dspy.autolog(disable=True, silent=True)
        mlflow.set_tracking_uri(before)


def _complete(env: Any, place: Path, episodes: int) -> dict[str, Any]:
    """Evaluate with all traces during somebody else's run; what the store holds, what is as it was."""
    from mlflow import MlflowClient

    from worksmith.evals.tracking import open_tracker
    from worksmith.evals.tracking.choice import ALL
    from worksmith.evals.tracking.traces import TraceWriter

    uri = f"sqlite:///{place}/all/mlflow.db"
    tracker: Any = open_tracker(uri, traces=ALL)
    with _somebody_elses(uri) as theirs:
        state = _user_state()
        with tracker.start("benchmark") as run:
            start = time.perf_counter()
            result, tasks = _evaluated(env, episodes, first=0, workers=WORKERS)
            ran = time.perf_counter()
            run.evaluation(result, split="test", tasks=tasks)
            seconds = time.perf_counter() - ran
        restored = state == _user_state()
    client = MlflowClient(uri)
    stored = TraceWriter(uri, tracker.experiment_id, run.id, model="").stored()
    runs = [r.info.run_id for e in client.search_experiments() for r in client.search_runs([e.experiment_id])]
    return {
        "episodes": episodes,
        "workers": WORKERS,
        "traces": len(stored),
        "assessments": sum(len(found) for found in stored.values()),
        "expected": sum(len(r.scores) for r in result.records) + _expectations(tasks),
        "stray_runs": len(set(runs) - {run.id, theirs}),
        "user_state_restored": restored,
        "seconds_running": round(ran - start, 1),
        "seconds_tracking": round(seconds, 1),
    }


@contextmanager
def _somebody_elses(uri: str) -> Iterator[str]:
    """A run that is active in an experiment that was set, as a notebook has them."""
    import mlflow

    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(uri)
    mlflow.set_experiment("somebody else's")
    try:
        with mlflow.start_run() as run:
            yield run.info.run_id
    finally:
        mlflow.set_tracking_uri(before)


def _evaluated(env: Any, episodes: int, *, first: int, workers: int) -> tuple[Any, list[Any]]:
    from worksmith.evals.running.runner import evaluate
    from worksmith.evals.running.settings import EvalSettings

    tasks = [a_task(number) for number in range(first, first + episodes)]
    agent, lm = our_agent(env, STEPS), instant_lm(STEPS)
    return evaluate(agent, tasks, EvalSettings(env=env, lm=lm, workers=workers)), tasks


def _expectations(tasks: list[Any]) -> int:
    from worksmith.evals.tracking.assessments import expectations

    return sum(len(expectations(task)) for task in tasks)


def _user_state() -> tuple[Any, ...]:
    import dspy
    import mlflow

    active = mlflow.active_run()
    with mlflow.start_run(nested=True) as probe:
        experiment = probe.info.experiment_id
    mlflow.delete_run(probe.info.run_id)
    return mlflow.get_tracking_uri(), active and active.info.run_id, experiment, dspy.settings.callbacks


def _seconds(episode: Callable[[], Any], count: int) -> float:
    import dspy

    start = time.perf_counter()
    # Entered here: a context does not see the callbacks that autologging adds later.
    with dspy.context(lm=instant_lm(STEPS), disable_history=True, trace=None):
        for _ in range(count):
            episode()
    return time.perf_counter() - start


def _size(place: Path) -> int:
    """Bytes of everything in a store, what SQLite has not yet moved to its main file included."""
    return sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
