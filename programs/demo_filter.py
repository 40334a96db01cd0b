"""Demonstrations have owners: no model is shown one that quotes a record its persona may not read.

In its place the persona's model sees its twin, with made-up values for those of records
(`worksmith.optimizers.demos.redaction` makes it), or nothing without a twin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import dspy

from worksmith.evals.dspy_programs.demo_format import DemoNotes

if TYPE_CHECKING:
    from worksmith.tools.environment import Environment
    from worksmith.tools.persona import Persona

_REMEMBERED = 100_000
"""Decisions that are kept."""


class ShownForm(NamedTuple):
    """The form in which a persona is shown a demonstration.

    Attributes:
        demo: the demonstration; kept, so that its address cannot come to mean another one.
        shown: itself, its twin, or None.
        solves: the task that it solves, as `DemoNotes.solves`.
    """

    demo: Any
    shown: Any | None
    solves: str


class DemoFilter:
    """Decides which demonstrations a persona may be shown, and remembers it. Thread-safe."""

    def __init__(self) -> None:
        self._known: dict[tuple[Persona, str], dict[int, ShownForm]] = {}
        self._twins: dict[int, tuple[Any, Any]] = {}

    def decide(self, demos: Sequence[Any], env: Environment, persona: Persona) -> list[ShownForm]:
        """The decision on each of `demos`, in their order."""
        known = self._known.setdefault((persona, env.digest), {})
        found = {id(demo): known.get(id(demo)) for demo in demos}
        new = [demo for demo in demos if (one := found[id(demo)]) is None or one.demo is not demo]
        if not new:
            return [one for demo in demos if (one := found[id(demo)]) is not None]
        notes = [DemoNotes.of(demo) for demo in new]
        records = frozenset(record for note in notes for record in note.records)
        unreadable = env.unreadable(persona, records) | env.unquoted(records)
        made = {
            id(demo): ShownForm(
                demo, demo if unreadable.isdisjoint(note.records) else self._twin(demo, note), note.solves
            )
            for demo, note in zip(new, notes, strict=True)
        }
        if sum(map(len, tuple(self._known.values()))) + len(made) > _REMEMBERED:
            self._known.clear()
        known.update(made)
        return [made.get(id(demo)) or known[id(demo)] for demo in demos]

    def _twin(self, demo: Any, notes: DemoNotes) -> Any | None:
        """The twin as an example: one object for all who see it, since adapters remember by object."""
        if not notes.redacted:
            return None
        known = self._twins.get(id(demo))
        if known is None or known[0] is not demo:
            self._twins[id(demo)] = known = (demo, dspy.Example({"augmented": True, **notes.redacted}))
        return known[1]


class DemoView(NamedTuple):
    """The demonstrations that the prompts of one episode may show.

    Attributes:
        persona: on whose behalf models are asked.
        task: the task, as `DemoNotes.solves` names it; its solutions are not shown, however they are worded.
    """

    filter: DemoFilter
    env: Environment
    persona: Persona
    task: str = ""

    def shown(self, demos: Sequence[Any]) -> list[Any]:
        """The demonstrations that may be shown, with twins in place of those that may not."""
        decisions = self.filter.decide(demos, self.env, self.persona)
        return [one.shown for one in decisions if not self._barred(one)]

    def forms(self, demos: Sequence[Any]) -> tuple[Any | None, ...]:
        """Each of the demonstrations as it may be shown: itself, its twin, or None."""
        decisions = self.filter.decide(demos, self.env, self.persona)
        return tuple(None if self._barred(one) else one.shown for one in decisions)

    def _barred(self, decision: ShownForm) -> bool:
        return decision.shown is None or (decision.solves != "" and decision.solves == self.task)
