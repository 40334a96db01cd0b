"""Generated enterprise suites: a world with its documents, rules and truths, and tasks drawn from them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from worksmith.evals.tasks.building import BuildContext, BuildOptions, Made, SuiteBuilder
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import replacing, write_atomically
from worksmith.tools.kinds.enterprise.access import POLICY_FILE, packaged_policy
from worksmith.tools.kinds.enterprise.generate import DEFAULT_NOW, Built, build
from worksmith.tools.kinds.enterprise.generate.draft import Hierarchy
from worksmith.tools.kinds.enterprise.generate.industry import (
    DEFAULT_INDUSTRY,
    Industry,
    industry_names,
    open_industry,
    packaged,
)
from worksmith.tools.kinds.enterprise.schema import TABLES
from worksmith.tools.persona import Persona
from worksmith.tools.world import World, write_world

if TYPE_CHECKING:
    from worksmith.evals.kinds.enterprise.generate import Sizes
    from worksmith.evals.kinds.enterprise.rewording import Choice

LATENT_FILE = "latent.jsonl"
"""The truths behind a generated world's texts, one record a line. For people: no tool reads it."""

_TOLD = 500
"""A build reports progress after this number of replies of the writer."""

DOCUMENTS_FOLDER = "documents"


class EnterpriseOptions(BuildOptions):
    """Settings of an enterprise suite.

    Attributes:
        writer: name of a model that rewords texts.
        reword: which texts: tasks, records, all, or names of sources, with commas between; None for tasks.
        reword_share: share of the records that it rewords; None for all.
        train: number of train tasks; None for the usual number at this scale.
        industry: what the company trades in: name of a packaged industry, or a folder; None for the usual.
    """

    train: int | None = Field(
        default=None,
        ge=1,
        le=5000,
        description="Train tasks of an enterprise; those of test and dev follow from the scale.",
    )
    writer: str | None = Field(
        default=None, description="Model that rewords texts of an enterprise. Costs model calls."
    )
    industry: str | None = Field(
        default=None,
        description="What an enterprise trades in: retail (usual), garden, or a folder of yours.",
    )
    reword: str | None = Field(
        default=None,
        description="Texts that --writer rewords: tasks (without it), records, all, or sources, with commas.",
    )
    reword_share: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Share of the records of each source that --writer rewords; without it all.",
    )

    def choice(self) -> Choice | None:
        """The texts to reword; None without any.

        Raises:
            InputError: a source is unknown, or no writer is named.
        """
        from worksmith.evals.kinds.enterprise.rewording import TASKS, Choice

        share = self.reword_share
        chosen = Choice.of(self.reword or TASKS, 1.0 if share is None else share)
        if self.writer is None and (self.reword is not None or share is not None):
            raise InputError(
                "no model is named to reword texts",
                where="--reword" if self.reword is not None else "--reword-share",
                hint="name one with --writer",
            )
        if share is not None and not chosen.sources:
            raise InputError(
                "no records are reworded",
                where="--reword-share",
                hint="name them with --reword records, or by sources",
            )
        return None if self.writer is None else chosen

    def models(self) -> tuple[str, ...]:
        return () if self.writer is None else (self.writer,)


def build_enterprise(place: Path, options: EnterpriseOptions, context: BuildContext) -> Made:
    """Generate a world and the tasks of the quota table, as many as its size can carry.

    The search index is not part of it; it is made afterwards from the finished suite.

    Raises:
        InputError: the scale is out of range, or the industry is unknown.
    """
    from worksmith.evals.kinds.enterprise.generate import generate

    seed, scale, choice = options.seed, options.scale, options.choice()
    industry = _industry(options)
    writer = context.resolve(options.writer) if options.writer is not None else None
    context.progress(f"generating an enterprise world (seed {seed}, scale {scale:g})")
    built, signature = build(seed, scale, industry=industry), ""
    if choice is not None and choice.sources:
        built, signature = _reword(built, choice, place, writer, options, context)
    world = write_enterprise(place, built, seed=seed, scale=scale, writer=signature)
    context.progress("drawing tasks and executing their gold plans")
    tasks = generate(world, built, seed, sizes=_sizes(options))
    if choice is not None and choice.tasks:
        from worksmith.evals.authoring.rewriting.writer import rewrite

        context.progress(f"having the texts of {len(tasks)} tasks rewritten")
        tasks = rewrite(tasks, writer, context.cache)
        kept = sum("kept" in task.origin for task in tasks)
        context.progress(
            f"{kept} of {len(tasks)} tasks stay as they were: their texts did not pass the checks"
        )
    return Made(world, tasks)


