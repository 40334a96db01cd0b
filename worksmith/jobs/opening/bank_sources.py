"""From the name of a source to the attempts that fill a trace bank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.lm.named import REPLAY
from worksmith.evals.tasks.transcript import GOLD
from worksmith.models.resolve import resolve
from worksmith.optimizers.demos.bank_building import TeacherRun
from worksmith.tools.errors import InputError
from worksmith.tools.statuses import ANSWER_STATUSES

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.records.run_card import LoadedRun
    from worksmith.evals.tasks.task import Task
    from worksmith.evals.tasks.transcript import Transcript
    from worksmith.evals.tracking.reading import TracedEpisode

LOG, MLFLOW = "log:", "mlflow:"


def attempts_of(names: Sequence[str], tasks: Sequence[Task], *, uri: str | None = None) -> list[TeacherRun]:
    """The attempts behind `names`, in that order.

    Args:
        names: `gold`, `log:FILE` or `log:FOLDER` (episode logs), `mlflow:RUN_ID`, `replay:PATH` (a recording,
            or the original's result files), or the name of a model that is to teach.
        uri: of the MLflow store, see `worksmith.evals.tracking.store.tracking_uri`.
    """
    if not names:
        raise InputError("no source is named", where="--from", hint="e.g. --from gold")
    twice = {name for name in names if list(names).count(name) > 1}
    if twice:
        raise InputError(f"{min(twice)} is named twice", where="--from")
    return [attempt for name in names for attempt in _attempts(name, tasks, uri)]


def _attempts(name: str, tasks: Sequence[Task], uri: str | None) -> list[TeacherRun]:
    if name.startswith(LOG):
        from worksmith.evals.tracking.run_loading import open_runs

        path = name.removeprefix(LOG)
        if not Path(path).exists():
            raise InputError("no such episode log", where=path)
        return _some(name, [a for run in open_runs([path]) for a in _of_run(name, run, tasks)])
    if name.startswith(MLFLOW):
        return _some(name, _tracked(name, tasks, uri))
    if name.startswith(REPLAY) and not name.endswith(".jsonl"):
        return _replayed(name, tasks)
    lm = resolve(name, tasks=tasks)
    if name.startswith(REPLAY):
        from worksmith.programs.replaying.recording import NOT_RECORDED

        return [TeacherRun(name, name, lm, lacking=NOT_RECORDED)]
    planned = {task.id: "" for task in tasks if task.gold_plan is not None} if name == GOLD else None
    return [TeacherRun(name, name, lm, episodes=planned, asks=name != GOLD and not name.startswith("local/"))]


def _some(name: str, attempts: list[TeacherRun]) -> list[TeacherRun]:
    if not any(attempt.episodes or attempt.failures for attempt in attempts):
        raise InputError("the source has no run of any of the tasks", where=name)
    return attempts


def _tracked(name: str, tasks: Sequence[Task], uri: str | None) -> list[TeacherRun]:
    """The full episodes where a run has kept them; its traces, which may be a part, where it has not."""
    from worksmith.evals.tracking.reading import traced_episodes
    from worksmith.evals.tracking.run_loading import open_runs

    run_id = name.removeprefix(MLFLOW)
    if Path(run_id).exists():
        raise InputError("a file is not a run", where=name, hint=f"name episode logs by {LOG}")
    traced = traced_episodes(run_id, uri)
    try:
        runs = open_runs([run_id], tracking_uri=uri)
    except InputError:
        if not traced:
            raise
        return _of_traces(name, run_id, traced, tasks)
    return [attempt for run in runs for attempt in _of_run(name, run, tasks)]


def _of_run(source: str, run: LoadedRun, tasks: Sequence[Task]) -> Iterator[TeacherRun]:
    """The successes of a run; of several trials of a task one after another, until one succeeds again."""
    from worksmith.optimizers.demos.collection import shortcoming

    by_task = _by_task(run.records, tasks)
    good: dict[str, list[EpisodeRecord]] = {}
    failures: dict[str, str] = {}
    for task in tasks:
        reasons = [(record, shortcoming(record)) for record in by_task.get(task.id, ())]
        if found := [record for record, reason in reasons if reason is None]:
            good[task.id] = found
        elif reasons:
            failures[task.id] = str(reasons[-1][1])
    model = str(run.card.settings.get("lm") or run.card.lm or f"unnamed ({run.card.label})")
    trials = max(map(len, good.values()), default=0) or 1
    for number in range(trials):
        told = {task_id: found[number] for task_id, found in good.items() if len(found) > number}
        scripts = [transcript_of(task, told[task.id]) for task in tasks if task.id in told]
        yield TeacherRun(
            source,
            model,
            _scripted(scripts),
            run=run.card.label if number == 0 else f"{run.card.label}, success {number + 1}",
            episodes={task_id: record.key for task_id, record in told.items()},
            failures=failures if number == 0 else {},
        )


def _by_task(records: Iterable[EpisodeRecord], tasks: Sequence[Task]) -> dict[str, list[EpisodeRecord]]:
    """The records of each task: those with its id and words, or else those with its words alone."""
    ids = {task.id: task for task in tasks}
    by_words = {task.query.strip(): task for task in tasks}
    found: dict[str, list[EpisodeRecord]] = defaultdict(list)
    for record in sorted(records, key=lambda record: record.trial):
        task = ids.get(record.task_id)
        if task is None or task.query.strip() != record.query.strip():
            task = by_words.get(record.query.strip())
        if task is not None:
            found[task.id].append(record)
    return found


def transcript_of(task: Task, record: EpisodeRecord) -> Transcript:
    """The calls of an episode, to be made again."""
    calls = [(call.tool, call.arguments, call.thought) for call in record.calls]
    denied = bool(record.calls) and not record.calls[-1].allowed
    return _transcript(task, calls, record.answer, record.answer_status, denied=denied)


def _of_traces(
    source: str, run_id: str, traced: Sequence[TracedEpisode], tasks: Sequence[Task]
) -> list[TeacherRun]:
    """The traces of a run: of each task the first right or unscored one."""
    by_words = {task.query.strip(): task for task in tasks}
    ids = {task.id: task for task in tasks}
    chosen: dict[str, TracedEpisode] = {}
    failures: dict[str, str] = {}
    for episode in traced:
        task = ids.get(episode.task_id) or next(
            (by_words[text.strip()] for text in episode.asked if text.strip() in by_words), None
        )
        if task is None:
            continue
        if reason := _trace_shortcoming(episode):
            failures[task.id] = reason
        else:
            chosen.setdefault(task.id, episode)
    scripts = [_transcript_of_trace(task, chosen[task.id]) for task in tasks if task.id in chosen]
    failed = {task_id: reason for task_id, reason in failures.items() if task_id not in chosen}
    episodes = {task_id: episode.trace_id for task_id, episode in chosen.items()}
    return [TeacherRun(source, f"traces of {run_id}", _scripted(scripts), "traces", episodes, failed)]


def _trace_shortcoming(episode: TracedEpisode) -> str:
    if episode.status not in ("", "finished"):
        return episode.status
    if episode.outcome is not None and episode.outcome < 1.0:
        return "wrong outcome"
    return "" if episode.calls else "called no tool"


def _transcript_of_trace(task: Task, episode: TracedEpisode) -> Transcript:
    calls = [(call.tool, call.arguments, call.thought) for call in episode.calls]
    return _transcript(task, calls, episode.answer, episode.answer_status)


def _transcript(
    task: Task,
    calls: Iterable[tuple[str, Any, str]],
    answer: str,
    answer_status: str,
    *,
    denied: bool = False,
) -> Transcript:
    from worksmith.evals.tasks.transcript import Transcript, TranscriptStep

    steps = [
        TranscriptStep(tool, given if isinstance(given, dict | str) else {}, thought)
        for tool, given, thought in calls
    ]
    return Transcript(
        task.query,
        tuple(steps),
        final=answer,
        status=answer_status if answer_status in ANSWER_STATUSES else "",
        who=task.persona.id if task.persona else "",
        denied=denied,
    )


def _replayed(name: str, tasks: Sequence[Task]) -> list[TeacherRun]:
    from worksmith.models.replays import read_transcripts

    path = Path(name.removeprefix(REPLAY))
    if not path.exists():
        raise InputError("no such recording", where=str(path))
    attempts = []
    for label, transcripts in read_transcripts(path).items():
        # Of several runs with the same words the first counts, as it does for who replays them.
        places: dict[str, str] = {}
        for place, transcript in transcripts:
            places.setdefault(transcript.query.strip(), place)
        covered = {task.id: places[task.query.strip()] for task in tasks if task.query.strip() in places}
        scripts = [transcript for _, transcript in transcripts]
        attempts.append(TeacherRun(name, label, _scripted(scripts), run=label, episodes=covered))
    return _some(name, attempts)


def _scripted(transcripts: Iterable[Any]) -> dspy.LM | None:
    from worksmith.programs.replaying.scripted import TranscriptEngine, scripted_lm

    found = list(transcripts)
    return scripted_lm(TranscriptEngine(found)) if found else None
