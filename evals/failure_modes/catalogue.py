"""The failure modes and their meanings."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

UNEXPLAINED = "unexplained"


@dataclass(frozen=True)
class FailureMode:
    """A way in which an episode goes wrong.

    Attributes:
        title: as tables show it.
        group: the part of an episode: `run`, `access`, `plan`, `read`, `act`, `answer` or `other`.
        meaning: one sentence.
    """

    name: str
    title: str
    group: str
    meaning: str


@cache
def failure_modes() -> dict[str, FailureMode]:
    """All failure modes by name, in the order of tables."""
    text = files("worksmith.evals.failure_modes").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return {name: FailureMode(name, **entry) for name, entry in tomllib.loads(text).items()}
