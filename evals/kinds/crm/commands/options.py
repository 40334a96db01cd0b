"""Arguments and messages that the commands of the CRM kind share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worksmith.evals.characters import harmless

if TYPE_CHECKING:
    from worksmith.tools.world import World

SuiteArgument = Annotated[Path, typer.Argument(help="Suite directory.")]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]


def say(message: str) -> None:
    """Print a message for people, outside the results, on stderr."""
    typer.echo(harmless(message), err=True)


def roles(context: typer.Context) -> list[str]:
    """The roles of the suite on the command line, for completion; none if the world is unknown."""
    from worksmith.tools.errors import InputError
    from worksmith.tools.kinds.crm.access.policy import role_names
    from worksmith.tools.world import World

    named = context.params.get("suite") or next(iter(context.args), None)
    try:
        return [] if named is None else list(role_names(World.open(Path(str(named)))))
    except InputError:
        return []


def crm_world(suite: Path) -> World:
    """The CRM world of a suite, or in another directory.

    Raises:
        InputError: it is unknown.
    """
    from worksmith.tools.errors import InputError
    from worksmith.tools.world import World

    world = World.open(suite)
    if world.manifest.kind != "crm":
        raise InputError(
            f"a world of kind {world.manifest.kind} is no CRM org",
            where=str(suite),
            hint="`worksmith suite build crm` makes one",
        )
    if world.manifest.elsewhere:
        raise InputError(f"the records of this world are in {world.manifest.elsewhere}", where=str(suite))
    return world
