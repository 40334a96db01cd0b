"""The result of one check."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Status = Literal["ok", "warning", "failure"]


@dataclass(frozen=True)
class Check:
    """A check with its result.

    Attributes:
        subject: the machine, or the name of a model.
        said: the finding, without credentials.
        remedy: what to do; empty without one.
    """

    subject: str
    name: str
    status: Status
    said: str
    remedy: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
