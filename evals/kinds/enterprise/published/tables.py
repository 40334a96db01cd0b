"""The tables of the EnterpriseBench paper, from runs on its tasks, beside the paper's own figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

from worksmith.evals.records.groups import group_records
from worksmith.evals.records.program_records import ProgramRecords
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.records.summary import summarize
from worksmith.evals.records.verdicts import JUDGE, JUDGED
from worksmith.evals.scoring.answer_scorer import WORDS_F1
from worksmith.evals.table import NO_DATA, Grid, percent
from worksmith.tools.files.data_files import read_toml


def paper_grids(programs: Sequence[ProgramRecords]) -> list[Grid]:
    """The F1 and the judge's score by area (tables 6 and 7), and the errors by the paper's names."""
    return [_f1_grid(programs), *_judge_grids(programs), _error_grid(programs)]


def _f1_grid(rows: Sequence[ProgramRecords]) -> Grid:
    note = "F1 of the words of answer and reference. The paper's table 6 has other models and all its tasks."
    return _by_area("F1 by area, %", rows, WORDS_F1, note)


def _judge_grids(rows: Sequence[ProgramRecords]) -> list[Grid]:
    """The judge's score by area, apart for tasks that are checked and for those that are judged only."""
    note = "The paper's table 7 has other models, its own judge and all its tasks."
    titles = {JUDGE: "tasks that are checked", JUDGED: "tasks that are judged only"}
    return [
        _by_area(f"Judge by area, %: {title}", rows, score, note)
        for score, title in titles.items()
        if any(score in row.summary.scores for row in rows)
    ]


def _by_area(title: str, rows: Sequence[ProgramRecords], score: str, note: str) -> Grid:
    groups = [group_records(row.records, lambda record: record.facet("area") or NO_DATA) for row in rows]
    areas = sorted({area for found in groups for area in found})

    def cell(row: ProgramRecords, records: Sequence[EpisodeRecord]) -> str:
        return percent(summarize(records, seed=row.seed).scores.get(score) if records else None)

    cells = [
        (area, *(cell(row, found.get(area, ())) for row, found in zip(rows, groups, strict=True)))
        for area in areas
    ]
    return Grid(title, ("area", *(row.label for row in rows)), tuple(cells), (note,))


def _error_grid(rows: Sequence[ProgramRecords]) -> Grid:
    """Counts of wrong episodes by the paper's names of errors, and its own counts."""
    names, counts = _errors()["failure_modes"], _errors()["failure_counts"]
    programs = [row for row in rows if not row.baseline]
    found = [
        Counter(names.get(record.fault.kind, _OTHER) for record in row.records if record.fault)
        for row in programs
    ]
    cells = [
        (name, *(str(each[name]) for each in found), str(counts["modes"].get(name, NO_DATA)))
        for name in dict.fromkeys((*counts["modes"], *names.values(), _OTHER))
    ]
    of = [str(sum(record.graded for record in row.records)) for row in programs]
    note = f"The paper's column: {counts['of']}. Ours: what rules find in each wrong episode."
    headings = ("error", *(row.label for row in programs), "paper")
    return Grid("Errors", headings, (*cells, ("episodes", *of, str(counts["episodes"]))), (note,))


_OTHER = "other"


@cache
def _errors() -> dict[str, Any]:
    return read_toml(__package__, "published.toml")
