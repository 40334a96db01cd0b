"""Tables of what judges said; what is no language model says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from evals.judging.local import NAME
from evals.records.judge_figures import JudgeFigures
from evals.table import NO_DATA, Grid, percent, share, tokens_shown

if TYPE_CHECKING:
    from evals.running.study import Study

_NOTE = (
    "Score: the mean of (level - 1) / 4; passed: level 4 or 5; failed: verdicts that could not be read or "
    "had, which are in no mean. Tokens are the judge's own and in no other table; `~` marks estimates."
)
_LOCAL = f"{NAME} is no language model: it checks facts by rule."
_HEADINGS = ("score %", "passed %", "failed %", "verdicts", "used tokens", "paid tokens")


def judge_grid(figures: Sequence[JudgeFigures]) -> Grid | None:
    """What the judges of one program's episodes said; None without any."""
    if not figures:
        return None
    rows = tuple((each.judge, *_cells(each)) for each in figures)
    return Grid("Judges", ("judge", *_HEADINGS), rows, _notes(each.judge for each in figures))


def judge_grids(study: Study) -> tuple[Grid, ...]:
    """For each judge of a comparison, what it said of each program."""
    names = dict.fromkeys(each.judge for row in study.ordered for each in row.summary.judging)
    return tuple(_judge_grid(study, name) for name in names)


def _judge_grid(study: Study, name: str) -> Grid:
    rows = []
    for row in study.ordered:
        own = next((each for each in row.summary.judging if each.judge == name), None)
        rows.append((row.arm.shown, *(_cells(own) if own else (NO_DATA,) * len(_HEADINGS))))
    return Grid(f"Judged by {name}", ("program", *_HEADINGS), tuple(rows), _notes([name]))


def _cells(figures: JudgeFigures) -> tuple[str, ...]:
    failed = f"{share(figures.failed / figures.verdicts)} ({figures.failed}/{figures.verdicts})"
    scores = (percent(figures.score), percent(figures.passed))
    usage = figures.usage
    tokens = (tokens_shown(count, 0, usage.estimated) for count in (usage.used_tokens, usage.paid_tokens))
    return *scores, failed, str(figures.verdicts), *tokens


def _notes(names: Iterable[str]) -> tuple[str, ...]:
    return (_NOTE, _LOCAL) if NAME in names else (_NOTE,)
