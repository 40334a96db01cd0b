"""Calls of an agent and of a plan, compared."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from worksmith.evals.records.entries import FaultEntry
from worksmith.evals.scoring.path_scores import REFUSED
from worksmith.evals.tasks.task import Action, Task
from worksmith.tools.episode_result import CallRecord

_RESULT = re.compile(r"#(\d{1,6})")
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_ID = re.compile(r"(?:^|_)ids?$|^(?:emp|ticket|event|email|task)$")
_END = re.compile(r"(?:^|_)(?:max|end|to|until|before)(?:$|_)")


@dataclass(frozen=True)
class Move:
    """A call of an episode, its number from 1.

    Attributes:
        arguments: as text, without white space around it; those that are empty are left out.
        status: of its observation.
        text: of its observation, in lower case.
    """

    number: int
    tool: str
    arguments: Mapping[str, str]
    status: str = "ok"
    text: str = ""

    @property
    def done(self) -> bool:
        return self.status == "ok"

    @property
    def refused(self) -> bool:
        """Whether the agent's own access check kept it from being made."""
        return self.status == REFUSED


@dataclass(frozen=True)
class Evidence:
    """A wrong episode with all that its fault is found from.

    Attributes:
        writing: the tools that change something.
        free: arguments whose wording does not count.
        reading: the first fault in how the agent informed itself.
    """

    task: Task
    moves: Sequence[Move]
    writing: frozenset[str]
    free: frozenset[str] = frozenset()
    reading: FaultEntry | None = None

    def shows(self, value: str, *, before: int | None = None) -> bool:
        """Whether a value stands in the task or in the result of a call, of one before `before` if given."""
        moves = [move for move in self.moves if before is None or move.number < before]
        return shown(value, moves, self.task.query)


def moves_of(calls: Sequence[CallRecord]) -> list[Move]:
    return [
        Move(
            number,
            call.tool,
            plain(call.arguments),
            call.observation.status,
            call.observation.text.casefold(),
        )
        for number, call in enumerate(calls, start=1)
    ]


def plain(arguments: Any) -> dict[str, str]:
    """Arguments as text; empty unless they are an object of names and values."""
    if not isinstance(arguments, Mapping):
        return {}
    texts = {str(name): str(value).strip() for name, value in arguments.items() if value is not None}
    return {name: text for name, text in texts.items() if text}


@dataclass(frozen=True)
class Difference:
    """An argument that differs from the wanted one; an empty text for a missing one."""

    name: str
    given: str
    wanted: str

    @property
    def kind(self) -> str:
        """The failure mode in a call that changes something."""
        if "@" in self.wanted or ("@" in self.given and not self.wanted):
            return "wrong_address"
        if _DAY.search(self.wanted) and (not self.given or _DAY.search(self.given)):
            return "wrong_date_end" if self.day_off else "wrong_date"
        if _ID.search(self.name):
            return "wrong_record"
        return "wrong_argument"

    @property
    def is_date(self) -> bool:
        return bool(_DAY.search(self.wanted) or _DAY.search(self.given))

    @property
    def day_off(self) -> bool:
        """Whether the end of a period is wrong by one day."""
        given, wanted = _day(self.given), _day(self.wanted)
        if given is None or wanted is None or not _END.search(self.name):
            return False
        return abs((given - wanted).days) == 1

    @property
    def said(self) -> str:
        """The difference in words."""
        return f"{self.name} is {_short(self.given) or 'missing'}, not {_short(self.wanted) or 'left out'}"


@dataclass
class Alignment:
    """The calls that match the steps of a plan.

    Attributes:
        met: the number of the call that stands for a step, by the step's index.
        left: calls without a step.
    """

    plan: Sequence[Action]
    met: dict[int, int] = field(default_factory=dict)
    left: list[Move] = field(default_factory=list)


def align(plan: Sequence[Action], moves: Sequence[Move], free: frozenset[str]) -> Alignment:
    """Find for each step the first call with its tool and arguments, in any order of calls.

    Args:
        free: arguments whose wording does not count.
    """
    found = Alignment(plan, left=list(moves))
    for index, step in enumerate(plan):
        same = [
            move
            for move in found.left
            if move.tool == step.tool and not differing(move, step, free, plan, moves)
        ]
        if same:
            chosen = next((move for move in same if move.done), same[0])
            found.met[index] = chosen.number
            found.left.remove(chosen)
    return found


def differing(
    move: Move,
    step: Action,
    free: frozenset[str] = frozenset(),
    plan: Sequence[Action] = (),
    moves: Sequence[Move] = (),
) -> list[Difference]:
    """The arguments in which a call differs from the step. Letter case does not count."""
    wanted = plain(step.arguments)
    found = []
    for name in dict.fromkeys([*wanted, *move.arguments]):
        given, want = move.arguments.get(name, ""), wanted.get(name, "")
        if name in free and given and want:
            continue
        if given.casefold() != want.casefold() and not _same_result(given, want, plan, moves):
            found.append(Difference(name, given, want))
    return found


def shown(value: str, moves: Sequence[Move], query: str) -> bool:
    """Whether a value stands in the task or in the result of a call."""
    text = value.casefold()
    return text in query.casefold() or any(move.done and text in move.text for move in moves)


def _same_result(given: str, wanted: str, plan: Sequence[Action], moves: Sequence[Move]) -> bool:
    """Whether both refer to a result (`#2`) of the same tool; agents may have made other calls between."""
    ours, theirs = _RESULT.fullmatch(given), _RESULT.fullmatch(wanted)
    if ours is None or theirs is None:
        return False
    a, b = int(ours[1]), int(theirs[1])
    return 0 < a <= len(moves) and 0 < b <= len(plan) and moves[a - 1].tool == plan[b - 1].tool


def _day(text: str) -> date | None:
    found = _DAY.search(text)
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