def _reword(
    built: Built, choice: Choice, place: Path, writer: Any, options: EnterpriseOptions, context: BuildContext
) -> tuple[Built, str]:
    """The world with reworded records, and the writer; the counts go to a file beside the world."""
    from worksmith.evals.kinds.enterprise.rewording import reword_records, write_report

    def told(done: int) -> None:
        if done % _TOLD == 0:
            context.progress(f"{done} replies to texts of records so far")

    context.progress(f"having the texts of {choice.share:.0%} of the records reworded")
    new, report = reword_records(built, choice, options.seed, writer, context.cache, told)
    write_report(place, report)
    for source, found in report["sources"].items():
        reworded, lines, many = (found[name] for name in ("lines_reworded", "lines", "texts"))
        context.progress(f"{source}: {reworded} of {lines} lines in {many} texts are reworded")
    return new, report["writer"]


def forecast_enterprise(options: EnterpriseOptions) -> dict[str, Any]:
    """The number of tasks of a build, and its requests to the writer at most: calls, and about which tokens.

    Raises:
        InputError: the industry is unknown, or no writer for what is to be reworded.
    """
    from worksmith.evals.authoring.rewriting import texts, writer
    from worksmith.evals.kinds.enterprise.rewording import TOKENS

    _industry(options)
    tasks, choice = sum(_sizes(options).by_split().values()), options.choice()
    if choice is None:
        return {"tasks": tasks, "model_calls_at_most": 0}
    asked = {"tasks": (tasks, writer.forecast())} if choice.tasks else {}
    asked |= {
        source: (count, texts.forecast(TOKENS[source]))
        for source, count in choice.texts(options.scale).items()
    }
    calls, prompt, completion = (sum(count * one[part] for count, one in asked.values()) for part in range(3))
    return {
        "tasks": tasks,
        "calls_at_most": {name: count * one[0] for name, (count, one) in asked.items()},
        "model_calls_at_most": calls,
        "prompt_tokens_at_most": prompt,
        "completion_tokens_at_most": completion,
    }


def _sizes(options: EnterpriseOptions) -> Sizes:
    from worksmith.evals.kinds.enterprise.generate import Sizes

    usual = Sizes.of_scale(options.scale)
    return usual if options.train is None else replace(usual, train=options.train)


def _industry(options: EnterpriseOptions) -> Industry:
    return open_industry(DEFAULT_INDUSTRY if options.industry is None else options.industry)


def _industries() -> dict[str, Path]:
    return {name: packaged(name).folder for name in industry_names()}


BUILDER = SuiteBuilder(EnterpriseOptions, build_enterprise, forecast_enterprise, _industries)


def build_world(out: Path, seed: int, scale: float, hierarchy: Hierarchy = "paper") -> tuple[World, Built]:
    """Generate a world without tasks in `out`, and return its parts."""
    built = build(seed, scale, hierarchy)
    return write_enterprise(out, built, seed=seed, scale=scale), built


def write_enterprise(out: Path, built: Built, *, seed: int, scale: float, writer: str = "") -> World:
    """Write a generated world to `out`: its documents, access rules and truths, then the world itself.

    The rules are a copy of the packaged ones, to be edited there.

    Args:
        writer: the model that reworded records, with the digest of its settings; empty without one.
    """
    for path, content in sorted(built.documents.items()):
        write_atomically(out / DOCUMENTS_FOLDER / path, content)
    write_atomically(out / POLICY_FILE, packaged_policy().encode())
    with replacing(out / LATENT_FILE) as file:
        file.writelines(line.encode() for line in built.latent_lines())
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
        industry=built.industry.label,
        writer=writer,
    )


def _somebody(built: Built) -> Persona:
    """The default persona: the first lead of Sales."""
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
