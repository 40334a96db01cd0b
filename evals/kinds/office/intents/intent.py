"""Intents: kinds of office tasks with their wording, the draws of their slots and their changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from worksmith.evals.kinds.office.intents.known import Known
from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.records import Records
from worksmith.evals.tasks.task import Action
from worksmith.tools.files.data_files import read_toml

Slots = Mapping[str, str]
Desk = Known | PlanRecorder
"""Where records are found and changed: the records themselves, or the tools of an episode."""

Draw = Callable[[Records, Random], Slots | None]
Act = Callable[[Desk, Slots], None]
"""The work of a task: finds records at a desk and changes them. One logic gives answer and gold plan."""


@dataclass(frozen=True)
class Intent:
    """One kind of task.

    Attributes:
        code: its short name, as in the specification of the published system.
        domains: the toolkits that its tasks need.
        phrasings: texts with {slots}.
        wordings: more of them, for suites to train on.
        empty_share: of its tasks, the share for which nothing is to be done.
    """

    id: str
    code: str
    domains: tuple[str, ...]
    title: str
    phrasings: tuple[str, ...]
    wordings: tuple[str, ...]
    empty_share: float
    draw: Draw
    act: Act

    def text(self, phrasing: int, slots: Slots) -> str:
        """A task's text."""
        return (*self.phrasings, *self.wordings)[phrasing].format_map(slots)

    def answer(self, records: Records, slots: Slots) -> list[Action]:
        """The writing calls that do a task."""
        desk = Known(records)
        self.act(desk, slots)
        return desk.actions


Logic = tuple[Draw, Act]


def intents(
    file: str, logic: Mapping[str, Logic] | Callable[[Mapping[str, Any]], Logic]
) -> tuple[Intent, ...]:
    """The intents of one data file of this package, joined with their logic.

    Args:
        logic: by code, or read from the row of the file that states it.

    Raises:
        ValueError: if file and logic do not name the same codes; a mistake in this package, not in input.
    """
    entries: list[dict[str, Any]] = read_toml(__package__, file)["intents"]
    wordings: dict[str, list[str]] = read_toml(__package__, f"{file.partition('/')[0]}/wordings.toml")
    logic = {entry["code"]: logic(entry) for entry in entries} if callable(logic) else logic
    codes = [entry["code"] for entry in entries]
    if sorted(codes) != sorted(logic):
        raise ValueError(f"{file} has {codes}, the code has {list(logic)}")
    return tuple(
        Intent(
            id=entry["id"],
            code=entry["code"],
            domains=tuple(entry["domains"]),
            title=entry["title"],
            phrasings=tuple(entry["phrasings"]),
            wordings=tuple(wordings[entry["id"]]),
            empty_share=entry.get("empty_share", 0.0),
            draw=logic[entry["code"]][0],
            act=logic[entry["code"]][1],
        )
        for entry in entries
    )
