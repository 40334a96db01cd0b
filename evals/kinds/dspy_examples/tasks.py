"""Examples as tasks, and the calls of a plain program as episodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import dspy
from pydantic import Field

from worksmith.evals.dspy_programs.copies import copied
from worksmith.evals.dspy_programs.event_loop import called
from worksmith.evals.dspy_programs.field_texts import text_of, texts_of
from worksmith.evals.lm.escapes import watch_in_use
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.repeats import of_one_intent
from worksmith.evals.tasks.task import Split, Task
from worksmith.tools.canonical import NoContentError, canonical
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.errors import InputError
from worksmith.tools.files.unicode import is_writable
from worksmith.tools.kinds.dspy_examples.examples_world import empty_world
from worksmith.tools.seeding import digest
from worksmith.tools.sqlite.outcome import Outcome

SPLITS: tuple[Split, ...] = ("train", "dev", "test")


class ExampleTask(Task):
    """An example as a task.

    Attributes:
        example: inputs and labels.
        content: digest of the example.
    """

    example: Any = Field(exclude=True, repr=False)
    content: str


def suite_of(splits: Sequence[Sequence[Any]], intent: str | None) -> Suite:
    """The suite of some examples.

    Args:
        splits: the examples to learn from, those to choose by, and those to measure on.
        intent: the field of an example that names its kind; None for the input `intent`, if there is one.

    Raises:
        InputError: an example has no inputs, no example has the field `intent`, or a value has no content
            that stays the same.
    """
    seen: Counter[str] = Counter()
    tasks = [
        task
        for split, examples in zip(SPLITS, splits, strict=True)
        for task in _tasks(examples, split, intent, seen)
    ]
    if intent and all(task.intent is None for task in tasks):
        raise InputError(f"no example has a field {intent!r}", where="intent")
    return Suite(Environment(empty_world()), of_one_intent(tasks))


def _tasks(
    examples: Sequence[Any], split: Split, intent: str | None, seen: Counter[str]
) -> Iterator[ExampleTask]:
    for place, example in enumerate(examples):
        where = f"{split} example {place}"
        inputs = _inputs(example, where)
        fields = {name: _content(value, f"{where}, field {name}") for name, value in example.items()}
        content = digest([sorted(inputs), fields])
        seen[content] += 1
        named = example.get(intent or "intent") if intent or "intent" in inputs else None
        yield ExampleTask(
            # Equal examples are different tasks.
            id=content if seen[content] == 1 else f"{content}-{seen[content]}",
            query=texts_of(inputs, exact=True),
            domains=(),
            intent=None if named is None else text_of(named),
            split=split,
            held_out_split=split,
            example=example,
            content=content,
        )


def _inputs(example: Any, where: str) -> dict[str, Any]:
    if not isinstance(example, dspy.Example):
        raise InputError(f"{type(example).__name__} is no dspy.Example", where=where)
    try:
        found = dict(example.inputs())
    except ValueError:
        found = {}
    if not found:
        hint = 'say which fields are: dspy.Example(question=..., answer=...).with_inputs("question")'
        raise InputError("the example has no inputs", where=where, hint=hint)
    if "self" in found:
        hint = "give the field another name"
        raise InputError("DSPy calls no program with an input `self`", where=where, hint=hint)
    return found


def _content(value: Any, where: str) -> Any:
    try:
        found = canonical(value)
        if not is_writable(found):
            raise NoContentError("it has half of a character")
        return found
    except NoContentError as error:
        hint = "give data, such as text, numbers, lists, dates or arrays; hold anything else in the program"
        raise InputError(str(error), where=where, hint=hint) from error


def call(program: Any, task: ExampleTask) -> dspy.Prediction:
    """Call a program with a copy of an example's inputs, so that no call sees what another did to them.

    Returns:
        Its prediction with an episode. Another value becomes a prediction with the field `answer`.
    """
    made = called(program, **{name: copied(value) for name, value in task.example.inputs().items()})
    if made is None:
        watch = watch_in_use()
        raise (watch and watch.reward) or TypeError("the program returned None")
    prediction = made if isinstance(made, dspy.Prediction) else dspy.Prediction(answer=made)
    fields = {name: value for name, value in prediction.items() if not isinstance(value, EpisodeResult)}
    episode = EpisodeResult("finished", Outcome(b"", ()), answer=texts_of(fields) if fields else "")
    episode.prediction = prediction
    return dspy.Prediction(answer=episode.answer, episode=episode)
