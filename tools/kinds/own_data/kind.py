"""The kind of worlds of a user's own data. Tables and toolkits come with each environment."""

from __future__ import annotations

import tomllib
from importlib.resources import files

from tools.access.engine import load_policy
from tools.errors import InputError
from tools.persona import Persona
from tools.tool import FinishCall
from tools.world import World
from tools.world_kind import WorldKind

_FOLDER = files("tools.kinds.own_data")


def _find_persona(world: World, persona_id: str) -> Persona:
    if persona_id != world.manifest.persona.id:
        raise InputError(f"nobody called {persona_id!r}", hint=f"there is {world.manifest.persona.id}")
    return world.manifest.persona


OWN_DATA = WorldKind(
    name="own_data",
    tables=(),
    toolkits=(),
    shared_toolkits=(),
    open_policy=lambda _: load_policy('{"sources": {}}', ()),
    find_persona=_find_persona,
    house_rules=_FOLDER.joinpath("house_rules.txt").read_text(encoding="utf-8").strip(),
    finish=FinishCall(**tomllib.loads(_FOLDER.joinpath("finish.toml").read_text(encoding="utf-8"))),
)
