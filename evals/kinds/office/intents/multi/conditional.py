"""Intents of the form: if something holds, do this; otherwise do that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from worksmith.evals.kinds.office.intents.intent import Draw, Logic, Oracle, Slots
from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.records import Records
from worksmith.evals.tasks.task import Action

FindAddress = Callable[[str], str]
"""Looks up a colleague's address in the directory when it is needed first, and remembers it."""


@dataclass(frozen=True)
class Condition:
    """What a task asks to be checked.

    Attributes:
        holds: from the records.
        check: through tools.
    """

    holds: Callable[[Records, Slots], bool]
    check: Callable[[Slots, PlanRecorder, FindAddress], bool]


@dataclass(frozen=True)
class Effect:
    """One thing that a task asks to be done.

    Attributes:
        answer: the writing calls, from the records.
        solve: the same through tools.
    """

    answer: Oracle
    solve: Callable[[Slots, PlanRecorder, FindAddress], None]


def conditional(
    draw: Draw, condition: Condition, then: tuple[Effect, ...], otherwise: tuple[Effect, ...] = ()
) -> Logic:
    """The logic of an intent that does one or the other."""

    def oracle(records: Records, slots: Slots) -> list[Action]:
        effects = then if condition.holds(records, slots) else otherwise
        return [action for effect in effects for action in effect.answer(records, slots)]

    def solve(slots: Slots, call: PlanRecorder) -> None:
        @cache
        def find(name: str) -> str:
            return call.find_address(name)

        for effect in then if condition.check(slots, call, find) else otherwise:
            effect.solve(slots, call, find)

    return Logic(draw, oracle, solve)
