"""`worksmith report`: runs as one page, or as tables and figures for elsewhere."""

from __future__ import annotations

from pathlib import Path

import typer

from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import say
from worksmith.jobs.settings.runs import ReportSettings
from worksmith.tools.files.atomic import check_free


@from_settings(ReportSettings)
def report_runs(settings: ReportSettings, as_json: JsonFlag = False) -> None:
    """Report runs: scores, costs, failure modes and every episode.

    The page needs no network. CSV and JSON have each figure with its interval; JSON also has the command
    that lists the episodes behind it. With --json it goes to stdout, and a file is written only with --out.
    """
    from worksmith.jobs.runs.reporting import format_of, report_runs

    form = format_of(settings)
    file = settings.out or (Path("report.html") if form == "html" and not as_json else None)
    if file is not None:
        check_free(file, force=settings.force)
    report = report_runs(settings)
    if as_json or file is None:
        typer.echo(report.text("json" if as_json else form), nl=False)
    if file is not None:
        say(report.write(file, form))
