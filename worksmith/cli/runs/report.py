"""`worksmith report`: runs as one page, or as tables and figures for elsewhere."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worksmith.cli.options import JsonFlag, RunsArgument, TrackingUriOption, say

if TYPE_CHECKING:
    from evals.records.run_card import LoadedRun
    from evals.reporting.report import Report
    from evals.running.study import Study
    from evals.suite import Suite
    from evals.table import Grid

FORMATS = {"html": ".html", "md": ".md", "csv": ".csv", "json": ".json", "latex": ".tex"}
"""By name, and by how files of each end."""


def report_runs(
    runs: RunsArgument,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Where to write it.", show_default="report.html; other formats to stdout"
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help=f"{', '.join(FORMATS)}.",
            autocompletion=lambda: list(FORMATS),
            show_default="by the file's name, else html",
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="What stands above it.")] = "Report",
    suite: Annotated[
        Path | None,
        typer.Option(help="Imported suite: RUN may then be published prediction files or folders of them."),
    ] = None,
    published: Annotated[
        bool, typer.Option("--published", help="Put the figures of the suite's paper beside ours.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    tracking_uri: TrackingUriOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Report runs: how they compare, at what cost, where they fail, and every episode to open.

    The page needs no network. CSV and JSON have each figure with its interval; JSON also has the command
    that lists the episodes behind it. With --json it goes to stdout, and a file is written only with --out.
    """
    from evals.suite import Suite
    from evals.tracking.run_loading import open_runs
    from tools.errors import InputError
    from tools.files.atomic import write_atomically

    chosen = _format(form, out)
    target = out or (Path("report.html") if chosen == "html" and not as_json else None)
    if target is not None and target.exists() and not force:
        raise InputError("the file is already there", where=str(target), hint="add --force or choose another")
    opened = Suite.open(suite) if suite else None
    loaded = open_runs(runs, tracking_uri=tracking_uri, suite=opened)
    report = _report(loaded, title, opened, published)
    named = shlex.join([*runs, *(["--suite", str(suite)] if suite else [])])
    if as_json or target is None:
        typer.echo(_written(report, "json" if as_json else chosen, named), nl=False)
    if target is None:
        return
    text = _written(report, chosen, named)
    write_atomically(target, text.encode("utf-8", "replace"))
    programs = f"{len(loaded)} program{'' if len(loaded) == 1 else 's'}"
    say(f"{len(report.episodes)} episodes of {programs}: {target} ({len(text.encode()):,} bytes)")


def _report(runs: list[LoadedRun], title: str, suite: Suite | None, published: bool) -> Report:
    """The report of one run, or of several side by side."""
    from evals.reporting.report import Section, study_report
    from evals.reporting.study import setting_of, study_of
    from worksmith.jobs.history import histories

    study = study_of(runs)
    extra = []
    if suite is not None and suite.world.manifest.origin == "workbench":
        from evals.kinds.office.workbench.tables import paper_grids

        extra = [Section("The paper's tables", tuple(paper_grids(study)))]
    elif published:
        extra = [Section("Published figures", tuple(_published(study, runs)))]
    return study_report(study, title=title, setting=setting_of(runs), histories=histories(runs), extra=extra)


def _published(study: Study, runs: list[LoadedRun]) -> list[Grid]:
    from evals.reporting.published import beside_published
    from evals.reporting.report import console_grids
    from tools.errors import InputError

    kinds = {run.card.kind for run in runs}
    found = [grid for kind in sorted(kinds) for grid in beside_published(kind, console_grids(study))]
    if not found:
        raise InputError(
            f"no published figures for {' and '.join(sorted(kinds)) or 'runs without a card'}",
            where="--published",
        )
    return found


def _format(form: str | None, out: Path | None) -> str:
    from tools.errors import InputError

    if form is not None:
        if form not in FORMATS:
            raise InputError(f"no format {form!r}", where="--format", hint=f"there are {', '.join(FORMATS)}")
        return form
    endings = {ending: name for name, ending in FORMATS.items()}
    return endings.get(out.suffix, "html") if out else "html"


def _written(report: Report, form: str, runs: str) -> str:
    if form == "html":
        return report.html()
    if form == "md":
        return report.markdown()
    if form == "csv":
        return report.csv(runs)
    if form == "json":
        return json.dumps(report.to_json(runs), indent=1) + "\n"
    return report.latex()
