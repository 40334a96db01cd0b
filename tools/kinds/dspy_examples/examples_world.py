"""The world kind of plain DSPy programs: nothing is in it, and nothing can be done."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import apsw

from worksmith.tools.persona import Persona
from worksmith.tools.policy import Unrestricted
from worksmith.tools.seeding import digest_bytes
from worksmith.tools.world import World, WorldManifest
from worksmith.tools.world_kind import WorldKind, own_persona

USER = Persona(id="user", name="User", department="")
_NOW = datetime(2000, 1, 1)


DSPY_EXAMPLES = WorldKind(
    name="dspy_examples",
    tables=(),
    toolkits=(),
    shared_toolkits=(),
    open_policy=lambda _: Unrestricted(),
    find_persona=own_persona,
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
