"""Values of worlds and their kinds for completion in shells; empty without any."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from worksmith.tools.world import World


def world_kinds() -> list[str]:
    """The kinds of worlds."""
    from worksmith.tools.world_kind import WORLD_KINDS

    return list(WORLD_KINDS.names())


def tool_categories() -> list[str]:
    """The categories of functions that programs can do without."""
    from worksmith.tools.world_kind import WORLD_KINDS

    return [category for kind in WORLD_KINDS.all() for category in kind.categories]


def live_systems() -> list[str]:
    """The live systems that tools of any kind can work on."""
    from worksmith.tools.world_kind import WORLD_KINDS

    return [name for kind in WORLD_KINDS.all() for name in kind.live_systems]


def personas(context: typer.Context) -> list[str]:
    """The personas of the suite on the command line, where they are few enough to choose from."""
    from worksmith.tools.errors import InputError
    from worksmith.tools.world_kind import world_kind

    world = _world(context)
    try:
        return list(world_kind(world.manifest.kind).persona_ids(world)) if world else []
    except InputError:
        return []


def sources(context: typer.Context) -> list[str]:
    """The sources of the suite on the command line."""
    from worksmith.tools.world_kind import world_kind

    world = _world(context)
    return [table.name for table in world_kind(world.manifest.kind).tables] if world else []


def _world(context: typer.Context) -> World | None:
    from worksmith.tools.errors import InputError
    from worksmith.tools.world import World

    # If the last option has no value yet, typer leaves all arguments unparsed.
    named = context.params.get("suite") or next(iter(context.args), None)
    if named is None:
        return None
    try:
        return World.open(Path(str(named)))
    except InputError:
        return None
