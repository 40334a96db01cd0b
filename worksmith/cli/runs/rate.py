"""`worksmith rate`: people read episodes, tasks or records and rate them, without knowing whose they are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import say, show
from worksmith.evals.records.changes import cells_text, place_text
from worksmith.jobs.settings.runs import RateSettings
from worksmith.jobs.showing.printing import escape
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from worksmith.evals.rating.sample import SampledEpisode
    from worksmith.evals.rating.scales import Scale
    from worksmith.evals.rating.suite_sample import SampledText
    from worksmith.jobs.runs.rating import RatingSession

_HELP = "1-5 and a note if you like; s skips, q stops"

_LONGEST = 400
"""Characters of an observation that raters see."""

AgreementFlag = Annotated[
    bool, typer.Option("--agreement", help="Report the agreement of the raters; ask for no ratings.")
]


@from_settings(RateSettings)
def rate_runs(settings: RateSettings, agreement: AgreementFlag = False, as_json: JsonFlag = False) -> None:
    """Rate sampled episodes of runs, or tasks or records of suites, on five levels, without their origin.

    Ratings are written at once; the same command continues after a stop.
    """
    from worksmith.jobs.runs.rating import RatingSession, agreement_of

    if not agreement:
        if settings.rater is None or not settings.rater.strip():
            raise InputError("nobody rates", where="--rater", hint="say who you are, or give --agreement")
        session = RatingSession.open(settings)
        try:
            _ask_all(session)
        finally:
            if found := session.track():
                say(f"{found} ratings are with their traces in MLflow")
    show(agreement_of(settings), as_json)


def _ask_all(session: RatingSession) -> None:
    """Show what this rater has not rated yet, until all is rated or the rater stops."""
    from rich.console import Console

    console = Console(stderr=True)
    for number, item in enumerate(session.items, start=1):
        owed = session.owed(item)
        if owed:
            console.rule(f"[bold]{number} of {len(session.items)}", align="left")
            _show(console, item.shown)
        for scale in owed:
            answer = _ask(console, scale)
            if answer is None:
                return
            session.keep(scale, item, answer.level, answer.note)


@dataclass(frozen=True)
class _Answer:
    """A level, 0 without one."""

    level: int
    note: str = ""


def _ask(console: Console, scale: Scale) -> _Answer | None:
    """One answer; None to stop."""
    console.print(f"[bold]{scale.question}[/]")
    for level, meaning in enumerate(scale.levels, start=1):
        console.print(f"  {level} {meaning}", markup=False, highlight=False)
    while True:
        try:
            message = console.input(f"[dim]{scale.name} ({_HELP}): [/]").strip()
        except EOFError:
            return None
        first, _, note = message.partition(" ")
        if first.isdecimal() and 1 <= int(first) <= len(scale.levels):
            return _Answer(int(first), note.strip())
        if message in ("s", "q"):
            return _Answer(0) if message == "s" else None
        console.print(f"{message!r} is none of these", markup=False)


def _show(console: Console, shown: SampledEpisode | SampledText) -> None:
    """Without its program, scores and expectation."""
    from worksmith.evals.rating.suite_sample import SampledText

    if isinstance(shown, SampledText):
        for name, text in shown.text.items():
            console.print(f"[cyan]{escape(name)}[/] {escape(text)}")
        return
    record = shown.record
    console.print(escape(record.query), style="bold")
    for call in record.calls:
        arguments = json.dumps(call.arguments, ensure_ascii=False)
        console.print(f"[cyan]{escape(call.tool)}[/] {escape(arguments)}")
        console.print(escape(_cut(call.observation)), style="dim")
    for change in record.changes:
        console.print(escape(f"changed: {place_text(change)}: {cells_text(change)}"))
    answer = ": ".join(text for text in (record.answer_status, record.answer) if text)
    console.print(f"[bold]answer[/] {escape(answer) or '(none)'}")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
