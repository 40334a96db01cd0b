"""Reports: what an evaluation or a study found, as tables and as one self-contained page.

A score never stands alone: its interval, the number of tasks and the share of episodes lost to the
infrastructure are beside it, and so is the score that counts those as failures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evals.ablation_tables import ablation_grids
from evals.area_tables import RATE_HEADINGS, access_grid, area_grids, checker_grid, has_areas, rate_cells
from evals.compare import Row, Study
from evals.cost_tables import cost_grid, result_cost_grid
from evals.crm.by_type import has_task_types, without_qa
from evals.crm.tables import task_type_grid, task_type_grids
from evals.page import page
from evals.record import INFRASTRUCTURE, PRIMARY, STRICT, EpisodeRecord
from evals.runner import EvalResult
from evals.statistics import Interval
from evals.summary import Summary, actions_of, domain_of, group_records, summarize
from evals.tables import NO_DATA, Grid, percent, points, share

if TYPE_CHECKING:
    from rich.console import Console

FACETS: Mapping[str, Callable[[EpisodeRecord], str]] = {"domain": domain_of, "expected actions": actions_of}
"""By what a score is broken down."""

_AREA_FACETS: Mapping[str, Callable[[EpisodeRecord], str]] = {
    "area": lambda record: record.area,
    "type": lambda record: record.type,
    "difficulty": lambda record: record.difficulty,
}
"""The same for tasks of several fields of work."""

_SIDE_EFFECTS = "unwanted_side_effects"
_TOOLSET = "toolset"
_MOST_FAILURES = 50


@dataclass(frozen=True)
class Report:
    """A report, ready to be shown in any form.

    Attributes:
        facts: what was run, by name.
        bars: labelled intervals for the chart.
        caption: what those measure.
        failures: episodes worth reading.
    """

    title: str
    facts: Mapping[str, str]
    grids: tuple[Grid, ...]
    bars: tuple[tuple[str, Interval], ...] = ()
    caption: str = "Scores"
    failures: tuple[EpisodeRecord, ...] = field(default=(), repr=False)

    def show(self, console: Console) -> None:
        """Print the title and the tables in a terminal."""
        console.print(self.title, style="bold", markup=False, highlight=False)
        for grid in self.grids:
            console.print(grid.rich())

    def markdown(self) -> str:
        """The report as Markdown, failures left out."""
        facts = "\n".join(f"- {name}: {value}" for name, value in self.facts.items())
        grids = "\n".join(grid.markdown() for grid in self.grids)
        return f"## {self.title}\n\n{facts}\n\n{grids}"

    def html(self) -> str:
        """The report as one page that needs nothing else."""
        return page(self.title, self.facts, self.grids, self.bars, self.caption, self.failures)


def evaluation_report(result: EvalResult, *, title: str = "Evaluation") -> Report:
    """What one program achieved."""
    summary = result.summary
    grids = [_scores(summary, result.model), _statuses(summary), result_cost_grid(result)]
    if summary.rates:
        grids.insert(1, access_grid(summary))
    typed = has_task_types(result.records)
    if typed:
        grids.insert(1, task_type_grid(result))
    if summary.pass_hat:
        note = ("All task types but knowledge_qa.",) if typed else ()
        grids.append(_attempts(without_qa(result) if typed else summary, note))
    facets = _facets(result.records).items()
    grids.extend(_facet(name, facet, result.records, result.seed) for name, facet in facets)
    checked = checker_grid(result.records)
    grids += [checked] if checked else []
    return Report(
        title=title,
        facts=_facts(result),
        grids=tuple(grids),
        bars=tuple(summary.scores.items()),
        failures=failures(result.records),
    )


def study_report(
    study: Study, *, title: str = "Comparison", setting: Mapping[str, str] | None = None
) -> Report:
    """How several programs compare; `setting` says on what, such as the suite."""
    first = study.rows[0]
    graded = [(row, row.summary.scores) for row in study.ordered]
    # Strategy and program are the reference's own: said of the whole comparison they would be wrong.
    facts = {k: v for k, v in _facts(first.result).items() if k not in ("strategy", "program")}
    grids = [*console_grids(study, title=title), cost_grid(study)]
    facets = _facets(first.result.records).items()
    grids.extend(_study_facet(name, facet, study.rows) for name, facet in facets)
    return Report(
        title=title,
        facts={**(setting or {}), "reference": first.arm.label, **facts, "verdict": verdict(study)},
        grids=tuple(grids),
        # Under the names that tables have: the long ones of ablated programs differ only at their end.
        bars=tuple((row.arm.shown, scores[PRIMARY]) for row, scores in graded if PRIMARY in scores),
        caption="Outcome",
        # Under the label of their arm: several arms may have one strategy.
        failures=tuple(
            record.model_copy(update={"strategy": row.arm.label})
            for row in study.rows
            for record in failures(row.result.records, limit=10)
        ),
    )


def console_grids(study: Study, *, title: str = "Comparison") -> tuple[Grid, ...]:
    """The tables that answer which program is best, at a glance; by area or type where tasks have such."""
    return (
        study_grid(study, title=title),
        *area_grids(study),
        *task_type_grids(study),
        *ablation_grids(study),
    )


def study_grid(study: Study, *, title: str = "Comparison") -> Grid:
    """What each arm achieved; candidates first, baselines below them.

    The outcome that counts errors as failures has its own column as soon as there is an error, and so have
    the tools that prompts list where programs are offered different ones.
    """
    tools = any(_TOOLSET in row.arm.settings for row in study.rows)
    lossy = any(row.summary.errors for row in study.rows)
    rated = any(row.summary.rates for row in study.rows)
    return Grid(
        title=f"{title} on {study.rows[0].summary.tasks} tasks",
        headings=(
            "program",
            *(("tools",) if tools else ()),
            "outcome, %",
            *(("counting errors",) if lossy else ()),
            "side effects",
            *(RATE_HEADINGS if rated else ()),
            "errors",
            f"points to {study.rows[0].arm.label}",
        ),
        rows=tuple(_study_row(row, tools=tools, lossy=lossy, rated=rated) for row in study.ordered),
        notes=(verdict(study), *_notes({row.result.model for row in study.rows})),
    )


def verdict(study: Study) -> str:
    """What the study shows, in one sentence that claims no more than the data."""
    winner = study.winner
    if winner is None:
        return "No program is better than all others beyond doubt (95 % intervals, paired by task)."
    return f"{winner.arm.label} is better than every other candidate (95 % intervals, paired by task)."


def failures(records: Sequence[EpisodeRecord], *, limit: int = _MOST_FAILURES) -> tuple[EpisodeRecord, ...]:
    """Episodes that went wrong, at most `limit`: those with side effects first, then one of each task."""
    wrong = [record for record in records if record.scores.get(PRIMARY, 0.0) < 1]
    seen: Counter[str] = Counter()

    def place(record: EpisodeRecord) -> tuple[float, int]:
        seen[record.task_id] += 1
        return -record.scores.get(_SIDE_EFFECTS, 0.0), seen[record.task_id]

    return tuple(sorted(wrong, key=place)[:limit])


def _scores(summary: Summary, model: str) -> Grid:
    return Grid(
        "Scores",
        ("score", "%, 95 % interval", "tasks"),
        tuple((name, percent(score), str(score.n)) for name, score in summary.scores.items()),
        (
            f"{summary.errors} of {summary.episodes} episodes ({share(summary.error_rate)} %) were lost to "
            f"the infrastructure; {STRICT} counts them as failures, the other scores leave them out.",
            *_notes({model}),
        ),
    )


def _statuses(summary: Summary) -> Grid:
    kind = {status: "infrastructure" if status in INFRASTRUCTURE else "agent" for status in summary.statuses}
    rows = tuple(
        (
            status,
            str(count),
            share(count / summary.episodes),
            NO_DATA if status == "finished" else kind[status],
        )
        for status, count in summary.statuses.items()
    )
    return Grid("How episodes ended", ("status", "episodes", "%", "whose failure"), rows)


def _attempts(summary: Summary, notes: tuple[str, ...]) -> Grid:
    return Grid(
        "Reliability: the chance that all of k attempts at a task succeed, and that any does",
        ("k", "pass^k, %", "pass@k, %", "tasks"),
        tuple(
            (str(k), percent(value), percent(summary.pass_at[k]), str(value.n))
            for k, value in summary.pass_hat.items()
        ),
        notes,
    )


def _facet(
    name: str, facet: Callable[[EpisodeRecord], str], records: Sequence[EpisodeRecord], seed: int
) -> Grid:
    parts = {value: summarize(group, seed=seed) for value, group in group_records(records, facet).items()}
    rated = any(part.rates for part in parts.values())
    rows = tuple(
        (
            value,
            percent(part.scores.get(PRIMARY)),
            percent(part.scores.get(_SIDE_EFFECTS)),
            *(rate_cells(part) if rated else ()),
            share(part.error_rate),
            str(part.tasks),
        )
        for value, part in parts.items()
    )
    rates = RATE_HEADINGS if rated else ()
    return Grid(f"By {name}", (name, "outcome, %", "side effects", *rates, "errors", "tasks"), rows)


def _facets(records: Sequence[EpisodeRecord]) -> Mapping[str, Callable[[EpisodeRecord], str]]:
    if has_task_types(records):
        return {}  # they have tables of their own
    return _AREA_FACETS if has_areas(records) else FACETS


def _study_facet(name: str, facet: Callable[[EpisodeRecord], str], rows: Sequence[Row]) -> Grid:
    groups = [group_records(row.result.records, facet) for row in rows]
    values = list(dict.fromkeys(value for group in groups for value in group))
    cells = tuple(
        (
            value,
            *(percent(_primary(group.get(value, []), row)) for group, row in zip(groups, rows, strict=True)),
            str(len({record.task_id for record in groups[0].get(value, [])})),
        )
        for value in values
    )
    return Grid(f"Outcome by {name}, %", (name, *(row.arm.label for row in rows), "tasks"), cells)


def _primary(records: Sequence[EpisodeRecord], row: Row) -> Interval | None:
    return summarize(records, seed=row.result.seed).scores.get(PRIMARY)


def _study_row(row: Row, *, tools: bool, lossy: bool, rated: bool) -> tuple[str, ...]:
    summary, found = row.summary, row.against_first
    effects = summary.scores.get(_SIDE_EFFECTS)
    return (
        row.arm.shown,
        *((str(row.arm.settings.get(_TOOLSET, NO_DATA)),) if tools else ()),
        percent(summary.scores.get(PRIMARY)),
        *((percent(summary.scores.get(STRICT)),) if lossy else ()),
        share(effects.value) if effects else NO_DATA,
        *(rate_cells(summary) if rated else ()),
        share(summary.error_rate),
        points(found.difference) if found else NO_DATA,
    )


def _facts(result: EvalResult) -> dict[str, str]:
    return {
        "model": result.model,
        "strategy": result.strategy,
        "program": result.program,
        "tasks": str(result.summary.tasks),
        "trials": str(result.trials),
        "seed": str(result.seed),
    }


def _notes(models: set[str]) -> tuple[str, ...]:
    local = sorted(model for model in models if model.startswith("local/"))
    return tuple(f"{model} is not a language model: it imitates demonstrations by rule." for model in local)
