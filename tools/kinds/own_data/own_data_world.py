"""The kind of worlds of user data. Tables and toolkits come with each environment."""

from __future__ import annotations

import tomllib
from importlib.resources import files

from worksmith.tools.access.access_policy import load_policy
from worksmith.tools.tool import FinishCall
from worksmith.tools.world_kind import WorldKind, own_persona

_FOLDER = files("worksmith.tools.kinds.own_data")

_FINISH = tomllib.loads(_FOLDER.joinpath("finish.toml").read_text(encoding="utf-8"))

OWN_DATA = WorldKind(
    name="own_data",
    tables=(),
    toolkits=(),
    shared_toolkits=(),
    open_policy=lambda _: load_policy('{"sources": {}}', ()),
    find_persona=own_persona,
    house_rules=_FOLDER.joinpath("house_rules.txt").read_text(encoding="utf-8").strip(),
    finish=FinishCall(_FINISH["summary"], _FINISH["arguments"]),
)

ANNOUNCED_FINISH = FinishCall(_FINISH["summary"], _FINISH["arguments"] | _FINISH["announced"])
"""If results have the note on unreadable records, an answer may be `partial` too."""
