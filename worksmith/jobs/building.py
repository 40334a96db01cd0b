"""Make suites: generate them, or import the files of a published system."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, get_args

from pydantic import ValidationError
from rich.console import Console
from rich.table import Table

from worksmith.evals.authoring.suite_building import build_suite, import_suite
from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.lm.prices import dollars
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.reporting.suite_facts import describe
from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import buildable_kinds, importer, suite_builder
from worksmith.jobs.indexing import index
from worksmith.jobs.opening.suites import leave_out_cache
from worksmith.jobs.settings.suites import IndexSettings
from worksmith.jobs.showing.printing import Printable
from worksmith.models.resolve import resolve
from worksmith.retrievers.embedding import PACKAGED
from worksmith.retrievers.embedding.models import open_embedder
from worksmith.tools.errors import InputError, unknown
from worksmith.tools.files.directories import directory_atomically
from worksmith.tools.world_kind import no_library, world_kind

if TYPE_CHECKING:
    from worksmith.evals.tasks.building import BuildOptions
    from worksmith.jobs.settings.suites import BuildSettings, ImportSettings

WRITER_CACHE = Path("mlruns") / "writer"
"""The folder of the replies of models that reword tasks and records."""


@dataclass(frozen=True)
class SuiteFacts(Printable):
    """A suite, or the forecast of one, as facts by name."""

    found: Mapping[str, Any]

    @property
    def paid(self) -> str:
        """The requests to models that cost money, in words; empty without any."""
        calls, price = self.found.get("model_calls_at_most", 0), self.found.get("dollars_at_most")
        if not calls or price == 0:
            return ""
        cost = "for a price that is unknown" if price is None else f"for {price:.2f} dollars at most"
        return f"the build sends up to {calls:,} requests to a model, {cost}"

    def to_json(self) -> dict[str, Any]:
        return dict(self.found)

    def print(self, console: Console) -> None:
        table = Table(show_header=False, box=None, pad_edge=False)
        for name, value in self.found.items():
            table.add_row(f"[bold]{name.replace('_', ' ')}", _plain(value))
        console.print(table)


def build(settings: BuildSettings, *, progress: Progress = SILENT) -> Suite:
    """Generate a world, its tasks and its search index.

    Raises:
        InputError: the kind is unknown, a setting is not one of it, or the folder is not empty.
    """
    leave_out_cache(settings)
    options = _checked_options(settings)
    _check_folder(settings.out, settings.force)
    embedder = settings.index or PACKAGED[0]
    # First, since a world takes minutes to build.
    if embedder != "none" and _searched(settings.kind):
        open_embedder(embedder)
    with directory_atomically(settings.out) as place:
        suite = build_suite(
            settings.kind,
            place,
            progress=progress.say,
            resolve=resolve,
            cache=WRITER_CACHE,
            **options.model_dump(exclude_unset=True),
        )
        if embedder != "none" and suite.env.library is not None:
            found = index(IndexSettings(suite=place, embedder=embedder), progress=progress)
            progress.say(*found.lines)
    return Suite.open(settings.out)


def forecast_build(settings: BuildSettings) -> SuiteFacts:
    """The number of tasks and of model calls of a build, with tokens and price; nothing is built or asked.

    The price is None if that of the model is unknown.

    Raises:
        InputError: the kind or the model is unknown, or a setting is not one of the kind.
    """
    options = _checked_options(settings)
    asked = [resolve(model) for model in options.models()]
    forecast: dict[str, Any] = {**suite_builder(settings.kind).forecast(options)}
    if asked and "prompt_tokens_at_most" in forecast:
        tokens = forecast["prompt_tokens_at_most"], forecast["completion_tokens_at_most"]
        price = dollars(model_name(asked[0]), *tokens)
        forecast["dollars_at_most"] = None if price is None else math.ceil(100 * price) / 100
    return SuiteFacts({**settings.model_dump(include={"kind", "seed", "scale"}), **forecast})


def import_published(settings: ImportSettings, *, progress: Progress = SILENT) -> Suite:
    """Read a published system's own files into a suite."""
    importer(settings.system)
    _check_folder(settings.out, settings.force)
    suite = import_suite(
        settings.system, settings.source, settings.out, records=settings.org, progress=progress.say
    )
    if suite.env.library is not None:
        progress.say(f"search goes by words alone until `worksmith index {settings.out}` has been run")
    return suite


def facts_of(suite: Suite) -> SuiteFacts:
    """Describe a suite: its world, tasks, splits and digests."""
    return SuiteFacts(describe(suite))


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(item)}" for key, item in value.items())
    return "-" if value is None else str(value)


def _check_folder(out: Path, force: bool) -> None:
    if out.is_dir() and any(out.iterdir()) and not force:
        raise InputError("the directory is not empty", where=str(out), hint="--force replaces the suite")


def _checked_options(settings: BuildSettings) -> BuildOptions:
    """The settings of a build, as its kind takes them."""
    kind = settings.kind
    model: type[BuildOptions] = suite_builder(kind).options
    if settings.index is not None and not _searched(kind):
        _refuse(kind, "index", list(filter(_searched, buildable_kinds())))
    for name in settings.options:
        if name not in model.model_fields:
            _refuse(
                kind,
                name,
                [k for k in buildable_kinds() if name in suite_builder(k).options.model_fields],
            )
    try:
        return model(seed=settings.seed, scale=settings.scale, **settings.options)
    except ValidationError as error:
        wrong = error.errors()[0]
        name = str(wrong["loc"][0])
        where = f"--{name.replace('_', '-')}"
        if wrong["type"] == "literal_error":
            known = get_args(model.model_fields[name].annotation)
            raise unknown(f"no {name}", str(wrong["input"]), known, where) from error
        raise InputError(wrong["msg"], where=where) from error


def _searched(kind: str) -> bool:
    return world_kind(kind).open_library is not no_library


def _refuse(kind: str, name: str, takers: Sequence[str]) -> NoReturn:
    """Refuse an option that this kind does not take."""
    raise InputError(
        f"{kind} suites have no use for it",
        where=f"--{name.replace('_', '-')}",
        hint=f"leave it out; it is for {', '.join(takers)}" if takers else "leave it out",
    )
