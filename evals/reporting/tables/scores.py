"""Tables of scores: of one program, of several side by side, by domain and the like.

A score never stands alone: its interval, the number of tasks and the share of episodes lost to the
infrastructure are beside it, and so is the score that counts those as failures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from evals.kinds.crm.by_type import has_task_types
from evals.records.record import PRIMARY, STRICT, EpisodeRecord
from evals.records.summary import Summary, actions_of, domain_of, group_records, summarize
from evals.records.verdicts import JUDGE
from evals.reporting.html.charts import HeatMap
from evals.reporting.tables.areas import RATE_HEADINGS, has_areas, rate_cells
from evals.running.study import Row, Study
from evals.statistics import Interval
from evals.statistics.power import seen
from evals.table import NO_DATA, Grid, percent, points, share
from tools.statuses import INFRASTRUCTURE, STATUSES

Facet = Callable[[EpisodeRecord], str]

FACETS: Mapping[str, Facet] = {"domain": domain_of, "actions": actions_of}
"""By what a score is broken down, in the names of `evals.reporting.figures.FIELDS`."""

_AREA_FACETS: Mapping[str, Facet] = {
    "area": lambda record: record.area,
    "type": lambda record: record.type,
    "difficulty": lambda record: record.difficulty,
    "department": lambda record: record.department,
}
"""The same for tasks of several fields of work, and by the department of who asks."""

_SHOWN = {"actions": "expected actions", "intent": "task type", "department": "department of who asks"}
_SIDE_EFFECTS = "unwanted_side_effects"
_TOOLSET = "toolset"


def study_grid(study: Study, *, title: str = "Comparison") -> Grid:
    """What each arm achieved; candidates first, baselines below them.

    The outcome that counts errors as failures has its own column as soon as there is an error, and so have
    what judges say, where any was asked, and the tools that prompts list where programs are offered
    different ones.
    """
    tools = any(_TOOLSET in row.arm.settings for row in study.rows)
    lossy = any(row.summary.errors for row in study.rows)
    judged = any(JUDGE in row.summary.scores for row in study.rows)
    rated = any(row.summary.rates for row in study.rows)
    return Grid(
        title=f"{title} on {study.rows[0].summary.tasks} tasks",
        headings=(
            "program",
            *(("tools",) if tools else ()),
            "outcome, %",
            *(("counting errors",) if lossy else ()),
            *(("judge, %",) if judged else ()),
            "side effects",
            *(RATE_HEADINGS if rated else ()),
            "errors",
            f"points to {study.rows[0].arm.label}",
        ),
        rows=tuple(
            _study_row(row, tools=tools, lossy=lossy, judged=judged, rated=rated) for row in study.ordered
        ),
        notes=(
            verdict(study),
            *(("Comparisons count lost episodes as wrong.",) if lossy else ()),
            *seen_notes(study),
            *interval_notes(study.rows[0].summary),
            *model_notes({row.result.model for row in study.rows}),
        ),
    )


def verdict(study: Study) -> str:
    """What the study shows, in one sentence that claims no more than the data."""
    winner = study.winner
    if winner is None:
        return "No program is better than all others beyond doubt (95 % intervals, paired by task)."
    return f"{winner.arm.label} is better than every other candidate (95 % intervals, paired by task)."


def seen_notes(study: Study) -> tuple[str, ...]:
    """How large a difference has to be for a comparison like this one to see it."""
    compared = [
        (found.difference.n, seen(found.difference))
        for row in study.rows
        if not row.arm.baseline and (found := row.against_first) and found.difference.n
    ]
    if not compared:
        return ()
    tasks, size = max(tasks for tasks, _ in compared), median(size for _, size in compared)
    return (f"{tasks} tasks show differences of about {100 * size:.0f} points (8 times of 10, at 5 %).",)


def interval_notes(summary: Summary) -> tuple[str, ...]:
    """What intervals allow for."""
    groups = summary.scores[PRIMARY].groups if PRIMARY in summary.scores else 0
    if not groups:
        return ()
    return (f"Intervals allow for tasks of one intent being alike; there are {groups} intents.",)


def facets_of(records: Sequence[EpisodeRecord]) -> Mapping[str, Facet]:
    """By what the scores of these episodes are broken down; nothing where they have tables of their own."""
    if has_task_types(records):
        return {}
    facets = _AREA_FACETS if has_areas(records) else FACETS
    return {name: facet for name, facet in facets.items() if any(facet(record) for record in records)}


def heat_maps(study: Study) -> list[HeatMap]:
    """The outcome of each program by each facet, with the table that stands for it where nothing is drawn."""
    records = [record for row in study.rows for record in row.result.records]
    found = [_heat_map(name, facet, study.rows) for name, facet in facets_of(records).items()]
    if has_task_types(records):
        found.append(_heat_map("intent", lambda record: record.intent or "", study.rows, table=False))
    return found


def score_grid(summary: Summary, model: str) -> Grid:
    """Every score of one program."""
    return Grid(
        "Scores",
        ("score", "%, 95 % interval", "tasks"),
        tuple(
            (name, percent(score), str(score.n))
            for name, score in (*summary.scores.items(), *_macro(summary))
        ),
        (
            f"{summary.errors} of {summary.episodes} episodes ({share(summary.error_rate)} %) were lost to "
            f"the infrastructure; {STRICT} counts them as failures, the other scores leave them out.",
            *interval_notes(summary),
            *model_notes({model}),
        ),
    )


def _macro(summary: Summary) -> list[tuple[str, Interval]]:
    """The outcome that counts each field of work the same, where there are several."""
    return [] if math.isnan(summary.macro.value) else [("outcome, each field the same", summary.macro)]


def status_grid(summary: Summary) -> Grid:
    """How episodes ended, whose failure it was, and what that means."""
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
    ended = [(status, STATUSES.get(status)) for status in summary.statuses if status != "finished"]
    notes = tuple(f"{status}: {ending.meaning}" for status, ending in ended if ending is not None)
    return Grid("How episodes ended", ("status", "episodes", "%", "whose failure"), rows, notes)


def attempt_grid(summary: Summary, notes: tuple[str, ...]) -> Grid:
    """How reliable one program is over several attempts."""
    return Grid(
        "Reliability: the chance that all of k attempts at a task succeed, and that any does",
        ("k", "pass^k, %", "pass@k, %", "tasks"),
        tuple(
            (str(k), percent(value), percent(summary.pass_at[k]), str(value.n))
            for k, value in summary.pass_hat.items()
        ),
        notes,
    )


def facet_grids(records: Sequence[EpisodeRecord], seed: int) -> list[Grid]:
    """The scores of one program by each facet."""
    return [_facet_grid(name, facet, records, seed) for name, facet in facets_of(records).items()]


def model_notes(models: set[str]) -> tuple[str, ...]:
    """What must be known of the models."""
    local = sorted(model for model in models if model.startswith("local/"))
    return tuple(f"{model} is not a language model: it imitates demonstrations by rule." for model in local)


def _facet_grid(name: str, facet: Facet, records: Sequence[EpisodeRecord], seed: int) -> Grid:
    parts = {value: summarize(group, seed=seed) for value, group in group_records(records, facet).items()}
    rated = any(part.rates for part in parts.values())
    rows = tuple(
        (
            value,
            percent(part.scores.get(PRIMARY)),
            percent(part.scores.get(_SIDE_EFFECTS)),
            *(rate_cells(part) if rated else ()),
            error_cell(part),
            str(part.tasks),
        )
        for value, part in parts.items()
    )
    rates = RATE_HEADINGS if rated else ()
    shown = _SHOWN.get(name, name)
    return Grid(f"By {shown}", (shown, "outcome, %", "side effects", *rates, "errors", "tasks"), rows)


def _heat_map(name: str, facet: Facet, rows: Sequence[Row], *, table: bool = True) -> HeatMap:
    shown = _SHOWN.get(name, name)
    groups = [group_records(row.result.records, facet) for row in rows]
    values = list(dict.fromkeys(value for group in groups for value in group))
    found = [
        [_primary(group.get(value, []), row) for value in values]
        for group, row in zip(groups, rows, strict=True)
    ]
    cells = tuple(
        (
            value,
            *(percent(scores[place]) for scores in found),
            str(len({record.task_id for record in groups[0].get(value, [])})),
        )
        for place, value in enumerate(values)
    )
    title = f"Outcome by {shown}, %"
    return HeatMap(
        title=title,
        first="program",
        columns=tuple(values),
        rows=tuple((row.arm.label, tuple(scores)) for row, scores in zip(rows, found, strict=True)),
        field=name,
        notes=("Below each share: its 95 % interval and the number of tasks.",),
        grid=Grid(title, (shown, *(row.arm.label for row in rows), "tasks"), cells) if table else None,
    )


def _primary(records: Sequence[EpisodeRecord], row: Row) -> Interval | None:
    return summarize(records, seed=row.result.seed).scores.get(PRIMARY)


def _study_row(row: Row, *, tools: bool, lossy: bool, judged: bool, rated: bool) -> tuple[str, ...]:
    summary, found = row.summary, row.against_first
    effects = summary.scores.get(_SIDE_EFFECTS)
    return (
        row.arm.shown,
        *((str(row.arm.settings.get(_TOOLSET, NO_DATA)),) if tools else ()),
        percent(summary.scores.get(PRIMARY)),
        *((percent(summary.scores.get(STRICT)),) if lossy else ()),
        *((percent(summary.scores.get(JUDGE)),) if judged else ()),
        percent(effects),
        *(rate_cells(summary) if rated else ()),
        error_cell(summary),
        points(found.difference) if found else NO_DATA,
    )


def error_cell(summary: Summary) -> str:
    """The share of episodes lost to the infrastructure in percent, with the count where there is any."""
    lost = f" ({summary.errors}/{summary.episodes})" if summary.errors else ""
    return share(summary.error_rate) + lost
