"""Recorded runs as models: worksmith's recordings, and the result files of published systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.tasks.task import Task
    from worksmith.evals.tasks.transcript import Transcript


def read_runs(path: Path, tasks: Sequence[Task]) -> Mapping[str, dspy.LM]:
    """The runs recorded in `path`, by label; each replays through the program's own prompts.

    Args:
        path: a `.jsonl` recording, a result file of a published system, or a folder of such files.
        tasks: the tasks that will be replayed.

    Raises:
        InputError: a file is missing or damaged, or a run covers no task.
    """
    if path.suffix == ".jsonl":
        return {"recording": _recording(path)}
    return {label: _model(label, runs, path, tasks) for label, runs in read_transcripts(path).items()}


def read_transcripts(path: Path) -> dict[str, list[tuple[str, Transcript]]]:
    """The runs in result files of a published system, by label, with places (`FILE:ROW`, rows from 0).

    Raises:
        InputError: a file is missing or damaged.
    """
    from worksmith.evals.task_kind import transcript_readers

    readers = transcript_readers()
    found = [path] if path.is_file() else sorted(path.rglob("*"))
    files = [file for file in found if file.suffix in readers]
    if not files:
        endings = " or ".join(readers)
        raise InputError(
            "no recorded runs here", where=str(path), hint=f"expected .jsonl or result {endings} files"
        )
    runs: dict[str, list[tuple[str, Transcript]]] = {}
    for file in files:
        read = enumerate(readers[file.suffix](file))
        runs.setdefault(_label(file), []).extend((f"{file.name}:{row}", each) for row, each in read)
    return dict(sorted(runs.items()))


def _recording(file: Path) -> dspy.LM:
    import dspy

    from worksmith.programs.replaying.recording import ReplayEngine

    engine = ReplayEngine(file)
    return dspy.LM(f"replay/{engine.digest}", engine=engine, cache=False, num_retries=0)


def _model(label: str, runs: Sequence[tuple[str, Transcript]], path: Path, tasks: Sequence[Task]) -> dspy.LM:
    from worksmith.programs.replaying.scripted import TranscriptEngine, scripted_lm

    wanted = {task.query for task in tasks}
    if tasks and not any(transcript.query in wanted for _, transcript in runs):
        raise InputError(f"the run {label} covers none of the tasks", where=str(path))
    return scripted_lm(TranscriptEngine(transcript for _, transcript in runs))


def _label(file: Path) -> str:
    """`gpt-4_all_2024-03-21_14-57-26.csv` is a run of gpt-4 with all tools: `gpt-4-all`."""
    model, _, rest = file.stem.partition("_")
    setup = rest.partition("_")[0]
    return f"{model}-{setup}" if setup else model
