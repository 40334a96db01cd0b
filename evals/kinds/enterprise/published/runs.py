"""Result files of published runs, as predictions for the tasks of an imported suite."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from worksmith.evals.records.predictions import PlacedPrediction, Prediction
from worksmith.evals.scoring.answers.nothing import says_nothing
from worksmith.evals.tasks.task import Task
from worksmith.tools.errors import InputError
from worksmith.tools.importing.json_records import read_records
from worksmith.tools.importing.raw import RawRecord, folded
from worksmith.tools.importing.report import ImportReport

_PERSONA = ("emp_id", "employee_id", "persona_id")
_QUERY = ("task", "question", "query", "messages")
_ANSWER = ("answer", "final_answer", "response", "output", "prediction")
_DENIED = re.compile(r"\baccess (?:is |was )?denied\b|\bnot accessible by this employee\b", re.IGNORECASE)
_LONGEST_ERROR = 200


def read_runs(tasks: Sequence[Task], path: Path) -> Iterator[PlacedPrediction]:
    """One prediction a record: its answer. Runs call tools that models play, so no call can be made again.

    A record belongs to the task with its persona and its text; without a persona, to the only one with its
    text.

    Raises:
        InputError: the file is damaged, or no record in it has a question and an answer.
    """
    report = ImportReport("enterprisebench")
    records, _ = read_records(path, path.name, report)
    if lost := next((each for each in report.findings if each.severity == "error"), None):
        raise InputError(lost.reason, where=f"{path} {lost.record}".strip())
    known = {(task.persona.id if task.persona else "", folded(task.query)): task.id for task in tasks}
    texts: dict[str, list[str]] = {}
    for (_, text), task_id in known.items():
        texts.setdefault(text, []).append(task_id)
    trials: dict[str, int] = {}
    found = False
    for record in records:
        persona, query, answer = (_text(record, names) for names in (_PERSONA, _QUERY, _ANSWER))
        if not query:
            continue
        found = True
        text = folded(query)
        alone = texts.get(text, ()) if not persona else ()
        task_id = known.get((persona, text)) or (alone[0] if len(alone) == 1 else f"record {record.position}")
        trial = trials[task_id] = trials.get(task_id, -1) + 1
        error = "" if answer else _error(record) or "no answer"
        yield PlacedPrediction(
            f"{path}, record {record.position}",
            Prediction.model_validate(
                {
                    "task_id": task_id,
                    "trial": trial,
                    "answer": answer,
                    "status": _status(answer),
                    "error": error,
                }
            ),
        )
    if not found:
        raise InputError("no record in it has a question", where=str(path), hint=f"name it {_QUERY[0]!r}")


def _text(record: RawRecord, names: Sequence[str]) -> str:
    taken = record.take(tuple(names))
    value = taken[1] if taken else ""
    if isinstance(value, list):  # chat messages: the first of the user is the question
        said = (each for each in value if isinstance(each, dict) and each.get("role") == "user")
        value = next((each.get("content") for each in said), "")
    return value.strip() if isinstance(value, str) else ""


def _status(answer: str) -> str:
    """Runs report no status; their words have it."""
    if _DENIED.search(answer):
        return "denied"
    return "not_found" if answer and says_nothing(answer) else "answered"


def _error(record: RawRecord) -> str:
    """The first error of a run that gave no answer: its stage and its reason."""
    taken = record.take(("errors", "error"))
    first = taken[1][0] if taken and isinstance(taken[1], list) and taken[1] else taken[1] if taken else ""
    if isinstance(first, dict):
        first = f"{first.get('stage', '')}: {first.get('reason', '')}"
    return str(first or "")[:_LONGEST_ERROR]
