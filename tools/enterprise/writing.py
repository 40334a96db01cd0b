"""What the write tools share: the answer they give, and when they say that something happened."""

from __future__ import annotations

from typing import Any, Literal

from tools.desk import Desk
from tools.enterprise.schema import KEYS

Done = Literal["created", "updated", "deleted"]


def done(source: str, key: str, what: Done, **more: Any) -> dict[str, Any]:
    """What a write tool returns: the record's key and what happened to it."""
    return {KEYS[source]: key, **more, "done": what}


def today(desk: Desk) -> str:
    """The day of the episode's clock, as cells hold it."""
    return desk.now.date().isoformat()


def moment(desk: Desk) -> str:
    """The time of the episode's clock, as cells hold it."""
    return desk.now.isoformat(timespec="seconds")
