"""Results of jobs: data for programs, tables for people, in a terminal as in a notebook."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape as without_markup
from rich.table import Table

from worksmith.evals.characters import harmless
from worksmith.tools.files.atomic import check_writable, write_atomically
from worksmith.tools.view import Shown, View

if TYPE_CHECKING:
    from worksmith.evals.reporting.report import Report

_WIDTH = 110
"""Columns of a result as text."""


def escape(text: str) -> str:
    """A text for rich: nothing in it is markup, and nothing in it commands the terminal."""
    return without_markup(harmless(text))


def write_report(report: Report, file: Path) -> Path:
    """Write a report as one page that needs nothing else; gives the file back.

    Raises:
        InputError: the file cannot be written.
    """
    check_writable(file)
    write_atomically(file, report.html().encode())
    return file


class Printable(Shown):
    """A result that prints as tables."""

    def to_json(self) -> Any:
        raise NotImplementedError

    def print(self, console: Console) -> None:
        raise NotImplementedError

    def print_tables(self, console: Console) -> None:
        """Print all there is to know; for most results `print` does."""
        self.print(console)

    @property
    def failed(self) -> bool:
        """Whether a command that shows it fails."""
        return False

    @property
    def unheard(self) -> Sequence[str]:
        # Sentences beside the data that no progress received; pages leave them out.
        return ()

    @property
    def undone(self) -> tuple[str, str]:
        """The limit of the budget that ended the job, and the undone work; empty without one."""
        return "", ""

    def __str__(self) -> str:
        text = io.StringIO()
        # In a notebook a console would display what it prints, and a text would have colours.
        self.print(Console(file=text, width=_WIDTH, force_jupyter=False, force_terminal=False))
        return text.getvalue().rstrip()

    def __repr__(self) -> str:
        return self._view().text()

    def _view(self) -> View:
        title, *lines = str(self).splitlines() or [""]
        return View(title, items=lines, columns=(("", str),))


@dataclass(frozen=True)
class Printed(Printable):
    """Data, and the lines that show them."""

    data: Mapping[str, Any]
    lines: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return dict(self.data)

    def print(self, console: Console) -> None:
        for line in self.lines:
            console.out(harmless(line), highlight=False)


@dataclass(frozen=True, repr=False)
class Several(Printable):
    """Several results."""

    each: Sequence[Printable]

    def to_json(self) -> list[Any]:
        return [one.to_json() for one in self.each]

    def print(self, console: Console) -> None:
        for one in self.each:
            one.print(console)


class Facts(Printable):
    """A result that is facts by name."""

    def facts(self) -> dict[str, Any]:
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        return self.facts()

    def print(self, console: Console) -> None:
        console.print(facts_table(self.facts()))

    def _view(self) -> View:
        facts = {name.replace("_", " "): "; ".join(_lines(value)) for name, value in self.facts().items()}
        return View(type(self).__name__, facts)


def facts_table(facts: Mapping[str, Any]) -> Table:
    """Facts as a table of two columns."""
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in facts.items():
        for number, line in enumerate(_lines(value)):
            table.add_row(f"[bold]{name.replace('_', ' ')}" if number == 0 else "", line)
    return table


def _lines(value: Any) -> list[str]:
    if isinstance(value, list):
        return [line for item in value for line in _lines(item)] or ["-"]
    if isinstance(value, dict):
        if "outcome" in value:
            return [_trial(value)]
        if "at_most" in value:
            return list(_forecast(value))
        if "said" in value:
            return [value["said"]]
        return [", ".join(f"{key} {' '.join(_lines(item))}" for key, item in value.items()) or "-"]
    if isinstance(value, float) and value.is_integer():
        return [f"{value:.0f}"]
    return ["-" if value is None else str(value)]


def _forecast(forecast: Mapping[str, Any]) -> Iterator[str]:
    minutes = "" if forecast["minutes"] is None else f", {forecast['minutes']} minutes"
    expected = forecast["expected"]
    yield f"{_amounts(expected)}{minutes}" if expected else "proposals and learning cannot be forecast"
    yield f"at most {_amounts(forecast['at_most'])}"
    asked = "" if forecast["measured"] else " of gold plans"
    yield f"from {forecast['sampled_episodes']} episodes{asked}"
    if reached := forecast.get("reaches"):
        yield f"reaches {', '.join('--' + name.replace('_', '-') for name in reached)}"


def _amounts(spent: Mapping[str, Any]) -> str:
    usd = "unknown dollars" if spent["usd"] is None else f"{spent['usd']:.2f} dollars"
    return f"{spent['model_calls']:,} model calls, {spent['used_tokens']:,} used tokens, {usd}"


def _trial(trial: Mapping[str, Any]) -> str:
    outcome, errors = trial["outcome"], f", {trial['errors']} failed" if trial["errors"] else ""
    race = trial.get("race", {})
    breaks = f"breaks {', '.join(trial['broken'])}" if trial.get("broken") else ""
    errors += "".join(f"; {said}" for said in (_race(race), race.get("left"), breaks) if said)
    if outcome["value"] is None:
        return f"{trial['name']}: no result{errors}"
    low, value, high = (100 * outcome[bound] for bound in ("low", "value", "high"))
    return f"{trial['name']}: {value:.1f} % ({low:.1f}-{high:.1f}) of {outcome['n']} tasks{errors}"


def _race(race: Mapping[str, Any]) -> str:
    """The finding of a race on a candidate."""
    if "accepted" in race:
        return "better than the program as it is" if race["accepted"] else "not shown to be better"
    return str(race.get("verdict", ""))
