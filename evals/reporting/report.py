"""Reports of an evaluation or a study: as tables, as one self-contained page, and as data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from worksmith.evals.characters import harmless
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.records.summary import summarize
from worksmith.evals.reporting.episodes import ShownEpisode
from worksmith.evals.reporting.figures import Figure, study_figures
from worksmith.evals.reporting.histories import History, history_grids
from worksmith.evals.reporting.html.charts import Changes
from worksmith.evals.reporting.html.episodes import episode_pages
from worksmith.evals.reporting.html.page import Section, page
from worksmith.evals.reporting.study_charts import (
    MOST_PROGRAMS,
    front_plots,
    part_changes,
    program_changes,
    shown_rows,
)
from worksmith.evals.reporting.tables.ablation import ablation_grids
from worksmith.evals.reporting.tables.areas import access_grid, area_grids, checker_grid
from worksmith.evals.reporting.tables.attacks import attack_grid
from worksmith.evals.reporting.tables.costs import cost_grid, result_cost_grid
from worksmith.evals.reporting.tables.failure_modes import FACETS as FAILURE_FACETS
from worksmith.evals.reporting.tables.failure_modes import failure_mode_grids
from worksmith.evals.reporting.tables.findings import conclusions, cost, findings, leading
from worksmith.evals.reporting.tables.flips import flipped_tasks
from worksmith.evals.reporting.tables.judge_tables import judge_grid, judge_grids
from worksmith.evals.reporting.tables.planners import planner_grids
from worksmith.evals.reporting.tables.scores import (
    attempt_grid,
    attempt_grids,
    compared_grids,
    facet_grids,
    score_grid,
    status_grid,
    study_grid,
)
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.study import Row, Study, StudyArm
from worksmith.evals.table import Grid, one_line
from worksmith.evals.task_kind import KindReport, kind_of

if TYPE_CHECKING:
    from rich.console import Console

PAGE_BYTES, PART_BYTES = 4_800_000, 1_000_000
"""The largest page of a report, and of one that is a part of a larger one; most of it are episodes."""


MOST_TABLED = 10_000
"""Episodes of an evaluation whose own report has tables by kind of task, and episodes."""


@dataclass(frozen=True)
class Report:
    """A report, ready to be shown in any form.

    Attributes:
        findings: the result in sentences, the most important first.
        figure: the chart below them on a page.
        page_bytes: the largest page, see `html`.
    """

    title: str
    facts: Mapping[str, str]
    sections: tuple[Section, ...]
    findings: tuple[str, ...] = ()
    figure: Changes | None = None
    page_bytes: int = PAGE_BYTES
    figures: tuple[Figure, ...] = field(default=(), repr=False)
    episodes: tuple[ShownEpisode, ...] = field(default=(), repr=False)

    @property
    def grids(self) -> list[Grid]:
        return [grid for section in self.sections for grid in section.grids]

    def show(self, console: Console) -> None:
        console.print(harmless(self.title), style="bold", markup=False, highlight=False)
        for finding in self.findings:
            console.print(harmless(finding), markup=False, highlight=False)
        for grid in self.grids:
            console.print(grid.rich())

    def markdown(self) -> str:
        """The report as Markdown, episodes left out."""
        findings = "".join(f"{one_line(finding)}\n\n" for finding in self.findings)
        facts = "\n".join(f"- {one_line(name)}: {one_line(value)}" for name, value in self.facts.items())
        grids = "\n".join(grid.markdown() for grid in self.grids)
        return f"## {one_line(self.title)}\n\n{findings}{facts}\n\n{grids}"

    def html(self, folder: str = "") -> str:
        """The report as one page that needs nothing else, of at most `page_bytes` bytes.

        All tables and charts are on it, and as many episodes as there is room for.

        Args:
            folder: name of the folder beside the page that has the files of `episode_pages`. The page then
                has the first of them, and loads the others when they are asked for.
        """
        return page(
            self.title,
            self.findings,
            self.figure,
            self.facts,
            self.sections,
            self.episodes,
            self.page_bytes,
            folder,
        )

    def episode_pages(self) -> Iterator[tuple[str, str]]:
        """The names and texts of the files that hold all episodes, in the order of `html`."""
        return episode_pages(self.episodes)

    def latex(self) -> str:
        """The tables for a document that uses the package booktabs."""
        return "\n".join(grid.latex() for grid in self.grids)

    def csv(self, run: str = "RUN") -> str:
        """The figures as tidy rows, one a line; an empty cell stands for nan."""
        import csv
        import io

        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("run", "arm", "metric", "where", "split", "value", "low", "high", "n"))
        for figure in self.figures:
            where = ";".join(f"{name}={value}" for name, value in figure.where.items())
            numbers = ("" if math.isnan(x) else repr(x) for x in figure.interval[:3])
            writer.writerow(
                (run, figure.arm, figure.metric, where, figure.split, *numbers, figure.interval.n)
            )
        return file.getvalue()

    def to_json(self, run: str = "RUN") -> dict[str, Any]:
        """The report as JSON-able data: each figure with the command that lists the episodes behind it."""
        return {
            "title": self.title,
            "lead": " ".join(self.findings),
            "facts": dict(self.facts),
            "figures": [figure.to_json(run) for figure in self.figures],
            "tables": [
                {"title": grid.title, "headings": grid.headings, "rows": grid.rows, "notes": grid.notes}
                for grid in self.grids
            ],
        }


def evaluation_report(
    result: EvalResult, *, title: str = "Evaluation", rerun: tuple[str, ...] = ()
) -> Report:
    """The report of one program.

    Args:
        rerun: see `worksmith.evals.running.study.StudyArm`.
    """
    study = Study((Row(StudyArm(result.strategy, rerun=rerun), result),))
    if len(result.records) <= MOST_TABLED:
        setting = {"strategy": result.strategy, "program": result.program}
        return replace(study_report(study, title=title, setting=setting), page_bytes=PART_BYTES)
    # The records do not fit into memory.
    left_out = {"by kind of task, and episodes": "see `worksmith report` of the log"}
    return Report(
        title=title,
        facts={**_facts(study), **left_out},
        findings=conclusions(study),
        figure=program_changes(study),
        sections=(Section("Tables", folded=_whole_grids(result)),),
    )


def study_report(
    study: Study,
    *,
    title: str = "Comparison",
    setting: Mapping[str, str] | None = None,
    histories: Sequence[History] = (),
    extra: Sequence[Section] = (),
) -> Report:
    """The report of a comparison of programs, or of one program.

    Args:
        study: the programs with their results; the first is the reference.
        setting: further facts, such as the suite.
        histories: the compiles of its programs.
        extra: further parts, such as published figures.
    """
    split = _split(study.rows[0].result.records)
    single = len(study.rows) == 1
    tables = program_grids(study.rows[0].result) if single else study_grids(study, title=title)
    return Report(
        title=title,
        facts={**(setting or {}), **_facts(study)},
        findings=findings(study),
        figure=program_changes(study),
        sections=(*_sections(study, (*tables, *history_grids(histories))), *extra),
        figures=tuple(study_figures(study, split)),
        episodes=tuple(
            ShownEpisode(
                row.arm.label, record, row.arm.rerun, getattr(row.result.records, "whole", ()), place
            )
            for row in study.rows
            for place, record in enumerate(row.result.records)
        ),
    )


def _sections(study: Study, tables: Sequence[Grid]) -> tuple[Section, ...]:
    """The parts of a page: the first to be read, and all tables folded."""
    row, parts, flips = leading(study), part_changes(study), flipped_tasks(study)
    guarded = [each for each in shown_rows(study, MOST_PROGRAMS) if each.summary.rates]
    return (
        Section("Where", (parts,) if parts else ()),
        Section(f"Failures of {row.arm.label}", failure_mode_grids(row.result.records, facets={})),
        Section("Cost against quality", tuple(front_plots(study)[:1])),
        Section("Access", (access_grid(guarded),) if guarded else ()),
        Section("Tables", folded=(*tables, *([flips] if flips else ()))),
    )


def program_grids(result: EvalResult) -> tuple[Grid, ...]:
    """The tables of one program."""
    records, kind = result.records, kind_of(result.records).report()
    found = [
        attack_grid(result),
        *_reliability(result, kind),
        *facet_grids(records, result.seed),
        *failure_mode_grids(records),
        checker_grid(records),
        result_cost_grid(result),
    ]
    tables = kind.program(result.as_program())
    return (*_whole_grids(result), *tables, *(grid for grid in found if grid))


def _whole_grids(result: EvalResult) -> tuple[Grid, ...]:
    """The tables that need no record."""
    summary, row = result.summary, Row(StudyArm(result.strategy), result)
    judged = judge_grid(summary.judging)
    return (
        score_grid(summary, result.model),
        *([access_grid([row])] if summary.rates else []),
        status_grid(summary),
        *([judged] if judged else []),
    )


def console_grids(study: Study, *, title: str = "Comparison") -> tuple[Grid, ...]:
    return (
        study_grid(study, title=title),
        *planner_grids(study),
        *area_grids(study),
        *_kind_grids(study),
        *ablation_grids(study),
        *judge_grids(study),
    )


def study_grids(study: Study, *, title: str = "Comparison") -> tuple[Grid, ...]:
    """All tables of a comparison."""
    rows = [row for row in study.ordered if not row.arm.baseline]
    attacked = (attack_grid(row.result, f"Attacks: {row.arm.label}") for row in rows)
    known = any(row.summary.totals.get(name) for row in study.rows for name in ("model_calls", "seconds"))
    return (
        *console_grids(study, title=title),
        *([cost_grid(study)] if known else ()),  # of published predictions it is unknown
        *compared_grids(study),
        *(grid for grid in attacked if grid),
        *attempt_grids(study),
        *_fault_grids(study),
    )


def _fault_grids(study: Study) -> tuple[Grid, ...]:
    """Faults of all candidates, by domain and by program."""
    labelled = [
        record.model_copy(update={"strategy": row.arm.label})
        for row in study.rows
        if not row.arm.baseline
        for record in row.result.records
    ]
    facets = {"domain": FAILURE_FACETS["domain"], "program": lambda record: str(record.strategy)}
    return failure_mode_grids(labelled, facets=facets)


def _reliability(result: EvalResult, kind: KindReport) -> list[Grid]:
    """The chances of several attempts, as far as an outcome is yes or no."""
    counted = [record for record in result.records if kind.counted_attempts(record)]
    all_count = len(counted) == len(result.records)
    summary = result.summary if all_count else summarize(counted, seed=result.seed)
    notes = (kind.attempts_note,) if kind.attempts_note else ()
    return [attempt_grid(summary, notes)] if summary.pass_hat else []


def _kind_grids(study: Study) -> tuple[Grid, ...]:
    """The tables of the kind that the tasks are of."""
    kind = kind_of(record for row in study.rows for record in row.result.records)
    programs = [row.result.as_program(row.arm.shown, baseline=row.arm.baseline) for row in study.ordered]
    return tuple(kind.report().comparison(programs))


def _split(records: Sequence[EpisodeRecord]) -> str:
    splits = {record.split for record in records}
    return splits.pop() if len(splits) == 1 else "all"


def _facts(study: Study) -> dict[str, str]:
    first = study.rows[0]
    models = dict.fromkeys(row.result.model for row in study.rows if not row.arm.baseline)
    return {
        "model": ", ".join(models),
        "tasks": str(first.summary.tasks),
        "trials": str(first.result.trials),
        "seed": str(first.result.seed),
        "cost": cost(study),
        **({"reference": first.arm.label} if len(study.rows) > 1 else {}),
    }
