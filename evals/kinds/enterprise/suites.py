"""Generated enterprise suites: a world with its documents, rules and truths, and tasks drawn from them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from evals.tasks.building import BuildContext, BuildOptions, Made, SuiteBuilder
from tools.files.atomic import write_atomically
from tools.kinds.enterprise.access import POLICY_FILE, packaged_policy
from tools.kinds.enterprise.generate import DEFAULT_NOW, Built, build
from tools.kinds.enterprise.generate.draft import Hierarchy
from tools.kinds.enterprise.schema import TABLES
from tools.persona import Persona
from tools.world import World, write_world

if TYPE_CHECKING:
    from evals.kinds.enterprise.generate import Sizes

LATENT_FILE = "latent.jsonl"
"""The truths behind a generated world's texts, one record a line. For people: no tool reads it."""

DOCUMENTS_FOLDER = "documents"


class EnterpriseOptions(BuildOptions):
    """Settings of an enterprise suite.

    Attributes:
        writer: name of a model that rewrites task texts.
        train: number of train tasks; None for the usual number at this scale.
    """

    train: int | None = Field(
        default=None,
        ge=1,
        le=5000,
        description="Train tasks of an enterprise; those of test and dev follow from the scale.",
    )
    writer: str | None = Field(
        default=None, description="Model that rewrites enterprise task texts. Costs model calls."
    )

    def models(self) -> tuple[str, ...]:
        return () if self.writer is None else (self.writer,)


def build_enterprise(place: Path, options: EnterpriseOptions, context: BuildContext) -> Made:
    """Generate a world and the tasks of the quota table, as many as its size can carry.

    The search index is not part of it; it is made afterwards from the finished suite.

    Raises:
        InputError: the scale is out of range.
    """
    from evals.kinds.enterprise.generate import generate

    seed, scale = options.seed, options.scale
    writer = context.resolve(options.writer) if options.writer is not None else None
    context.progress(f"generating an enterprise world (seed {seed}, scale {scale:g})")
    built = build(seed, scale)
    world = write_enterprise(place, built, seed=seed, scale=scale)
    context.progress("drawing tasks and executing their gold plans")
    tasks = generate(world, built, seed, sizes=_sizes(options))
    if writer is not None:
        from evals.authoring.rewriting.writer import rewrite

        context.progress(f"having the texts of {len(tasks)} tasks rewritten")
        tasks = rewrite(tasks, writer, context.cache)
    return Made(world, tasks)


def forecast_enterprise(options: EnterpriseOptions) -> dict[str, int]:
    """How many tasks a build aims at, and how often it asks the writer at most."""
    from evals.authoring.rewriting.writer import CALLS_AT_MOST

    tasks = sum(_sizes(options).by_split().values())
    return {"tasks": tasks, "model_calls_at_most": tasks * CALLS_AT_MOST if options.writer else 0}


def _sizes(options: EnterpriseOptions) -> Sizes:
    from evals.kinds.enterprise.generate import Sizes

    usual = Sizes.of_scale(options.scale)
    return usual if options.train is None else replace(usual, train=options.train)


BUILDER = SuiteBuilder(EnterpriseOptions, build_enterprise, forecast_enterprise)


def build_world(out: Path, seed: int, scale: float, hierarchy: Hierarchy = "paper") -> tuple[World, Built]:
    """Generate a world without tasks in `out`, and say what it was made from."""
    built = build(seed, scale, hierarchy)
    return write_enterprise(out, built, seed=seed, scale=scale), built


def write_enterprise(out: Path, built: Built, *, seed: int, scale: float) -> World:
    """Write a generated world to `out`: its documents, access rules and truths, then the world itself.

    The rules are a copy of the packaged ones, to be edited there.
    """
    for path, content in sorted(built.documents.items()):
        write_atomically(out / DOCUMENTS_FOLDER / path, content)
    write_atomically(out / POLICY_FILE, packaged_policy().encode())
    write_atomically(out / LATENT_FILE, "".join(built.latent_lines()).encode())
    return write_world(
        out,
        TABLES,
        built.rows,
        kind="enterprise",
        origin="generated",
        now=DEFAULT_NOW,
        persona=_somebody(built),
        seed=seed,
        scale=scale,
    )


def _somebody(built: Built) -> Persona:
    """On whose behalf to look around where nobody is named: the first lead of Sales in office."""
    people = {str(record["emp_id"]): record for record in built.records("employees")}
    chosen = next(
        record
        for record in people.values()
        if (record["department"], record["level"], record["is_valid"]) == ("SA", "10", "TRUE")
    )
    managers = []
    above = chosen["reports_to"]
    while above is not None:
        managers.append(above)
        above = people[above]["reports_to"]
    return Persona(
        id=str(chosen["emp_id"]),
        name=str(chosen["name"]),
        email=str(chosen["email"]),
        department=str(chosen["department"]),
        level=int(str(chosen["level"])),
        managers=tuple(managers),
    )
