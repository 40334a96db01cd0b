"""Generated CRM suites: an org with its settings, roles and truths, and questions of nine kinds about it."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from worksmith.evals.tasks.building import BuildContext, BuildOptions, Made, SuiteBuilder
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.kinds.crm.access.policy import persona_of
from worksmith.tools.kinds.crm.access.roles import POLICY_FILE, packaged_policy
from worksmith.tools.kinds.crm.generate import DEFAULT_NOW, Built, build
from worksmith.tools.kinds.crm.generate.industry import (
    DEFAULT_INDUSTRY,
    Industry,
    industry_file,
    industry_names,
    open_industry,
)
from worksmith.tools.kinds.crm.schema import TABLES
from worksmith.tools.kinds.crm.settings import Mode, OrgSettings, write_settings
from worksmith.tools.kinds.crm.sosl.tables import SEARCH_TABLES, search_rows
from worksmith.tools.world import World, write_world

LATENT_FILE = "latent.jsonl"
"""The truths behind a generated org's records, one a line. For people: no tool reads it."""


class CrmOptions(BuildOptions):
    """Settings of a CRM suite.

    Attributes:
        mode: by which rules answers are found.
        industry: what the company sells: name of a packaged industry, or a TOML file; None for the
            usual one.
    """

    mode: Mode = Field(
        default="clean",
        description="How answers of a crm suite are found: clean (by the policies that agents are told) "
        "or faithful (as the published system computes them).",
    )
    industry: str | None = Field(
        default=None,
        description="What a crm company sells: shoes (usual), furniture, or a .toml file of yours.",
    )


def build_crm(place: Path, options: CrmOptions, context: BuildContext) -> Made:
    """Generate an org and the questions about it, as many as its size can carry.

    Raises:
        InputError: the scale is out of range, or the industry is unknown.
    """
    from worksmith.evals.kinds.crm.generate import generate

    industry = _industry(options)

    seed, scale, mode = options.seed, options.scale, options.mode
    context.progress(f"generating a CRM org (seed {seed}, scale {scale:g}, {mode} answers)")
    world, built = build_world(place, seed, scale, mode, industry)
    context.progress("drawing questions and finding their answers in three ways")
    generated = generate(world, built, mode, seed)
    for family, count in generated.unfilled.items():
        context.progress(f"the org is too small for {count} more questions of {family}")
    return Made(world, generated.tasks)


def forecast_crm(options: CrmOptions) -> dict[str, int]:
    """How many tasks a build aims at; it asks no model.

    Raises:
        InputError: the industry is unknown.
    """
    from worksmith.evals.kinds.crm.families.registry import FAMILIES
    from worksmith.evals.kinds.crm.generate import Sizes

    _industry(options)
    return {
        "tasks": len(FAMILIES) * sum(Sizes.of_scale(options.scale).by_split().values()),
        "model_calls_at_most": 0,
    }


def _industry(options: CrmOptions) -> Industry:
    return open_industry(DEFAULT_INDUSTRY if options.industry is None else options.industry)


def _industries() -> dict[str, Path]:
    return {name: industry_file(name) for name in industry_names()}


BUILDER = SuiteBuilder(CrmOptions, build_crm, forecast_crm, _industries)


def build_world(
    out: Path, seed: int, scale: float, mode: Mode = "clean", industry: Industry | None = None
) -> tuple[World, Built]:
    """Generate an org without tasks in `out`, and say what it was made from."""
    built = build(seed, scale, industry=industry)
    return write_org(out, built, mode), built


def write_org(out: Path, built: Built, mode: Mode) -> World:
    """Write an org to `out`, with its settings, roles and truths."""
    write_settings(out, OrgSettings(mode=mode))
    write_atomically(out / POLICY_FILE, packaged_policy().encode())
    write_atomically(out / LATENT_FILE, "".join(built.latent_lines()).encode())
    return write_world(
        out,
        [*TABLES, *SEARCH_TABLES],
        {**built.rows, **search_rows(built.rows)},
        kind="crm",
        origin="generated",
        now=DEFAULT_NOW,
        persona=persona_of("service_manager"),
        seed=built.seed,
        scale=built.scale,
        industry=built.industry.label,
    )
