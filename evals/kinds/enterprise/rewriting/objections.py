"""Whether a reworded task still asks the same, by plain checks."""

from __future__ import annotations

import re

from evals.kinds.enterprise.goals.value_forms import tells
from evals.tasks.task import Task

_LONGEST = 3
"""A text this many times as long as the old one says something else as well."""

_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|myself|we|us|our|ours)\b", re.IGNORECASE)
_TOOL = re.compile(r"\b\w+[._](?:read|create|update|delete|read_issue|query)\b")
_ENTITIES = (
    re.compile(r"[\w.]+@[\w.]+\w"),  # addresses
    re.compile(r"\b[A-Za-z]+[-_]\d[\w-]*"),  # ids
    re.compile(r"\d[\d.,:-]*\d|\d"),  # numbers and dates
    re.compile(r"\"[^\"]+\""),  # quotations
)
_NAME = re.compile(r"(?<![.!?:;] )(?<!^)(?<!\n)\b[A-Z][\w'-]+")
"""A capitalised word that does not begin a sentence."""


def objections(task: Task, text: str) -> list[str]:
    """Why `text` cannot stand for the task's own text; nothing if it can."""
    if not text:
        return ["The task is empty."]
    found = [f"The task must name {value!r} exactly as given." for value in _missing(task, text)]
    found += [f"The task must not mention {value!r}." for value in _fact_sentence(task, text)]
    found += [f"The task must not bring in {value!r}." for value in _new(task, text)]
    if not _FIRST_PERSON.search(text):
        found.append("The task must be in the first person.")
    if _TOOL.search(text):
        found.append("The task must not name a tool.")
    if len(text) > _LONGEST * max(len(task.query), 80):
        found.append("The task is too long.")
    return found


def _missing(task: Task, text: str) -> list[str]:
    """What the old text tells of the slots and the new one does not."""
    told = [value for value in task.slots.values() if value and value.lower() in task.query.lower()]
    return [value for value in dict.fromkeys(told) if value.lower() not in text.lower()]


def _fact_sentence(task: Task, text: str) -> list[str]:
    """Values of the answer that the new text tells and the old one does not."""
    answer = task.answer
    if answer is None:
        return []
    values = [name for entity in answer.required for name in (entity.value, *entity.alias)]
    return [v for v in [*values, *answer.forbidden] if tells(text, v) and not tells(task.query, v)]


def _new(task: Task, text: str) -> list[str]:
    """Ids, numbers, addresses, quotations and names that the old text does not have."""
    old = task.query.lower()
    found = [match for pattern in _ENTITIES for match in pattern.findall(text)]
    found += _NAME.findall(text)
    ours = {"i", "i'm", "i'd", "i'll", "i've"}
    return [value for value in dict.fromkeys(found) if value.lower() not in old and value.lower() not in ours]
