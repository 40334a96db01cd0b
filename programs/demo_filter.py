"""Demonstrations have owners: nobody's model is shown one that quotes a record its persona may not read.

In its place they are shown its twin, in which everything that comes from records is made up (who compiles
a program puts it there, see `optimizers.demos.redaction`), or nothing where there is no twin.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import dspy

from evals.dspy_programs.demo_format import DemoNotes
from evals.dspy_programs.nearest import NearestPredict

if TYPE_CHECKING:
    from tools.environment import Environment
    from tools.persona import Persona

_REMEMBERED = 2048


class Shown(NamedTuple):
    """What a persona may see of a predictor's demonstrations.

    Attributes:
        demos: those that this is about; kept, so that neither an address can come to mean another one nor a
            demonstration be put into the list unseen.
        barred: positions of those that they may not see in any form.
        instead: by the address of a demonstration the twin that they see in its place.
        solving: by task, as `DemoNotes.solves` names it, the positions of its solutions.
    """

    demos: Sequence[Any]
    barred: frozenset[int]
    instead: Mapping[int, Any]
    solving: Mapping[str, frozenset[int]]


@dataclass
class Readers:
    """Tells which of a predictor's demonstrations a persona may be shown, and remembers it. Thread-safe."""

    _shown: dict[tuple[Persona, str, int], Shown] = field(default_factory=dict)
    _twins: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    def shown(self, predict: dspy.Predict, env: Environment, persona: Persona) -> Shown:
        """What `persona` may see of the demonstrations in `predict`."""
        demos = predict.demos
        asked = (persona, env.digest, id(demos))
        known = self._shown.get(asked)
        if known is None or not _same(known.demos, demos):
            if len(self._shown) >= _REMEMBERED:
                self._shown.clear()
            self._shown[asked] = known = self._look(tuple(demos), env, persona)
        return known

    def _look(self, demos: Sequence[Any], env: Environment, persona: Persona) -> Shown:
        quoted = [frozenset(DemoNotes.of(demo).records) for demo in demos]
        unreadable = env.unreadable(persona, frozenset().union(*quoted))
        hidden = [at for at, records in enumerate(quoted) if not unreadable.isdisjoint(records)]
        twins = {at: twin for at in hidden if (twin := self._twin(demos[at])) is not None}
        instead = {id(demos[at]): twin for at, twin in twins.items()}
        barred = frozenset(at for at in hidden if at not in twins)
        solving: dict[str, frozenset[int]] = {}
        for at, demo in enumerate(demos):
            if task := DemoNotes.of(demo).solves:
                solving[task] = solving.get(task, frozenset()) | {at}
        return Shown(demos, barred, instead, solving)

    def _twin(self, demo: Any) -> Any | None:
        """The twin as an example: one object for all who see it, since adapters remember by object."""
        fields = DemoNotes.of(demo).redacted
        if not fields:
            return None
        known = self._twins.get(id(demo))
        if known is None or known[0] is not demo:
            self._twins[id(demo)] = known = (demo, dspy.Example(augmented=True, **fields))
        return known[1]


@dataclass(frozen=True)
class Reader:
    """On whose behalf a model is asked, and for which task: decides what its prompt may show.

    Attributes:
        task: as `DemoNotes.solves` names it; what solves it is not shown, however it may be worded.
    """

    readers: Readers
    env: Environment
    persona: Persona
    task: str = ""

    def demos(self, predict: dspy.Predict, inputs: Mapping[str, Any]) -> list[Any] | None:
        """The demonstrations for a call; None if the predictor's own are all readable.

        A predictor that chooses demonstrations for each call by itself does so by a method `nearest_demos`
        with the inputs and the positions that are out of question.
        """
        shown = self.readers.shown(predict, self.env, self.persona)
        barred = shown.barred | shown.solving.get(self.task, frozenset())
        if not barred and not shown.instead:
            return None
        if isinstance(predict, NearestPredict):
            chosen = predict.nearest_demos(inputs, barred)
        else:
            chosen = [demo for at, demo in enumerate(shown.demos) if at not in barred]
        return [shown.instead.get(id(demo), demo) for demo in chosen]


def _same(known: Sequence[Any], demos: Sequence[Any]) -> bool:
    return len(known) == len(demos) and all(map(operator.is_, known, demos))
