"""Rewriting of task texts with a model, in the stages of the published pipeline.

A model names the entities of a task, splits it into subgoals, words a template for each, writes the final
task, and answers seven questions about it; where one is answered with no, it repairs the task. None of that
touches what is asked: a text is taken only if plain checks find every slot in it, no new entity and nothing
of the answer. Otherwise the text of our own stays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from worksmith.evals.authoring.rewriting.asking import (
    WORKERS,
    Ask,
    UnreadableRewordingError,
    asking,
    signature_of,
)
from worksmith.evals.authoring.value_forms import tells
from worksmith.evals.tasks.task import Task
from worksmith.retrievers.texts.words import folded
from worksmith.tools.files.data_files import read_toml

_LONGEST = 3
"""A text this many times as long as the old one has other content."""

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
    """The slots that the old text names and the new one does not."""
    told = [value for value in task.slots.values() if value and folded(value) in folded(task.query)]
    return [value for value in dict.fromkeys(told) if folded(value) not in folded(text)]


def _fact_sentence(task: Task, text: str) -> list[str]:
    """Values of the answer that the new text names and the old one does not."""
    answer = task.answer
    if answer is None:
        return []
    values = [name for entity in answer.required for name in (entity.value, *entity.alias)]
    return [v for v in [*values, *answer.forbidden] if tells(text, v) and not tells(task.query, v)]


def _new(task: Task, text: str) -> list[str]:
    """Ids, numbers, addresses, quotations and names that the old text does not have."""
    old = folded(task.query)
    found = [match for pattern in _ENTITIES for match in pattern.findall(text)]
    found += _NAME.findall(text)
    ours = {"i", "i'm", "i'd", "i'll", "i've"}
    return [value for value in dict.fromkeys(found) if folded(value) not in old and folded(value) not in ours]


MOST_REPAIRS = 2
"""So often a text is repaired before it is given up."""

CALLS_AT_MOST = 4 + (MOST_REPAIRS + 1) + MOST_REPAIRS
"""Calls of the model for one task: four stages, a validation of each text, the repairs between them."""

_PROMPT, _COMPLETION = 600, 80
"""Tokens of one call, about."""


def forecast() -> tuple[int, int, int]:
    """The most calls, prompt tokens and completion tokens for one task, the tokens by guess."""
    return CALLS_AT_MOST, CALLS_AT_MOST * _PROMPT, CALLS_AT_MOST * _COMPLETION


def rewrite(
    tasks: Sequence[Task],
    lm: Any,
    cache: Path | None,
    *,
    max_iter: int = MOST_REPAIRS,
    workers: int = WORKERS,
) -> list[Task]:
    """The tasks in the same order, those whose new text holds with that text.

    Each says in its `origin` how it went: `writer` is the model with the digest of its settings, `kept` why
    the old text stayed. Twins keep having the same text.

    Args:
        lm: a `dspy.LM`.
        cache: a folder for the model's replies, so that each is paid for once; None to keep no reply.
        max_iter: how often a text is repaired at most.
    """
    ask = asking(lm, cache, _data()["stages"])
    originals = [task for task in tasks if task.split != "paired"]
    with ThreadPoolExecutor(workers) as pool:
        written = list(pool.map(lambda task: write(task, ask, max_iter), originals))
    found: dict[str, Task] = {}
    said = {task.query for task in tasks}
    for task, new in zip(originals, written, strict=True):
        if new.query in said and new.query != task.query:
            new = _kept(task, "another task says the same")
        said.add(new.query)
        found[task.id] = _signed(new, signature_of(lm))
    return [_like_twin(task, found) if task.split == "paired" else found[task.id] for task in tasks]


def write(task: Task, ask: Ask, max_iter: int = MOST_REPAIRS) -> Task:
    """One task, worded by the model if the text holds."""
    try:
        text, why = _text(task, ask, max_iter)
    except UnreadableRewordingError as error:
        return _kept(task, str(error))
    return _kept(task, why) if why else task.model_copy(update={"query": text, "phrasing": None})


def _text(task: Task, ask: Ask, max_iter: int) -> tuple[str, str]:
    """The last text, and why it does not hold; empty if it does."""
    context = _context(task)
    entities = ask("entities", context)["entities"]
    subgoals = ask("subgoals", {**context, "entities": entities})["subgoals"]
    stages = {**context, "entities": entities, "subgoals": subgoals}
    templates = ask("templates", stages)["templates"]
    text = ask("task", {**stages, "templates": templates})["task"].strip()
    for repair in range(max_iter + 1):
        failed = [*objections(task, text), *_failed(task, text, ask, context)]
        if not failed:
            return text, ""
        if repair < max_iter:
            repaired = {**context, "task": text, "failed": "\n".join(failed)}
            text = ask("repair", repaired)["task"].strip()
    return text, "; ".join(failed)


def _failed(task: Task, text: str, ask: Ask, context: Mapping[str, str]) -> list[str]:
    """The questions of the seven that the model answers with no."""
    reference = task.answer.reference if task.answer else ""
    questions = _data()["questions"]
    asked = "\n".join(f"{number}. {question['asks']}" for number, question in enumerate(questions, 1))
    reply = ask("validate", {**context, "task": text, "ground_truth": reference, "questions": asked})
    verdicts = reply["verdicts"].upper().replace(",", " ").split()
    if len(verdicts) != len(questions) or not set(verdicts) <= {"YES", "NO"}:
        raise UnreadableRewordingError(f"the seven answers are unreadable: {reply['verdicts']!r}")
    return [q["repair"] for q, verdict in zip(questions, verdicts, strict=True) if verdict == "NO"]


def _context(task: Task) -> dict[str, str]:
    """The model's view of a task: the persona, the purpose, and the way to the answer. Not the answer."""
    persona = task.persona
    card = f"{persona.name}, department {persona.department}, level {persona.level}" if persona else ""
    steps = [f"{number}. {step.tool}" for number, step in enumerate(task.gold_plan or (), 1)]
    told = {name: value for name, value in task.slots.items() if folded(value) in folded(task.query)}
    return {
        "persona": card,
        "goal": task.query,
        "facts": json.dumps(told, ensure_ascii=False),
        "plan": "\n".join(steps),
    }


@cache
def _data() -> dict[str, Any]:
    return read_toml(__package__, "writer.toml")


def _kept(task: Task, why: str) -> Task:
    return task.model_copy(update={"origin": {**task.origin, "kept": why}})


def _signed(task: Task, model: str) -> Task:
    return task.model_copy(update={"origin": {**task.origin, "writer": model}})


def _like_twin(task: Task, found: Mapping[str, Task]) -> Task:
    twin = found.get(task.twin or "")
    if twin is None:
        return task
    return task.model_copy(update={"query": twin.query, "phrasing": twin.phrasing})
