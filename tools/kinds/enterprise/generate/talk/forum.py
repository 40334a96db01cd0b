"""The problems that the forum is about: what belongs together in a question and its answers."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from worksmith.tools.kinds.enterprise.generate.wording import FEW, texts

_SLOT = re.compile(r"\{([a-z]+)\}")
_NUMBERS = {
    "n": r"\d+",
    "nth": r"\d+(?:st|nd|rd|th)",
    "few": "|".join(FEW),
    "large": r"\d+",
    "version": r"\d+\.\d+",
}
"""The slots that are not in a pool, as patterns."""


@dataclass(frozen=True)
class Problem:
    """A trouble that somebody may have, with what helps and what does not.

    All texts have slots, see `Problem.slots`.

    Attributes:
        titles, happens: wordings of what the asker sees.
        tried: what did not help the asker, who says so in the question.
        fixes: wordings of what helps, each with a line of code that shows it, or none; `why` says why.
        wrong: what others propose, and what the asker says after trying it.
    """

    skill: str
    prefix: str
    titles: tuple[str, ...]
    happens: tuple[str, ...]
    tried: tuple[str, ...]
    fixes: tuple[tuple[str, str], ...]
    why: tuple[str, ...]
    wrong: tuple[tuple[str, str], ...]
    pools: tuple[tuple[str, tuple[str, ...]], ...]

    def slots(self, numbers: random.Random) -> dict[str, str]:
        """Values for the slots of all its texts."""
        n = numbers.randint(2, 30)
        return {
            **{name: numbers.choice(values) for name, values in self.pools},
            "n": str(n),
            "nth": f"{n}{_ending(n)}",
            "few": numbers.choice(FEW),
            "large": str(numbers.randint(12, 94) * 10),
            "version": f"{numbers.randint(2, 9)}.{numbers.randint(0, 14)}",
        }


def filled(text: str, slots: Mapping[str, str]) -> str:
    """`text` with its slots filled; other braces, as code has them, stay."""
    return _SLOT.sub(lambda found: slots.get(found[1], found[0]), text)


@cache
def forum_problems() -> tuple[Problem, ...]:
    """All problems, skill by skill."""
    return tuple(
        one
        for skill, file in texts("overflow/words")["skills"].items()
        for one in _problems(skill, texts(f"overflow/{file}"))
    )


@cache
def problem_of(title: str) -> Problem:
    """The problem of which this is a title with its slots filled.

    Raises:
        KeyError: no problem has it.
    """
    for one in forum_problems():
        if any(pattern(form, one.skill).fullmatch(title) for form in one.titles):
            return one
    raise KeyError(title)


@cache
def pattern(form: str, skill: str) -> re.Pattern[str]:
    """A text of a skill with its slots filled, as a pattern. Slots of no problem stand for anything short."""
    pools = {name: "|".join(map(re.escape, values)) for name, values in of_skill(skill)[0].pools}
    pools |= _NUMBERS
    parts = re.split(r"\{([a-z_]+)\}", form)
    slots = (f"(?:{pools[name]})" if name in pools else r"[^\n]{1,60}?" for name in parts[1::2])
    return re.compile(
        "".join(f"{re.escape(text)}{slot}" for text, slot in zip(parts[::2], (*slots, ""), strict=True))
    )


def is_technical(problem: Problem) -> bool:
    """Whether only people of technical projects have it."""
    return problem.skill not in texts("overflow/words")["office"]


@cache
def of_skill(skill: str) -> tuple[Problem, ...]:
    return tuple(one for one in forum_problems() if one.skill == skill)


def _problems(skill: str, data: Mapping[str, Any]) -> Iterator[Problem]:
    pools = {**texts("overflow/words")["slots"], **data.get("slots", {})}
    for one in data["problems"]:
        yield Problem(
            skill=skill,
            prefix=data["prefix"],
            titles=tuple(one["title"]),
            happens=tuple(one["happens"]),
            tried=tuple(one["tried"]),
            fixes=tuple(zip(one["fix"], _codes(one["code"], len(one["fix"])), strict=True)),
            why=tuple(one["why"]),
            wrong=tuple((fix, failed) for fix, failed in one["wrong"]),
            pools=tuple((name, tuple(values)) for name, values in pools.items()),
        )


def _codes(code: str | list[str], count: int) -> list[str]:
    return [code] * count if isinstance(code, str) else code


def _ending(number: int) -> str:
    return "th" if 10 < number < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
