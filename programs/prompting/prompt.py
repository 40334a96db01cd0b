"""The texts an agent's prompts are made of: context, tools, plans, progress."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from worksmith.programs.prompting.shortened import shortened
from worksmith.programs.prompting.steps import Step
from worksmith.tools.tool import WITHOUT_ANSWER, FinishCall

if TYPE_CHECKING:
    from worksmith.tools.persona import Persona
    from worksmith.tools.tool import Tool, Toolset

# Not strftime: its names follow the machine's locale.
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_NO_NAMES: Mapping[str, str] = {}

_CLOCK = re.compile(rf"Now: (?:{'|'.join(_WEEKDAYS)}) (\d{{4}}-\d\d-\d\d) ")

_WEEK, _WEEKS = range(1, 8), range(2, 9)
"""Days and weeks from the clock that a calendar has."""


def context_text(now: datetime, persona: Persona, departments: Mapping[str, str] = _NO_NAMES) -> str:
    """The clock and the persona of an episode, with id and rank where a world knows ranks.

    Args:
        departments: names of departments by code.
    """
    who = persona.name
    if persona.level:
        department = departments.get(persona.department, persona.department)
        who += f" ({persona.id}, {department}, level {persona.level})"
    return f"Now: {_WEEKDAYS[now.weekday()]} {now:%Y-%m-%d %H:%M}. Working for: {who}."


def calendar_text(context: str) -> str:
    """The days around the clock of a context, for models that cannot count days; empty without a clock.

    It has the coming week by weekday, the past week by days ago, and the same weekday of weeks before.
    """
    clock = _CLOCK.match(context)
    if clock is None:
        return ""
    today = date.fromisoformat(clock[1])
    coming = (today + timedelta(days=number) for number in _WEEK)
    past = [(f"{number}d", timedelta(days=number)) for number in _WEEK]
    past += [(f"{number}w", timedelta(weeks=number)) for number in _WEEKS]
    days = ", ".join(f"{_WEEKDAYS[day.weekday()][:3]} {day:%m-%d}" for day in coming)
    return f"Next: {days}. Ago: {', '.join(f'{name} {today - back:%m-%d}' for name, back in past)}."


def with_policies(clock: str, policies: str) -> str:
    """The context of an episode: the clock's line and, as a paragraph below it, the task's own context."""
    return f"{clock}\n\n{policies.strip()}" if policies.strip() else clock


def tools_text(toolset: Toolset, finish: FinishCall = WITHOUT_ANSWER) -> str:
    """The tools of an episode and `finish`, one paragraph each."""
    return _tools_text(tuple(toolset.values()), finish)


@lru_cache(maxsize=64)
def _tools_text(tools: tuple[Tool, ...], finish: FinishCall) -> str:
    return "\n".join([*(tool.text for tool in tools), finish.text])


def progress_text(steps: Sequence[Step], length: int | None = None) -> str:
    """The steps so far, for a planner that revises its plan.

    Args:
        length: the most characters of an observation; None for all.
    """
    shown = []
    for number, step in enumerate(steps, start=1):
        arguments = json.dumps(step["arguments"], ensure_ascii=False)
        seen = step["observation"] if length is None else shortened(step["observation"], length)
        shown.append(f"{number}. {step['tool']} {arguments}: {seen}")
    return "\n".join(shown)
