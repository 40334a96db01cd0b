"""`worksmith rate`: people read episodes and say how good they are, without knowing whose they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from worksmith.cli.options import JsonFlag, SeedOption, TrackFlag, TrackingUriOption, say
from worksmith.cli.terminal import escape

if TYPE_CHECKING:
    from rich.console import Console

    from evals.rating.ratings import Rating
    from evals.rating.sample import SampledEpisode
    from evals.rating.scales import Scale
    from evals.records.run_card import LoadedRun

_HELP = "1-5 and a note if you like; s skips, q stops"


def rate_runs(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN...", help="Episode logs, folders of them, or ids of MLflow runs."),
    ],
    rater: Annotated[
        str | None, typer.Option(help="Who rates; each rater's ratings are kept. Needed to rate.")
    ] = None,
    sample: Annotated[int, typer.Option(min=1, help="Tasks of which each run's episode is shown.")] = 20,
    scales: Annotated[
        str,
        typer.Option(
            help="What is asked, separated by commas: correctness, realism.",
            autocompletion=lambda: ["correctness", "realism", "correctness,realism"],
        ),
    ] = "correctness,realism",
    agreement: Annotated[
        bool, typer.Option("--agreement", help="Ask nobody: say how far those agree who have rated.")
    ] = False,
    seed: SeedOption = 0,
    track: TrackFlag = True,
    tracking_uri: TrackingUriOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Rate sampled episodes of finished runs on five-level scales, blind to which run they are of.

    Ratings are written as they are given; the same command goes on where it stopped.
    """
    from evals.rating.scales import scales_named
    from evals.tracking.run_loading import open_runs
    from tools.errors import InputError
    from worksmith.cli.runs.rate_report import show_agreement

    asked = scales_named(scales)
    opened = open_runs(runs, tracking_uri=tracking_uri)
    if not agreement:
        if rater is None or not rater.strip():
            raise InputError("nobody rates", where="--rater", hint="say who you are, or give --agreement")
        session = _Session(opened, asked, rater.strip(), sample, seed)
        try:
            session.run()
        finally:
            session.record(track, tracking_uri)
    show_agreement(opened, asked, seed, as_json)


@dataclass
class _Session:
    """One rater at work."""

    runs: Sequence[LoadedRun]
    scales: Sequence[Scale]
    rater: str
    sample: int
    seed: int

    def __post_init__(self) -> None:
        self.given: list[tuple[int, Rating]] = []

    def run(self) -> None:
        """Show what this rater has not rated yet, until all is rated or the rater stops."""
        from rich.console import Console

        from evals.rating.sample import draw_sample

        done = {self._unit(scale, r.key, r.task_id) for scale in self.scales for r in self._earlier(scale)}
        console = Console(stderr=True)
        shown = draw_sample(self.runs, self.sample, rater=self.rater, seed=self.seed)
        for number, episode in enumerate(shown, start=1):
            owed = [s for s in self.scales if self._unit_of(s, episode) not in done]
            if not owed:
                continue
            _show(console, episode, f"{number} of {len(shown)}")
            for scale in owed:
                answer = _ask(console, scale)
                if answer is None:
                    return
                if answer.level:
                    self._keep(scale, episode, answer)
                done.add(self._unit_of(scale, episode))

    def record(self, track: bool, tracking_uri: str | None) -> None:
        """Put what was given in this session beside the episodes' traces in MLflow, where there are such."""
        if not (track and self.given):
            return
        from evals.tracking import log_ratings

        found = 0
        for number, run in enumerate(self.runs):
            found += log_ratings(run, [r for place, r in self.given if place == number], uri=tracking_uri)
        if found:
            say(f"{found} ratings are with their traces in MLflow")

    def _keep(self, scale: Scale, episode: SampledEpisode, answer: _Answer) -> None:
        from evals.rating.ratings import Rating, append_ratings, ratings_file
        from worksmith.jobs.session import LOGS

        rating = Rating(
            key=episode.record.key,
            task_id=episode.record.task_id,
            rater=self.rater,
            scale=scale.name,
            level=answer.level,
            note=answer.note,
        )
        append_ratings(ratings_file(self.runs[episode.run], LOGS), [rating])
        self.given.append((episode.run, rating))

    def _earlier(self, scale: Scale) -> list[Rating]:
        from worksmith.cli.runs.rate_report import all_ratings

        ratings = all_ratings(self.runs)
        return [r for r in ratings if r.rater == self.rater and r.scale == scale.name]

    def _unit_of(self, scale: Scale, episode: SampledEpisode) -> tuple[str, str]:
        return self._unit(scale, episode.record.key, episode.record.task_id)

    @staticmethod
    def _unit(scale: Scale, key: str, task: str) -> tuple[str, str]:
        """What is rated once: a task, in whichever episode, or an episode."""
        return scale.name, task if scale.about == "task" else key


@dataclass(frozen=True)
class _Answer:
    """A level, 0 for none."""

    level: int
    note: str = ""


def _ask(console: Console, scale: Scale) -> _Answer | None:
    """One answer; None to stop."""
    console.print(f"[bold]{scale.question}[/]")
    for level, meaning in enumerate(scale.levels, start=1):
        console.print(f"  {level} {meaning}", markup=False, highlight=False)
    while True:
        try:
            said = console.input(f"[dim]{scale.name} ({_HELP}): [/]").strip()
        except EOFError:
            return None
        first, _, note = said.partition(" ")
        if first.isdecimal() and 1 <= int(first) <= len(scale.levels):
            return _Answer(int(first), note.strip())
        if said in ("s", "q"):
            return _Answer(0) if said == "s" else None
        console.print(f"{said!r} is none of these", markup=False)


def _show(console: Console, episode: SampledEpisode, place: str) -> None:
    """An episode without anything that says whose it is, how it was scored, or what was expected."""
    record = episode.record
    console.rule(f"[bold]{place}", align="left")
    console.print(escape(record.query), style="bold")
    for call in record.calls:
        arguments = json.dumps(call.arguments, ensure_ascii=False)
        console.print(f"[cyan]{escape(call.tool)}[/] {escape(arguments)}")
        console.print(escape(_cut(call.observation)), style="dim")
    for change in record.changes:
        console.print(
            escape(f"changed {change.table}: {change.operation} {_cells(change.before, change.after)}")
        )
    answer = ": ".join(text for text in (record.answer_status, record.answer) if text)
    console.print(f"[bold]answer[/] {escape(answer) or '(none)'}")


_LONGEST = 400
"""Characters of an observation that raters see."""


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _cells(before: dict[str, str | None], after: dict[str, str | None]) -> str:
    names = list(dict.fromkeys((*before, *after)))
    return ", ".join(f"{name} {before.get(name, '')} → {after.get(name, '')}" for name in names)
