"""Planted cases of tasks that change the world: wrong calls are really made, and their changes recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from worksmith.evals.records.entries import ChangeEntry
from worksmith.evals.records.recording import change_entries
from worksmith.evals.scoring.actions import format_action
from worksmith.evals.scoring.outcomes import OutcomeScorer
from worksmith.evals.tasks.task import Action, Task

if TYPE_CHECKING:
    from worksmith.evals.suite import Suite
    from worksmith.tools.sqlite.outcome import Outcome

_PERSON = re.compile(r"[\w.+-]+@[\w.-]+|emp_\d+")
_FIGURE = re.compile(r"(?<!\d)(\d{1,2})(?=:\d\d|$|\D*$)")


@dataclass(frozen=True)
class Variant:
    """A response to a task with its changes, and the level that both deserve together.

    Attributes:
        fault: its fault; `clean` and `paraphrase` are right, `verbosity` is only long.
    """

    fault: str
    response: str
    level: int
    status: str = ""
    changes: tuple[ChangeEntry, ...] = ()
    expected_changes: tuple[ChangeEntry, ...] = ()


class ChangePlanter:
    """Makes the variants of tasks of which the state counts.

    Args:
        words: texts of responses, see `planted.toml`.
    """

    def __init__(self, suite: Suite, words: Mapping[str, Any]) -> None:
        self._tasks = tuple(task for task in suite.tasks if task.expected)
        self._scorer = OutcomeScorer(suite.env)
        self._words = words
        texts = (v for task in self._tasks for action in task.expected for v in action.arguments.values())
        self._people = sorted({match for text in texts for match in _PERSON.findall(text)})

    def variants(self, task: Task, draw: Random) -> list[Variant]:
        """The variants of a task; empty if its right outcome changes nothing."""
        right = self._outcome(task, task.expected)
        wanted = change_entries(right.changes)
        if not wanted:
            return []
        status = "" if task.answer is None else "answered"
        first, second = draw.sample(self._words["done"], 2)
        before, *after = draw.sample(self._words["padding"], 6)

        def variant(fault: str, response: str, level: int, changes: tuple[ChangeEntry, ...]) -> Variant:
            return Variant(fault, response, level, status, changes, wanted)

        variants = [
            variant("clean", first, 5, wanted),
            variant("paraphrase", second, 5, wanted),
            variant("verbosity", " ".join((before, first, *after)), 4, wanted),
            variant("omission", second, 1, ()),
        ]
        for fault, level, actions in self._faulty(task, draw, len(wanted)):
            made = self._outcome(task, actions)
            # A changed call may have failed, which leaves an omission in the place of the fault.
            if fault == "omission" or set(made.key) - set(right.key):
                variants.append(variant(fault, first, level, change_entries(made.changes)))
        return variants

    def _outcome(self, task: Task, actions: Sequence[Action]) -> Outcome:
        texts = tuple(format_action(action.tool, action.arguments) for action in actions)
        return self._scorer.execute(texts, task).outcome

    def _faulty(self, task: Task, draw: Random, wanted: int) -> Iterator[tuple[str, int, list[Action]]]:
        """Sets of calls with one fault each: its name, the level, the calls."""
        expected = list(task.expected)
        # A call can change several rows or no row; with one row a call the share is certain.
        if len(expected) > 1 and len(expected) == wanted:
            place = draw.randrange(len(expected))
            kept = expected[:place] + expected[place + 1 :]
            yield "omission", 3 if 2 * len(kept) >= len(expected) else 2, kept
        for fault, pattern in (("wrong person", _PERSON), ("wrong number", _FIGURE)):
            changed = self._with_other(expected, pattern, fault, draw)
            if changed is not None:
                yield fault, 2, changed
        others = [other for other in self._tasks if other.persona == task.persona and other != task]
        if others:
            yield "extra record", 2, [*expected, draw.choice(draw.choice(others).expected)]

    def _with_other(
        self, expected: list[Action], pattern: re.Pattern[str], fault: str, draw: Random
    ) -> list[Action] | None:
        """The calls with one argument changed: another person, or another figure."""
        places = [
            (n, name, match)
            for n, action in enumerate(expected)
            for name, value in action.arguments.items()
            if not name.endswith("_id") and (match := pattern.search(value))
        ]
        if not places:
            return None
        n, name, match = draw.choice(places)
        new = self._other_person(match[0], draw) if fault == "wrong person" else _other_figure(match[0], draw)
        if new is None:
            return None
        value = expected[n].arguments[name]
        arguments = {**expected[n].arguments, name: value[: match.start()] + new + value[match.end() :]}
        return [*expected[:n], Action(tool=expected[n].tool, arguments=arguments), *expected[n + 1 :]]

    def _other_person(self, old: str, draw: Random) -> str | None:
        alike = [each for each in self._people if each != old and ("@" in each) == ("@" in old)]
        return draw.choice(alike) if alike else None


def _other_figure(old: str, draw: Random) -> str:
    return f"{(int(old) + draw.choice((1, 2, 3))) % 24:0{len(old)}}"
