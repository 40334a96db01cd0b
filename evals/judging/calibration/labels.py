"""Labelled cases: responses with the levels that they deserve, by people or by construction.

A file of JSON lines, each a `Label`. Cases with the same request form a group; two of a group with different
levels are a pair that a judge should put in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from worksmith.evals.judging.rubric import RUBRIC, Text
from worksmith.evals.records.entries import CallEntry, ChangeEntry
from worksmith.evals.records.groups import grouped
from worksmith.evals.records.record import Digests, EpisodeRecord
from worksmith.evals.tasks.task import Answer, Entity, Task, TaskType
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.json_files import read_lines, validated
from worksmith.tools.seeding import digest

_HINT = "a label has a request (or a task), a response and a level from 1 to 5"


class Label(BaseModel):
    """One line of a file of labels.

    Attributes:
        id: names it in reports; default is a digest of it.
        group: cases of one group answer one request; default is the request.
        task: a whole task of a suite; `request` and the fields after it can take its place.
        reference: a right response in a sentence.
        facts: values that a right response names; `local/rubric` needs them.
        forbidden: texts that a response must not disclose.
        kind: the kind of a right response: facts, a refusal, that there is nothing, or something done.
        rubric: name of the rubric that it was judged by, where several are in use.
        response: the text that was judged.
        status: the status that the agent gave itself: answered, denied or not_found.
        calls, changes, expected_changes: as in an episode's record.
        level: from 1 to 5, by a person or by construction.
        fault: its fault, if it is known.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = ""
    group: str = ""
    task: Task | None = None
    request: str = ""
    reference: str = ""
    facts: tuple[Entity | str, ...] = ()
    forbidden: tuple[str, ...] = ()
    kind: Literal["entities", "denial", "none", "done"] = "entities"
    type: TaskType | None = None
    rubric: str = ""
    response: str
    status: str = ""
    calls: tuple[CallEntry, ...] = ()
    changes: tuple[ChangeEntry, ...] = ()
    expected_changes: tuple[ChangeEntry, ...] = ()
    level: int = Field(ge=1, le=5)
    fault: str = ""
    note: Text | None = None


@dataclass(frozen=True)
class Case:
    id: str
    group: str
    task: Task
    record: EpisodeRecord
    level: int
    fault: str = ""


def read_labels(file: Path) -> list[Case]:
    """The cases in a file of labels.

    Raises:
        InputError: it cannot be read, or a line is not a label.
    """
    cases = [
        case_of(validated(value, Label, "a label", where=where, hint=_HINT), where)
        for where, value in read_lines(file, "a label", hint=_HINT)
    ]
    if not cases:
        raise InputError("it has no labels", where=str(file), hint=_HINT)
    return cases


def write_labels(file: Path, labels: Iterable[Label]) -> None:
    lines = (label.model_dump_json(exclude_defaults=True) + "\n" for label in labels)
    write_atomically(file, "".join(lines).encode())


def case_of(label: Label, where: str = "label") -> Case:
    """A label as judges take it.

    Raises:
        InputError: it has neither a request nor a task.
    """
    if label.task is None and not label.request.strip():
        raise InputError("it does not say what was asked", where=where, hint=_HINT)
    task = label.task or _task(label)
    if label.rubric:
        task = task.model_copy(update={"origin": {**task.origin, RUBRIC: label.rubric}})
    key = label.id or digest(label.model_dump(mode="json"))
    return Case(key, label.group or task.id, task, _record(label, task, key), label.level, label.fault)


def pairs_of(cases: Sequence[Case]) -> list[tuple[Case, Case]]:
    """Two cases of a group each, the better one first; those that are equally good in their order."""
    groups = grouped((case.group, case) for case in cases)
    return [
        (a, b) if a.level >= b.level else (b, a)
        for group in groups.values()
        for a, b in combinations(group, 2)
    ]


def labels_digest(cases: Sequence[Case]) -> str:
    return digest(
        [[case.task.digest, case.record.model_dump(mode="json"), case.level, case.group] for case in cases]
    )


def _task(label: Label) -> Task:
    facts = tuple(Entity(type="text", value=fact) if isinstance(fact, str) else fact for fact in label.facts)
    answer = Answer(kind=label.kind, required=facts, forbidden=label.forbidden, reference=label.reference)
    return Task(id=digest(label.request), query=label.request, domains=(), type=label.type, answer=answer)


def _record(label: Label, task: Task, key: str) -> EpisodeRecord:
    said: dict[str, Any] = label.model_dump(include={"calls", "changes", "expected_changes"})
    return EpisodeRecord(
        key=key,
        task_id=task.id,
        query=task.query,
        split=task.split,
        status="finished",
        answer=label.response,
        answer_status=label.status,
        digests=Digests(program="", task=task.digest, world="", model=""),
        **said,
    )
