"""Report runs: one page, or tables and figures for elsewhere."""

from __future__ import annotations

import json
import shlex
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from worksmith.evals.reporting.histories import histories
from worksmith.evals.reporting.html.page import Section
from worksmith.evals.reporting.published import beside_published
from worksmith.evals.reporting.report import Report, console_grids, study_report
from worksmith.evals.reporting.study import setting_of, study_of
from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import task_kind
from worksmith.evals.tracking.run_loading import open_runs
from worksmith.jobs.settings.runs import FORMATS
from worksmith.tools.errors import InputError, unknown
from worksmith.tools.files.atomic import write_atomically

if TYPE_CHECKING:
    from worksmith.evals.records.run_card import LoadedRun
    from worksmith.evals.running.study import Study
    from worksmith.evals.table import Grid
    from worksmith.jobs.settings.runs import ReportSettings


MOST_ON_PAGE = 1_000
"""Episodes of a report that is one page."""


@dataclass(frozen=True)
class RunReport:
    """A report on runs.

    Attributes:
        runs: their names, as a command line that lists their episodes takes them.
        programs: how many there are.
    """

    report: Report
    runs: str
    programs: int

    def text(self, form: str) -> str:
        """The report in one of `FORMATS`."""
        if form == "json":
            return json.dumps(self.report.to_json(self.runs), indent=1) + "\n"
        if form == "csv":
            return self.report.csv(self.runs)
        return {"html": self.report.html, "md": self.report.markdown, "latex": self.report.latex}[form]()

    def write(self, file: Path, form: str) -> str:
        """Write the report to a file; returns a sentence about it.

        A page of more than `MOST_ON_PAGE` episodes has a folder of further ones beside it.
        """
        paged = form == "html" and len(self.report.episodes) > MOST_ON_PAGE
        folder = file.with_name(f"{file.stem}.episodes")
        if form == "html":
            _remove_pages(folder)
        text = self.report.html(folder.name) if paged else self.text(form)
        if paged:
            for name, script in self.report.episode_pages():
                write_atomically(folder / name, script.encode("utf-8", "replace"))
        write_atomically(file, text.encode("utf-8", "replace"))
        programs = f"{self.programs} program{'' if self.programs == 1 else 's'}"
        return f"{len(self.report.episodes)} episodes of {programs}: {file} ({len(text.encode()):,} bytes)"


def report_runs(settings: ReportSettings) -> RunReport:
    """Report runs: scores, costs, failure modes and every episode."""
    suite = Suite.open(settings.suite) if settings.suite else None
    runs = open_runs(settings.runs, tracking_uri=settings.tracking_uri, suite=suite)
    study, extra = study_of(runs), []
    paper = _paper_tables(study, suite) if suite is not None else ()
    if paper:
        extra = [Section("The paper's tables", folded=paper)]
    elif settings.published:
        extra = [Section("Published figures", folded=tuple(_published(study, runs)))]
    report = study_report(
        study,
        title=settings.title,
        setting=setting_of(runs),
        histories=histories({run.card.label: run.card.compiled for run in runs if run.card.compiled}),
        extra=extra,
    )
    named = [*settings.runs, *(["--suite", str(settings.suite)] if settings.suite else [])]
    return RunReport(report, shlex.join(named), len(runs))


def format_of(settings: ReportSettings) -> str:
    """The format that settings name, or the ending of the file."""
    if settings.form is not None:
        if settings.form not in FORMATS:
            raise unknown("no format", settings.form, FORMATS, "--format")
        return settings.form
    endings = {ending: name for name, ending in FORMATS.items()}
    return endings.get(settings.out.suffix, "html") if settings.out else "html"


def _remove_pages(folder: Path) -> None:
    """Remove the pages of an earlier report, and their folder unless it has other files."""
    for page in folder.glob("[0-9]*.js"):
        page.unlink()
    with suppress(OSError):
        folder.rmdir()


def _paper_tables(study: Study, suite: Suite) -> tuple[Grid, ...]:
    """The tables of the paper whose tasks a suite has; empty for other suites."""
    kind = task_kind(suite.manifest.kind)
    if suite.world.manifest.origin not in kind.importers:
        return ()
    return tuple(kind.report().paper([row.result.as_program(row.arm.label) for row in study.ordered]))


def _published(study: Study, runs: list[LoadedRun]) -> list[Grid]:
    kinds = {run.card.kind for run in runs}
    found = [grid for kind in sorted(kinds) for grid in beside_published(kind, console_grids(study))]
    if not found:
        raise InputError(
            f"no published figures for {' and '.join(sorted(kinds)) or 'runs without a card'}",
            where="--published",
        )
    return found
