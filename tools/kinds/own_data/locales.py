"""How languages write numbers, yes and no."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from worksmith.tools.errors import unknown


@dataclass(frozen=True)
class Locale:
    """How a language writes what answers hold.

    Attributes:
        comma: whether numbers have a decimal comma: 1.234,50.
        yes, no: its words, besides the English ones.
    """

    comma: bool
    yes: tuple[str, ...]
    no: tuple[str, ...]


ENGLISH = Locale(comma=False, yes=(), no=())


def locale_called(name: str) -> Locale:
    """The locale of a language, or of a language in a country, such as `de` or `de-CH`."""
    known = _locales()
    written = str(name).replace("_", "-")
    found = known.get(written) or known.get(written.partition("-")[0])
    if found is None:
        raise unknown("no locale", str(name), known, "locale")
    return found


@cache
def _locales() -> dict[str, Locale]:
    text = files("worksmith.tools.kinds.own_data").joinpath("locales.toml").read_text(encoding="utf-8")
    return {
        name: Locale(entry["comma"], tuple(entry["yes"]), tuple(entry["no"]))
        for name, entry in tomllib.loads(text).items()
    }
