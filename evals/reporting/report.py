"""Reports of an evaluation or a study: as tables, as one self-contained page, and as data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from worksmith.evals.records.record import PRIMARY, EpisodeRecord
from worksmith.evals.records.summary import on_tasks, summarize
from worksmith.evals.reporting.curves import attempt_plot, front_plots
from worksmith.evals.reporting.episodes import ShownEpisode
from worksmith.evals.reporting.figures import Figure, result_figures, study_figures
from worksmith.evals.reporting.histories import History, history_blocks
from worksmith.evals.reporting.html.charts import HeatMap, Intervals
from worksmith.evals.reporting.html.episodes import episode_pages
from worksmith.evals.reporting.html.page import Block, page
from worksmith.evals.reporting.html.plots import Plot
from worksmith.evals.reporting.tables.ablation import ablation_grids
from worksmith.evals.reporting.tables.areas import access_grid, area_grids, checker_grid
from worksmith.evals.reporting.tables.attacks import attack_grid
from worksmith.evals.reporting.tables.costs import cost_grid, result_cost_grid
from worksmith.evals.reporting.tables.failure_modes import FACETS as FAILURE_FACETS
from worksmith.evals.reporting.tables.failure_modes import failure_mode_grids
from worksmith.evals.reporting.tables.flips import flipped_tasks
from worksmith.evals.reporting.tables.judges import judge_grid, judge_grids
from worksmith.evals.reporting.tables.planners import planner_grids
from worksmith.evals.reporting.tables.scores import (
    attempt_grid,
    conclusions,
    facet_grids,
    heat_maps,
    score_grid,
    status_grid,
    study_grid,
)
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.study import Study
from worksmith.evals.table import Grid, one_line, percent
from worksmith.evals.task_kind import KindReport, kind_of

if TYPE_CHECKING:
    from rich.console import Console

PAGE_BYTES, PART_BYTES = 4_800_000, 1_000_000
"""The largest page of a report, and of one that is a part of a larger one; most of it are episodes."""


MOST_TABLED = 10_000
"""Episodes of an evaluation whose own report has tables by kind of task, and episodes."""


@dataclass(frozen=True)
class Section:
    """A titled part of a report. Charts without data are left out."""

    title: str
    blocks: tuple[Block, ...]

    @property
    def grids(self) -> list[Grid]:
        found = (block.grid if isinstance(block, HeatMap | Plot) else block for block in self.blocks)
        return [block for block in found if isinstance(block, Grid)]


@dataclass(frozen=True)
class Report:
    """A report, ready to be shown in any form.

    Attributes:
        lead: the result in a sentence.
        page_bytes: the largest page, see `html`.
    """

    title: str
    facts: Mapping[str, str]
    sections: tuple[Section, ...]
    lead: str = ""
    page_bytes: int = PAGE_BYTES
    figures: tuple[Figure, ...] = field(default=(), repr=False)
    episodes: tuple[ShownEpisode, ...] = field(default=(), repr=False)

    @property
    def grids(self) -> list[Grid]:
        return [grid for section in self.sections for grid in section.grids]

    def show(self, console: Console) -> None:
        console.print(self.title, style="bold", markup=False, highlight=False)
        if self.lead:
            console.print(self.lead, markup=False, highlight=False)
        for grid in self.grids:
            console.print(grid.rich())

    def markdown(self) -> str:
        """The report as Markdown, episodes left out."""
        facts = "\n".join(f"- {one_line(name)}: {one_line(value)}" for name, value in self.facts.items())
        grids = "\n".join(grid.markdown() for grid in self.grids)
        return f"## {one_line(self.title)}\n\n{facts}\n\n{grids}"

    def html(self, folder: str = "") -> str:
        """The report as one page that needs nothing else, of at most `page_bytes` bytes.

        All tables and charts are on it, and as many episodes as there is room for.

        Args:
            folder: name of the folder beside the page that has the files of `episode_pages`. The page then
                has the first of them, and loads the others when they are asked for.
        """
        sections = [(section.title, section.blocks) for section in self.sections]
        return page(self.title, self.lead, self.facts, sections, self.episodes, self.page_bytes, folder)

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
            "lead": self.lead,
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
        rerun: see `worksmith.evals.running.study.Arm`.
    """
    summary, records, facts = result.summary, result.records, _facts(result)
    judged, outcome = judge_grid(summary.judging), summary.scores.get(PRIMARY)
    scores: list[Block] = [score_grid(summary, result.model)]
    scores += [access_grid(summary)] if summary.rates else []
    figures, episodes = list[Figure](), list[ShownEpisode]()
    if len(records) <= MOST_TABLED:
        kind, attacked, checked = kind_of(records).report(), attack_grid(result), checker_grid(records)
        scores += [*kind.program(result.as_program()), *([attacked] if attacked else [])]
        further = [
            Section("Reliability", tuple(_reliability(result, kind))),
            Section("Where", tuple(facet_grids(records, result.seed))),
            Section("Errors", (*failure_mode_grids(records), *([checked] if checked else ()))),
            Section("Costs", (result_cost_grid(result),)),
        ]
        figures = result_figures(result.strategy, result, _split(records))
        episodes = [ShownEpisode(result.strategy, record, rerun) for record in records]
    else:  # the records do not fit into memory
        facts["by kind of task, and episodes"] = "see `worksmith report` of the log"
        further = [Section("Reliability", (attempt_grid(summary, ()),) if summary.pass_hat else ())]
    scores += [judged] if judged else []
    bars = Intervals("Scores with their intervals", tuple((n, s, False) for n, s in summary.scores.items()))
    return Report(
        title=title,
        lead=f"Outcome {percent(outcome)} % on {on_tasks(summary)}." if outcome else "",
        facts=facts,
        sections=(Section("Results", (*scores, bars, status_grid(summary))), *further),
        page_bytes=PART_BYTES,
        figures=tuple(figures),
        episodes=tuple(episodes),
    )


