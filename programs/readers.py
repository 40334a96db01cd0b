"""Demonstrations have owners: nobody's model is shown one that quotes a record its persona may not read.

Leaving a demonstration out is what is safe: tasks, thoughts and answers quote records in words of their own,
so no list of values to black out would ever be complete. It costs demonstrations of work on other people's
records; those on records that many may read remain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import dspy

if TYPE_CHECKING:
    from tools.persona import Persona
    from tools.workshop import Workshop

RECORDS = "records"
"""The field of a demonstration with the references of the records that it quotes."""

_REMEMBERED = 2048


@dataclass
class Readers:
    """Tells which of a predictor's demonstrations a persona may be shown, and remembers it. Thread-safe."""

    _known: dict[tuple[str, str, int], tuple[Any, frozenset[int]]] = field(default_factory=dict)

    def hidden(self, predict: dspy.Predict, workshop: Workshop, persona: Persona) -> frozenset[int]:
        """The positions of the demonstrations in `predict` that `persona` must not see."""
        demos = predict.demos
        asked = (persona.id, workshop.digest, id(demos))
        known = self._known.get(asked)
        # The list itself is kept, so that its address cannot come to mean another one.
        if known is None or known[0] is not demos:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[asked] = known = (demos, _hidden(demos, workshop, persona))
        return known[1]


@dataclass(frozen=True)
class Reader:
    """On whose behalf a model is asked: decides which demonstrations its prompt may show."""

    readers: Readers
    workshop: Workshop
    persona: Persona

    def demos(self, predict: dspy.Predict, inputs: Mapping[str, Any]) -> list[Any] | None:
        """The demonstrations for a call; None if nothing has to be left out.

        A predictor that chooses demonstrations for each call by itself does so by a method `nearest_demos`
        with the inputs and the positions that are out of question.
        """
        hidden = self.readers.hidden(predict, self.workshop, self.persona)
        if not hidden:
            return None
        choose = getattr(predict, "nearest_demos", None)
        if choose is not None:
            chosen: list[Any] = choose(inputs, hidden)
            return chosen
        return [demo for number, demo in enumerate(predict.demos) if number not in hidden]


def _hidden(demos: list[Any], workshop: Workshop, persona: Persona) -> frozenset[int]:
    quoted = [frozenset(demo.get(RECORDS) or ()) for demo in demos]
    unreadable = workshop.unreadable(persona, frozenset().union(*quoted))
    return frozenset(number for number, records in enumerate(quoted) if not unreadable.isdisjoint(records))
