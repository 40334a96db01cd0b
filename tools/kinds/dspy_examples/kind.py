"""The world kind of plain DSPy programs: nothing is in it, and nothing can be done."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw

from tools.errors import InputError
from tools.persona import Persona
from tools.policy import Decision
from tools.seeding import digest_bytes
from tools.world import World, WorldManifest
from tools.world_kind import WorldKind

USER = Persona(id="user", name="User", department="")
_NOW = datetime(2000, 1, 1)


class _Nothing:
    """No rules, since there is nothing to protect."""

    digest = ""

    def decide(self, persona: Persona, tool: str, arguments: Mapping[str, Any]) -> Decision:
        return Decision(True, "nothing")

    def unreadable(
        self, persona: Persona, references: frozenset[str], connection: apsw.Connection
    ) -> frozenset[str]:
        return frozenset()

    def visible(self, persona: Persona, tool: str, value: Any) -> Any:
        return value


def _find_persona(_world: World, persona_id: str) -> Persona:
    if persona_id != USER.id:
        raise InputError(f"there is no persona {persona_id!r}", hint=f"there is {USER.id}")
    return USER


DSPY_EXAMPLES = WorldKind(
    name="dspy_examples",
    tables=(),
    toolkits=(),
    shared_toolkits=(),
    open_policy=lambda _world: _Nothing(),
    find_persona=_find_persona,
    house_rules="",
)


def empty_world() -> World:
    """The one world of this kind. It lies in no file."""
    connection = apsw.Connection(":memory:")
    connection.execute("VACUUM")
    image = connection.serialize("main")
    manifest = WorldManifest(
        kind=DSPY_EXAMPLES.name,
        origin="examples",
        now=_NOW,
        persona=USER,
        counts={},
        database=digest_bytes(image),
    )
    manifest = manifest.model_copy(update={"digest": manifest.content_digest})
    return World(Path("examples"), manifest, image)
