"""Few-shot by retrieval: each task is shown the demonstrations nearest to it, from a bank in the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import dspy
from dspy.predict.parameter import Parameter

from optimizers.demonstration import Demonstration
from optimizers.job import Compiled, Job
from optimizers.selection import Selector
from retrievers.protocol import TextIndex
from tools.errors import InputError

ATTRIBUTE = "demo_source"
"""Where a program keeps the callable that gives it demonstrations for a task."""


class NearestDemonstrations(Parameter):  # type: ignore[misc]
    """Gives a program the demonstrations nearest to a task: `source(task_text, predictor_name)`.

    Being a DSPy parameter it is saved and loaded with the program's state. Nothing is run again at
    inference, and nothing in it changes then, so programs and threads can share it.

    Args:
        count: how many demonstrations a task is shown.
        embedding: how texts are compared, see `text_index`.
    """

    def __init__(
        self, demonstrations: Sequence[Demonstration] = (), count: int = 16, embedding: str = "lexical"
    ) -> None:
        self._fill(demonstrations, count, embedding)

    def __call__(self, task: str, predictor: str) -> list[dspy.Example]:
        """The examples for one predictor, nearest last; never one that asks exactly `task`."""
        found = (self._examples[d.task_id].get(predictor) for d in self._selector.nearest(task, self.count))
        return [example for example in found if example is not None]

    @property
    def demonstrations(self) -> tuple[Demonstration, ...]:
        """The bank."""
        return self._selector.demonstrations

    def dump_state(self, json_mode: bool = True) -> dict[str, Any]:
        """The state as DSPy saves it."""
        return {
            "count": self.count,
            "embedding": self.embedding,
            "demonstrations": [d.model_dump(mode="json") for d in self.demonstrations],
        }

    def load_state(self, state: dict[str, Any]) -> Self:
        """Take over a saved state."""
        bank = [Demonstration.model_validate(d) for d in state["demonstrations"]]
        self._fill(bank, state["count"], state["embedding"])
        return self

    def reset(self) -> None:
        """Forget the bank, as DSPy asks of parameters before they are compiled anew."""
        self._fill((), self.count, self.embedding)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_revive, (self.dump_state(),))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Another parameter, so that resetting the copy leaves this one alone; the bank is shared.
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def _fill(self, demonstrations: Sequence[Demonstration], count: int, embedding: str) -> None:
        self.count = count
        self.embedding = embedding
        self._selector = Selector(demonstrations, text_index(demonstrations, embedding))
        # Built once, so that an adapter can recognise an example it has already rendered.
        self._examples = {
            d.task_id: {name: d.example(name) for name in d.parts} for d in self._selector.demonstrations
        }


def _revive(state: dict[str, Any]) -> NearestDemonstrations:
    return NearestDemonstrations().load_state(state)


def text_index(demonstrations: Sequence[Demonstration], embedding: str) -> TextIndex:
    """The index over the demonstrations' queries: `lexical`, or `minilm` fused with it.

    Raises:
        InputError: for another name.
    """
    texts = {d.task_id: d.query for d in demonstrations}
    if embedding == "lexical":
        from retrievers.lexical import LexicalIndex

        return LexicalIndex(texts)
    if embedding == "minilm":
        from retrievers.fused import fused_index

        return fused_index(texts)
    raise InputError(f"no embedding {embedding!r}", where="--embedding", hint="there are lexical, minilm")


class Knn:
    """The whole bank goes into the program; each task sees the nearest part of it."""

    def plan(self, job: Job) -> dict[str, int]:
        """One teacher episode a training task, one student episode a dev task."""
        return {"teacher": len(job.train), "dev": len(job.dev)}

    def __call__(self, job: Job) -> Compiled:
        """Compile.

        Raises:
            InputError: if the program cannot be given demonstrations for each task.
        """
        if not hasattr(job.program, ATTRIBUTE):
            raise InputError(
                f"{type(job.program).__name__} takes no demonstrations per task",
                where="--optimizer knn",
                hint=f"give it an attribute {ATTRIBUTE} that it asks for demonstrations, or use bootstrap",
            )
        bank = job.bank()
        program = job.program.deepcopy()
        source = NearestDemonstrations(bank.demonstrations, job.settings.demos, job.settings.embedding)
        setattr(program, ATTRIBUTE, source)
        trial = job.try_out("nearest", program, ())
        return Compiled(program, bank.demonstrations, (trial,), trial.name, bank.report()["without"])
