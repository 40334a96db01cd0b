"""Examples as tasks, and the calls of a plain program as episodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import dspy
from pydantic import Field
from pydantic_core import to_jsonable_python

from worksmith.evals.dspy_programs.copies import copied
from worksmith.evals.dspy_programs.event_loop import called
from worksmith.evals.lm.escapes import watch_in_use
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.repeats import of_one_intent
from worksmith.evals.tasks.task import Split, Task
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.errors import InputError
from worksmith.tools.files.unicode import writable
from worksmith.tools.kinds.dspy_examples.kind import empty_world
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


def suite_of(splits: Sequence[Sequence[Any]], intent: str) -> Suite:
    """The suite of some examples.

    Args:
        splits: the examples to learn from, those to choose by, and those to measure on.
        intent: the field of an example that names its kind. It is optional and may be no input.

    Raises:
        InputError: an example has no inputs.
    """
    seen: Counter[str] = Counter()
    tasks = [
        task
        for split, examples in zip(SPLITS, splits, strict=True)
        for task in _tasks(examples, split, intent, seen)
    ]
    return Suite(Environment(empty_world()), of_one_intent(tasks))


def _tasks(examples: Sequence[Any], split: Split, intent: str, seen: Counter[str]) -> Iterator[ExampleTask]:
    for place, example in enumerate(examples):
        inputs = _inputs(example, f"{split} example {place}")
        content = digest([_plain(inputs), _plain(dict(example))])
        seen[content] += 1
        named = example.get(intent) if intent not in inputs else None
        yield ExampleTask(
            # Equal examples are tasks of their own.
            id=content if seen[content] == 1 else f"{content}-{seen[content]}",
            query=_text(inputs),
            domains=(),
            intent=None if named is None else str(named),
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
    return found


def _text(inputs: Mapping[str, Any]) -> str:
    """The inputs' text; of a single text the text itself."""
    texts = {name: value if isinstance(value, str) else str(_plain(value)) for name, value in inputs.items()}
    if len(texts) == 1:
        return writable(next(iter(texts.values())))
    return writable("\n".join(f"{name}: {text}" for name, text in texts.items()))


def _plain(value: Any) -> Any:
    """JSON-able data; an object of another kind counts by its class and its attributes."""
    return to_jsonable_python(
        value, fallback=lambda odd: [type(odd).__qualname__, _plain(getattr(odd, "__dict__", {}))]
    )


def call(program: Any, task: ExampleTask) -> dspy.Prediction:
    """Call a program with a copy of an example's inputs, so that no call sees what another did to them.

    Returns:
        Its prediction with an episode. What is no prediction becomes one with the field `answer`.
    """
    made = called(program, **{name: copied(value) for name, value in task.example.inputs().items()})
    if made is None:
        watch = watch_in_use()
        raise (watch and watch.reward) or TypeError("the program returned None")
    prediction = made if isinstance(made, dspy.Prediction) else dspy.Prediction(answer=made)
    fields = {name: value for name, value in prediction.items() if name != "episode"}
    episode = EpisodeResult("finished", Outcome(b"", ()), answer=_text(fields) if fields else "")
    episode.prediction = prediction
    return dspy.Prediction(answer=episode.answer, episode=episode)