def study_report(
    study: Study,
    *,
    title: str = "Comparison",
    setting: Mapping[str, str] | None = None,
    histories: Sequence[History] = (),
    extra: Sequence[Section] = (),
) -> Report:
    """The report of a comparison of programs.

    Args:
        study: the programs with their results; the first is the reference.
        setting: further facts, such as the suite.
        histories: the compiles of its programs.
        extra: further parts, such as published figures.
    """
    first = study.rows[0]
    scored = [(row, score) for row in study.ordered if (score := row.summary.scores.get(PRIMARY))]
    # Under the names that tables have: the long ones of ablated programs differ only at their end.
    bars = Intervals(
        "Outcome: estimates and 95 % intervals",
        tuple((row.arm.shown, score, row.arm.baseline) for row, score in scored),
        ("A ring is a baseline.",) if any(row.arm.baseline for row, _ in scored) else (),
        arms=tuple(row.arm.label for row, _ in scored),
    )
    # Strategy and program are those of the reference, and would be wrong for the whole comparison.
    facts = {k: v for k, v in _facts(first.result).items() if k not in ("strategy", "program")}
    grids = console_grids(study, title=title)
    return Report(
        title=title,
        lead=" ".join(conclusions(study)),
        facts={**(setting or {}), "reference": first.arm.label, **facts},
        sections=(
            Section("Results", (grids[0], bars, *grids[1:])),
            Section("Cost and quality", _costs(study)),
            Section("Tasks that differ", flipped_tasks(study)),
            Section("Where", (*heat_maps(study), *_attacks(study))),
            Section("Reliability", tuple(attempt_plot(study))),
            Section("Errors", _fault_grids(study)),
            Section("Optimization", tuple(history_blocks(histories))),
            *extra,
        ),
        figures=tuple(study_figures(study, _split(first.result.records))),
        episodes=tuple(
            ShownEpisode(
                row.arm.label, record, row.arm.rerun, getattr(row.result.records, "whole", ()), place
            )
            for row in study.rows
            for place, record in enumerate(row.result.records)
        ),
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


def _costs(study: Study) -> tuple[Block, ...]:
    """Plots and tables of costs; empty if they are unknown, as for published predictions."""
    known = any(row.summary.totals.get(name) for row in study.rows for name in ("model_calls", "seconds"))
    return (*front_plots(study), cost_grid(study)) if known else ()


def _attacks(study: Study) -> list[Grid]:
    rows = (row for row in study.rows if not row.arm.baseline)
    return [grid for row in rows if (grid := attack_grid(row.result, f"Attacks: {row.arm.label}"))]


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


def _facts(result: EvalResult) -> dict[str, str]:
    return {
        "model": result.model,
        "strategy": result.strategy,
        "program": result.program,
        "tasks": str(result.summary.tasks),
        "trials": str(result.trials),
        "seed": str(result.seed),
    }
