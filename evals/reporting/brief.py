"""A study for a terminal: the answer, the programs, what it took and what to do next, in a few lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from worksmith.evals.characters import harmless
from worksmith.evals.records.record import ASR
from worksmith.evals.reporting.study_charts import part_changes, shown_rows
from worksmith.evals.reporting.tables.costs import dollars_an_episode
from worksmith.evals.reporting.tables.findings import cost, findings, measured, outcome_of
from worksmith.evals.running.study import Row, Study
from worksmith.evals.table import NO_DATA, number, percent, points, share

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MOST_LINES = 15

_FEWEST_ROWS, _LONGEST_NAME = 2, 30

_MOST_PARTS = 5


def show_brief(console: Console, study: Study, *, notes: Sequence[str] = (), step: str = "") -> None:
    """Print a study in at most `MOST_LINES` lines.

    Args:
        notes: what has to be known beside the findings; of several the first is printed.
        step: what to do next, in a sentence.
    """
    answer, *more = findings(study)
    models = ", ".join(dict.fromkeys(row.result.model for row in study.rows if not row.arm.baseline))
    tasks = f"{measured(study)}; " if len(study.rows) > 1 else ""  # of one program the answer says it
    more = [f"{tasks}{models}; {cost(study)}.", *more, *notes[:1]]
    more += [f"and {len(notes) - 1} more notes; --verbose has them"] if len(notes) > 1 else []
    last = [f"Next: {step}"] if step else []

    def lines(*said: str) -> list[str]:
        return [line for each in said for line in textwrap.wrap(harmless(each), console.width)]

    while len(lines(answer, *more, *last)) > MOST_LINES - _FEWEST_ROWS - 1 and len(more) > 1:
        more.pop()
    for line in lines(answer):
        console.print(line, style="bold", markup=False, highlight=False)
    room = MOST_LINES - len(lines(answer, *more, *last)) - 1
    table = _programs(study, room) if len(study.rows) > 1 else _parts(study, min(room, _MOST_PARTS))
    if table is not None:
        console.print(table)
    for line in lines(*more, *last):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _programs(study: Study, most: int) -> Table:
    rows = shown_rows(study, most)
    paid = [dollars_an_episode(row.result) for row in rows]
    priced, attacked = any(paid), any(ASR in row.summary.scores for row in rows)
    lead = "gained" if study.compiled else f"points to {short_name(study.rows[0].arm.label, 20)}"
    cells = (
        (
            short_name(row.arm.shown),
            percent(outcome_of(row.summary)),
            *([_asr(row)] if attacked else ()),
            _lead(study, row),
            number(price, 4) if priced else number(row.summary.means.get("used_tokens"), 0),
        )
        for row, price in zip(rows, paid, strict=True)
    )
    shown = ("outcome, %", *(("asr, %",) if attacked else ()), lead)
    return short_table(("program", *shown, "dollars" if priced else "tokens"), cells)


def _asr(row: Row) -> str:
    return share(row.summary.scores[ASR].value) if ASR in row.summary.scores else NO_DATA


def _lead(study: Study, row: Row) -> str:
    """The lead of a program over itself uncompiled; where none was compiled, over the first one."""
    if study.compiled:
        return next((points(found) for each, _, found in study.compiled if each is row), "")
    return points(row.against_first.difference) if row.against_first else ""


def _parts(study: Study, most: int) -> Table | None:
    """The parts in which the only program is worst; None where it fails in none."""
    found = part_changes(study)
    rows = [each for each in found.rows if each.after.value < 1][:most] if found else []
    cells = ((short_name(row.label), row.text, str(row.after.n)) for row in rows)
    return short_table((found.across, "outcome, %", "tasks"), cells) if found and rows else None


def short_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table without lines."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for place, heading in enumerate(headings):
        table.add_column(Text(harmless(heading)), justify="right" if place else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(harmless(cell or NO_DATA)) for cell in row))
    return table


def short_name(name: str, longest: int = _LONGEST_NAME) -> str:
    """A name whose middle is left out where it is long: names often differ at their end."""
    half = longest // 2
    return name if len(name) <= longest else f"{name[: longest - half - 1]}…{name[-half:]}"
