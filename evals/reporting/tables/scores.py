"""Tables of scores: of one program, of several side by side, by domain and the like.

A score never stands alone: its interval, the number of tasks and the share of episodes lost to the
infrastructure are beside it, and so is the score that counts those as failures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from worksmith.evals.records.groups import group_records
from worksmith.evals.records.record import PRIMARY, STRICT, EpisodeRecord
from worksmith.evals.records.summary import Summary, on_tasks, summarize
from worksmith.evals.records.verdicts import JUDGE, JUDGED
from worksmith.evals.reporting.episodes import field_value
from worksmith.evals.reporting.tables.areas import has_areas, rates_of
from worksmith.evals.reporting.tables.findings import CHANGED, conclusions, power
from worksmith.evals.running.study import Row, Study
from worksmith.evals.scoring.procedure import PROCEDURE
from worksmith.evals.table import NO_DATA, Grid, percent, points, share
from worksmith.evals.task_kind import kind_of
from worksmith.tools.episode_result import UNREADABLE
from worksmith.tools.statuses import INFRASTRUCTURE, STATUSES

Facet = Callable[[EpisodeRecord], str]

FACETS = ("domain", "actions")
"""Fields by which scores are broken down, see `worksmith.evals.reporting.episodes.FIELDS`."""

_AREA_FACETS = ("area", "type", "difficulty", "department")
"""The same for tasks of several fields of work."""

_SHOWN = {"actions": "expected actions", "intent": "task type", "department": "department of who asks"}
_TOOLSET = "toolset"
_BY_WORDS = (
    "Judged only: tasks whose answer is known in words only. They are part of no other score, and no checked "
    "task is part of theirs."
)

_PAIRED = "Differences have 95 % intervals, paired by task, each by itself."


def study_grid(study: Study, *, title: str = "Comparison") -> Grid:
    """The scores of each arm; candidates first, baselines below them.

    Some columns are there only if needed: the outcome that counts errors as failures once there is an
    error, judges' scores, the procedure, rates, and the tools in prompts where programs differ in them.
    """
    lossy = any(row.summary.errors for row in study.rows)
    judged = any(JUDGE in row.summary.scores for row in study.rows)
    by_words = any(JUDGED in row.summary.scores for row in study.rows)
    bound = any(PROCEDURE in row.summary.scores for row in study.rows)
    rates = rates_of(row.summary for row in study.rows)
    return Grid.of(
        f"{title} on {on_tasks(*(row.summary for row in study.rows))}",
        study.ordered,
        ("program", lambda row: row.arm.shown),
        any(_TOOLSET in row.arm.settings for row in study.rows)
        and ("tools", lambda row: str(row.arm.settings.get(_TOOLSET, NO_DATA))),
        ("outcome, %", lambda row: percent(row.summary.scores.get(PRIMARY))),
        lossy and ("counting errors", lambda row: percent(row.summary.scores.get(STRICT))),
        judged and ("judge, %", lambda row: percent(row.summary.scores.get(JUDGE))),
        by_words and ("judged only, %", lambda row: percent(row.summary.scores.get(JUDGED))),
        ("side effects", lambda row: percent(row.summary.scores.get(CHANGED))),
        bound and ("procedure, %", lambda row: percent(row.summary.scores.get(PROCEDURE))),
        *((heading, lambda row, cell=cell: cell(row.summary)) for heading, cell in rates),
        ("errors", lambda row: error_cell(row.summary)),
        (f"points to {study.rows[0].arm.label}", _points_to_first),
        notes=(
            *(("Comparisons count lost episodes as wrong.",) if lossy else ()),
            *((_BY_WORDS,) if by_words else ()),
            *((f"Power: {said}",) if (said := power(study)) else ()),
            *((_PAIRED,) if len(study.rows) > 1 else ()),
            *interval_notes(study.rows[0].summary),
        ),
        lead=conclusions(study),
    )


def interval_notes(summary: Summary) -> tuple[str, ...]:
    groups = summary.scores[PRIMARY].groups if PRIMARY in summary.scores else 0
    if not groups:
        return ()
    return (f"Intervals are clustered by intent; there are {groups} intents.",)


def facets_of(records: Sequence[EpisodeRecord]) -> Mapping[str, Facet]:
    """The fields by which these scores are broken down."""
    names = kind_of(records).report().breakdown
    if names is None:
        names = _AREA_FACETS if has_areas(records) else FACETS
    facets: dict[str, Facet] = {name: partial(field_value, name=name) for name in names}
    return {name: facet for name, facet in facets.items() if any(map(facet, records))}


def compared_grids(study: Study) -> list[Grid]:
    """The outcome of each program by each facet."""
    records = [record for row in study.rows for record in row.result.records]
    return [_compared(name, facet, study.rows) for name, facet in facets_of(records).items()]


def score_grid(summary: Summary, model: str) -> Grid:
    macro = [] if math.isnan(summary.macro.value) else [("outcome, each field the same", summary.macro)]
    return Grid.of(
        "Scores",
        [*summary.scores.items(), *macro],
        ("score", lambda item: item[0]),
        ("%, 95 % interval", lambda item: percent(item[1])),
        ("tasks", lambda item: str(item[1].n)),
        notes=(
            f"{summary.errors} of {summary.episodes} episodes ({share(summary.error_rate)} %) were lost to "
            f"the infrastructure; {STRICT} counts them as failures, the other scores leave them out.",
            *interval_notes(summary),
        ),
    )


def status_grid(summary: Summary) -> Grid:
    """The statuses of episodes, with their meaning and whose failure they are."""

    def failing(status: str) -> str:
        if status == "finished":
            return NO_DATA
        return "infrastructure" if status in INFRASTRUCTURE else "agent"

    ended = [(status, STATUSES.get(status)) for status in summary.statuses if status != "finished"]
    notes = [f"{status}: {ending.meaning}" for status, ending in ended if ending is not None]
    lenient = [f"{name} {count}" for name, count in summary.readings.items() if name != UNREADABLE]
    if summary.readings:
        unreadable = summary.readings.get(UNREADABLE, 0)
        notes.append(f"Replies: unreadable {unreadable}; read leniently: {', '.join(lenient) or 'none'}.")
    return Grid.of(
        "How episodes ended",
        summary.statuses.items(),
        ("status", lambda item: item[0]),
        ("episodes", lambda item: str(item[1])),
        ("%", lambda item: share(item[1] / summary.episodes)),
        ("whose failure", lambda item: failing(item[0])),
        notes=tuple(notes),
    )


def attempt_grid(summary: Summary, notes: tuple[str, ...]) -> Grid:
    """The reliability of one program over several attempts."""
    return Grid.of(
        "Reliability: the chance that all of k attempts at a task succeed, and that any does",
        summary.pass_hat.items(),
        ("k", lambda item: str(item[0])),
        ("pass^k, %", lambda item: percent(item[1])),
        ("pass@k, %", lambda item: percent(summary.pass_at[item[0]])),
        ("tasks", lambda item: str(item[1].n)),
        notes=notes,
    )


def attempt_grids(study: Study) -> list[Grid]:
    """The chance that all of k attempts succeed, of each candidate; none if tasks were attempted once."""
    rows = [row for row in study.ordered if row.summary.pass_hat and not row.arm.baseline]
    if not rows:
        return []
    counts = range(1, 1 + max(max(row.summary.pass_hat) for row in rows))
    return [
        Grid.of(
            "pass^k, the chance that all of k attempts succeed, by k, %",
            rows,
            ("program", lambda row: row.arm.label),
            *((str(k), lambda row, k=k: percent(row.summary.pass_hat.get(k))) for k in counts),
        )
    ]


def facet_grids(records: Sequence[EpisodeRecord], seed: int) -> list[Grid]:
    return [_facet_grid(name, facet, records, seed) for name, facet in facets_of(records).items()]


def error_cell(summary: Summary) -> str:
    """The share of episodes lost to the infrastructure in percent, with the count where there is any."""
    lost = f" ({summary.errors}/{summary.episodes})" if summary.errors else ""
    return share(summary.error_rate) + lost


def _facet_grid(name: str, facet: Facet, records: Sequence[EpisodeRecord], seed: int) -> Grid:
    parts = {value: summarize(group, seed=seed) for value, group in group_records(records, facet).items()}
    rates = rates_of(parts.values())
    shown = _SHOWN.get(name, name)
    return Grid.of(
        f"By {shown}",
        parts.items(),
        (shown, lambda item: item[0]),
        ("outcome, %", lambda item: percent(item[1].scores.get(PRIMARY))),
        ("side effects", lambda item: percent(item[1].scores.get(CHANGED))),
        *((heading, lambda item, cell=cell: cell(item[1])) for heading, cell in rates),
        ("errors", lambda item: error_cell(item[1])),
        ("tasks", lambda item: str(item[1].tasks)),
    )


def _compared(name: str, facet: Facet, rows: Sequence[Row]) -> Grid:
    shown = _SHOWN.get(name, name)
    groups = [group_records(row.result.records, facet) for row in rows]
    scores = [
        {value: summarize(part, seed=row.result.seed).scores.get(PRIMARY) for value, part in group.items()}
        for group, row in zip(groups, rows, strict=True)
    ]
    return Grid.of(
        f"Outcome by {shown}, %",
        dict.fromkeys(value for group in groups for value in group),
        (shown, str),
        *(
            (row.arm.label, lambda value, s=s: percent(s.get(value)))
            for row, s in zip(rows, scores, strict=True)
        ),
        ("tasks", lambda value: str(len({record.task_id for record in groups[0].get(value, [])}))),
    )


def _points_to_first(row: Row) -> str:
    return points(row.against_first.difference) if row.against_first else NO_DATA
