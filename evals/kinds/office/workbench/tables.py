"""The tables of the WorkBench paper, from runs on its tasks, beside the paper's own figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum

from worksmith.evals.kinds.office.workbench.tasks import DOMAINS
from worksmith.evals.records.groups import domain_of, group_records
from worksmith.evals.records.program_records import ProgramRecords
from worksmith.evals.records.record import PRIMARY, EpisodeRecord
from worksmith.evals.records.summary import summarize
from worksmith.evals.reporting.published import PAPER, PublishedTable, published_tables
from worksmith.evals.statistics import Interval
from worksmith.evals.table import NO_DATA, Grid, percent, share

_SIDE_EFFECTS = "unwanted_side_effects"
_SUBSETS: dict[str, Callable[[EpisodeRecord], bool]] = {
    "all": lambda record: True,
    "0": lambda record: record.expected_actions == 0,
    "1+": lambda record: record.expected_actions >= 1,
    "2+": lambda record: record.expected_actions >= 2,
}

_ERRORS = {
    "wrong_email": "an address was made up",
    "end_date_minor_error": "only the last day of a plot is wrong",
    "meeting_start_time_error": "only the start of a meeting is wrong",
    "no_action": "no call at all",
}
"""The original's counts of wrong rows, by the names of its flags."""


def paper_grids(programs: Sequence[ProgramRecords]) -> list[Grid]:
    """Tables 5, 6 and 7, figure 7, and the breakdown of errors, as far as the runs allow."""
    by_tools, by_domain, by_actions = published_tables("office")
    rows = [program for program in programs if not program.baseline]
    return [
        _tools_grid(rows, by_tools),
        _domain_grid(rows, by_domain),
        _actions_grid(rows, by_actions),
        _template_grid(rows),
        _error_grid(rows),
    ]


def _tools_grid(rows: Sequence[ProgramRecords], paper: PublishedTable) -> Grid:
    cells = [(row.label, _cell(row, row.records), _tasks(row.records)) for row in rows]
    cells += [
        (f"{PAPER}{column}, {name}", f"{paper.figure(name, column):g}", NO_DATA)
        for column in paper.columns
        for name, _ in paper.rows
    ]
    return Grid(
        f"Table 5. {paper.title}", ("model, tools", "accuracy", "tasks"), tuple(cells), (paper.source,)
    )


def _domain_grid(rows: Sequence[ProgramRecords], paper: PublishedTable) -> Grid:
    cells = []
    for row in rows:
        groups = [[r for r in row.records if domain_of(r) == domain] for domain in DOMAINS]
        cells.append((f"{row.label}: tasks", *map(_tasks, groups)))
        cells.append((f"{row.label}: accuracy", *(_cell(row, group) for group in groups)))
        effects = (_cell(row, group, _SIDE_EFFECTS) for group in groups)
        cells.append((f"{row.label}: side effects", *effects))
    cells += [
        (f"{PAPER}{name}", *(f"{paper.figure(name, domain):g}" for domain in DOMAINS))
        for name, _ in paper.rows
    ]
    return Grid(f"Table 6. {paper.title}", ("", *DOMAINS), tuple(cells), (paper.source,))


def _actions_grid(rows: Sequence[ProgramRecords], paper: PublishedTable) -> Grid:
    cells = []
    for row in rows:
        groups = ([r for r in row.records if wanted(r)] for wanted in _SUBSETS.values())
        cells.append((row.label, *(_cell(row, group) for group in groups)))
    cells += [
        (f"{PAPER}{column}", *(f"{paper.figure(name, column):g}" for name in _SUBSETS))
        for column in paper.columns
    ]
    headings = ("model", *(f"{name} actions" for name in _SUBSETS))
    return Grid(f"Table 7. {paper.title}", headings, tuple(cells), (paper.source,))


def _template_grid(rows: Sequence[ProgramRecords]) -> Grid:
    """Accuracy by template, the hardest first. Tasks without a template are left out."""
    by_template: list[dict[str, float]] = []
    for row in rows:
        groups = group_records([record for record in row.records if record.intent], _template)
        found = {name: summarize(group, seed=row.seed).scores.get(PRIMARY) for name, group in groups.items()}
        by_template.append({name: score.value for name, score in found.items() if score is not None})
    names = {name for found in by_template for name in found}

    def ease(name: str) -> tuple[float, int, str]:
        return fsum(found.get(name, 0.0) for found in by_template), len(name), name

    cells = tuple(
        (name, *(share(found[name]) if name in found else NO_DATA for found in by_template))
        for name in sorted(names, key=ease)
    )
    ends = [
        f"{row.label}: {sum(value in (0.0, 1.0) for value in found.values())} of {len(found)}"
        for row, found in zip(rows, by_template, strict=True)
    ]
    notes = (f"Templates at 0 or 100 %. {'; '.join(ends)}. {PAPER}GPT-4: 15 of 69.",)
    return Grid("Figure 7. Accuracy by template, %", ("template", *(row.label for row in rows)), cells, notes)


def _template(record: EpisodeRecord) -> str:
    return str(record.intent)


def _error_grid(rows: Sequence[ProgramRecords]) -> Grid:
    """Counts of wrong rows; a row may have any number of the flags."""
    wrong = [[r for r in row.records if r.scores.get(PRIMARY, 0.0) < 1] for row in rows]
    lines: list[tuple[str, Callable[[EpisodeRecord], bool]]] = [
        ("wrong", lambda record: True),
        ("with side effects", lambda record: record.scores.get(_SIDE_EFFECTS, 0.0) > 0),
        ("without side effects", lambda record: not record.scores.get(_SIDE_EFFECTS, 0.0)),
    ]
    lines += [(said, _flagged(flag)) for flag, said in _ERRORS.items()]
    cells = tuple(
        (said, *(str(sum(counts(record) for record in group)) for group in wrong)) for said, counts in lines
    )
    note = (
        "Counts of wrong rows. The paper draws its breakdown (figure 6) without figures; these are the "
        "flags of its result files. What rules find in each wrong row stands under Errors."
    )
    return Grid("Sources of error", ("", *(row.label for row in rows)), cells, (note,))


def _flagged(flag: str) -> Callable[[EpisodeRecord], bool]:
    return lambda record: record.scores.get(flag, 0.0) > 0


def _cell(row: ProgramRecords, records: Sequence[EpisodeRecord], score: str = PRIMARY) -> str:
    found: Interval | None = summarize(records, seed=row.seed).scores.get(score) if records else None
    return percent(found)


def _tasks(records: Sequence[EpisodeRecord]) -> str:
    return str(len({record.task_id for record in records}))
