"""The kinds of faults: what each means, and what the papers call it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

UNEXPLAINED = "unexplained"


@dataclass(frozen=True)
class FaultKind:
    """A way in which an episode goes wrong.

    Attributes:
        title: as tables show it.
        group: where in an episode it happens: `run`, `access`, `plan`, `read`, `act`, `answer` or `other`.
        meaning: one sentence.
        papers: what a paper calls it, by paper; only where it names such a thing.
    """

    name: str
    title: str
    group: str
    meaning: str
    papers: dict[str, str]


@cache
def fault_kinds() -> dict[str, FaultKind]:
    """All kinds by name, in the order of tables."""
    text = files("evals.failure_modes").joinpath("kinds.toml").read_text(encoding="utf-8")
    return {
        name: FaultKind(name, entry["title"], entry["group"], entry["meaning"], entry.get("papers", {}))
        for name, entry in tomllib.loads(text).items()
    }
