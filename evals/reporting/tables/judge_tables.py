"""Tables of judges' verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from worksmith.evals.judging.local import NAME
from worksmith.evals.records.judge_figures import JudgeFigures
from worksmith.evals.running.study import Row, Study
from worksmith.evals.table import NO_DATA, Grid, percent, share, tokens_shown

_NOTE = (
    "Score: the mean of (level - 1) / 4; passed: level 4 or 5; failed: verdicts that could not be read or "
    "had, which are in no mean. Tokens are the judge's own and in no other table; `~` marks estimates."
)
_LOCAL = f"{NAME} is not a language model: it checks facts by rule."

_COLUMNS: tuple[tuple[str, Callable[[JudgeFigures], str]], ...] = (
    ("score %", lambda each: percent(each.score)),
    ("passed %", lambda each: percent(each.passed)),
    ("failed %", lambda each: f"{share(each.failed / each.verdicts)} ({each.failed}/{each.verdicts})"),
    ("verdicts", lambda each: str(each.verdicts)),
    ("used tokens", lambda each: tokens_shown(each.usage.used_tokens, 0, each.usage.estimated)),
    ("paid tokens", lambda each: tokens_shown(each.usage.paid_tokens, 0, each.usage.estimated)),
)


def judge_grid(figures: Sequence[JudgeFigures]) -> Grid | None:
    """The verdicts of each judge on one program's episodes; None without any."""
    if not figures:
        return None
    notes = _notes(each.judge for each in figures)
    return Grid.of("Judges", figures, ("judge", lambda each: each.judge), *_COLUMNS, notes=notes)


def judge_grids(study: Study) -> tuple[Grid, ...]:
    """For each judge of a comparison, its verdicts on each program."""
    names = dict.fromkeys(each.judge for row in study.ordered for each in row.summary.judging)
    return tuple(_judge_grid(study, name) for name in names)


def _judge_grid(study: Study, name: str) -> Grid:
    def cell(row: Row, of: Callable[[JudgeFigures], str]) -> str:
        own = next((each for each in row.summary.judging if each.judge == name), None)
        return of(own) if own else NO_DATA

    return Grid.of(
        f"Judged by {name}",
        study.ordered,
        ("program", lambda row: row.arm.shown),
        *((heading, lambda row, of=of: cell(row, of)) for heading, of in _COLUMNS),
        notes=_notes([name]),
    )


def _notes(names: Iterable[str]) -> tuple[str, ...]:
    return (_NOTE, _LOCAL) if NAME in names else (_NOTE,)
