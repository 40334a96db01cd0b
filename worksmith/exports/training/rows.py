"""Rows of training data: chats to imitate, and pairs of a better and a worse turn."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from worksmith.exports.training.sources import LEAKED, Source
from worksmith.exports.training.trajectories import ASSISTANT, ChatTrajectory, Message

Columns = dict[str, list[Message]]

DENIED = "denied call"
"""Why a turn is rejected: its call was denied, and the chosen one's was not."""


@dataclass(frozen=True)
class Row:
    """A row of a file.

    Attributes:
        columns: `messages`; `prompt` and `completion`; or `prompt`, `chosen` and `rejected`.
        about: the trajectory that it shows, or whose turn it prefers.
        before: those that a document shows before it.
        renamed: whether their tools and arguments have new names.
        against: the trajectory whose turn it rejects.
        fault: why.
    """

    columns: Columns
    about: ChatTrajectory
    against: ChatTrajectory | None = None
    fault: str = ""
    before: tuple[ChatTrajectory, ...] = ()
    renamed: bool = False

    @property
    def messages(self) -> list[Message]:
        return [message for column in self.columns.values() for message in column]

    def data(self, sources: Sequence[Source], *, origin: bool) -> dict[str, Any]:
        """The row as data; with its origin, if asked for."""
        if not origin:
            return dict(self.columns)
        persona = self.about.task.persona or self.about.suite.world.manifest.persona
        told = {
            "kind": self.about.suite.manifest.kind,
            "suite": self.about.suite.digest,
            "task": self.about.task.id,
            "intent": self.about.intent,
            "persona": persona.id,
            "source": sources[self.about.source].name,
        }
        if self.against is not None:
            told |= {"rejected_source": sources[self.against.source].name, "fault": self.fault}
        if self.before:
            told |= {"before": " ".join(one.task.id for one in self.before)}
        if self.renamed:
            told |= {"renamed": "yes"}
        return {**self.columns, "origin": told}


def imitation_rows(trajectories: Iterable[ChatTrajectory]) -> list[Row]:
    """A row for each successful trajectory; none twice.

    The chat that made a plan is another row.
    """
    return once(
        Row({"messages": list(chat)}, one)
        for one in trajectories
        if not one.fault
        for chat in filter(None, (one.plan, one.messages))
    )


def preference_rows(trajectories: Iterable[ChatTrajectory], *, rest: bool) -> tuple[list[Row], Counter[str]]:
    """A row for each failed trajectory of a task that another one did, from where they part.

    Of several successful ones that counts which has the most turns in common with the failed one.

    Args:
        rest: whether a column has all that follows, or the next turn alone.

    Returns:
        The rows, and the reasons of failed trajectories without rows, with counts.
    """
    tasks: dict[tuple[str, str], list[ChatTrajectory]] = defaultdict(list)
    for one in trajectories:
        tasks[one.suite.digest, one.task.id].append(one)
    rows, lacking = [], Counter[str]()
    for together in tasks.values():
        good = [one for one in together if not one.fault]
        for bad in (one for one in together if one.fault):
            parted = [(place, one) for one in good if (place := _parting(one, bad)) is not None]
            if not parted:
                lacking["never parts from a successful one" if good else "nobody did the task"] += 1
                continue
            if bad.fault == LEAKED:
                lacking["told what its persona may not read"] += 1
                continue
            place, best = max(parted, key=lambda pair: pair[0])
            end = None if rest else place + 1
            columns = {
                "prompt": list(best.messages[:place]),
                "chosen": list(best.messages[place:end]),
                "rejected": list(bad.messages[place:end]),
            }
            rows.append(Row(columns, best, bad, _fault(bad, place)))
    kept = once(rows)
    if len(kept) < len(rows):
        lacking["same as another"] = len(rows) - len(kept)
    return kept, lacking


def _parting(good: ChatTrajectory, bad: ChatTrajectory) -> int | None:
    """The place of the first turn that differs; None if it is not one of the assistant in both.

    Turns with the same call are the same, with any order of its arguments and any thought before it.
    """
    turn = 0
    for place, (one, other) in enumerate(zip(good.messages, bad.messages, strict=False)):
        both = {one["role"], other["role"]} == {ASSISTANT}
        if one != other and not (both and _same_call(good, bad, turn)):
            return place if both else None
        turn += both
    return None


def _same_call(good: ChatTrajectory, bad: ChatTrajectory, turn: int) -> bool:
    return turn < min(len(good.calls), len(bad.calls)) and good.calls[turn] == bad.calls[turn]


def _fault(bad: ChatTrajectory, place: int) -> str:
    turn = sum(message["role"] == ASSISTANT for message in bad.messages[:place])
    return DENIED if turn < len(bad.denied) and bad.denied[turn] else bad.fault


def once(rows: Iterable[Row]) -> list[Row]:
    """The rows without those whose columns another one has."""
    kept = {repr(row.columns): row for row in reversed(list(rows))}
    return list(reversed(kept.values()))
