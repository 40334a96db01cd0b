"""What somebody may want to tell a colleague."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from random import Random
from string import Formatter

from worksmith.evals.kinds.enterprise.facts import Facts
from worksmith.tools.files.data_files import read_toml

_NEAR = (3, 90)


def draw_news(facts: Facts, random: Random, kind: str = "clauses") -> tuple[str, tuple[str, ...]]:
    """A clause, and the parts of it that a message must contain.

    Args:
        kind: `clauses`, `corrections` of a post, or what those `outside` are told.
    """
    clause: str = random.choice(_data()[kind])
    parts = {
        "day": (facts.now + timedelta(days=random.randint(*_NEAR))).date().isoformat(),
        "amount": str(random.randint(5, 400) * 500),
        "count": str(random.randint(3, 40)),
        "place": random.choice(_data()["places"]),
    }
    used = [name for _, name, _, _ in Formatter().parse(clause) if name]
    return clause.format_map(parts), tuple(parts[name] for name in used)


def draw_subject(random: Random) -> str:
    return random.choice(_data()["subjects"])


def sentence(clause: str) -> str:
    """A clause as a message."""
    return clause[0].upper() + clause[1:] + "."


@cache
def _data() -> dict[str, list[str]]:
    return read_toml(__package__, "news.toml")
