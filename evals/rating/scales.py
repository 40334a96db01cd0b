"""The questions that raters answer, each on five levels."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

from worksmith.tools.errors import InputError, unknown

LEVELS = 5


class Scale(NamedTuple):
    """A question with the meaning of its levels, the lowest first.

    Attributes:
        about: the rated unit: an episode; a task, done by any program; a record of a world.
    """

    name: str
    about: Literal["episode", "task", "record"]
    question: str
    levels: tuple[str, ...]


@cache
def scales() -> dict[str, Scale]:
    data = tomllib.loads(files(__package__).joinpath("scales.toml").read_text(encoding="utf-8"))
    return {
        name: Scale(name, told["about"], told["question"], tuple(told["levels"]))
        for name, told in data.items()
    }


def scales_named(names: str) -> tuple[Scale, ...]:
    """Those in a list separated by commas."""
    known = scales()
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    for name in wanted:
        if name not in known:
            raise unknown("no scale", name, known, "--scales")
    if not wanted:
        raise InputError("no scale is named", where="--scales", hint=f"there are {', '.join(known)}")
    return tuple(known[name] for name in dict.fromkeys(wanted))
