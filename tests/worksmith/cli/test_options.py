"""A command's options are the fields of its settings, with their defaults and help texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from typer.main import get_command

from tests.tables import each_row
from worksmith.cli.app import app
from worksmith.jobs.settings import health, programs, runs, suites
from worksmith.jobs.settings.base import (
    JobSettings,
    choices_of,
    comma_separated,
    option_name,
    ordered_fields,
    traits_of,
)

SETTINGS: dict[str, type[JobSettings]] = {
    "eval": programs.EvaluateSettings,
    "run": programs.RunSettings,
    "chat": programs.ChatSettings,
    "report": runs.ReportSettings,
    "episodes": runs.EpisodesSettings,
    "log send": runs.LogSettings,
    "log merge": runs.MergeSettings,
    "rate": runs.RateSettings,
    "ui": runs.UiSettings,
    "index": suites.IndexSettings,
    "suite import": suites.ImportSettings,
    "quickstart": suites.QuickstartSettings,
    "doctor": health.DoctorSettings,
}
"""Of the commands that the table gives, which are all made in one way, the first alone."""

MODES = {"json", "help", "verbose", "dry_run", "aa", "sample", "prompts", "commit", "check", "agreement"}
MODES |= {"show"}
"""Options that say how a command works; none of them changes what a job is."""


def command(path: str) -> Any:
    found: Any = get_command(app)
    for word in path.split():
        found = found.commands[word]
    return found


@each_row("path", SETTINGS)
def test_no_option_is_without_a_field_and_no_field_without_an_option(path: str) -> None:
    parameters = {parameter.name for parameter in command(path).params}
    fields = {name for name, field in SETTINGS[path].model_fields.items() if traits_of(field).option}

    assert fields <= parameters
    assert {name.removeprefix("as_") for name in parameters - fields} <= MODES


@each_row("path", SETTINGS)
def test_defaults_and_help_are_those_of_the_fields(path: str) -> None:
    parameters = {parameter.name: parameter for parameter in command(path).params}
    for name, field in ordered_fields(SETTINGS[path]).items():
        traits = traits_of(field)
        if not traits.option or (path.startswith("suite") and traits.positional):
            continue  # the kinds that are installed are part of their help
        parameter = parameters[name]
        assert parameter.help == field.description, name
        assert parameter.required == field.is_required(), name
        if not traits.positional:
            assert option_name(name, field) in parameter.opts
        if isinstance(field.default, str | int | float | Path):
            assert (parameter.default or field.default) == field.default, name
        elif comma_separated(field):
            assert (parameter.default or traits.unset) in (",".join(field.default), traits.unset), name
        else:
            assert not parameter.default, name


def test_literals_and_suggestions_are_completed() -> None:
    fields = programs.EvaluateSettings.model_fields

    assert choices_of(fields["ground_truth"]) == ["published", "corrected"]
    assert "react" in choices_of(fields["strategy"])


def test_fields_of_a_job_come_before_those_of_its_groups() -> None:
    names = list(ordered_fields(programs.RunSettings))

    assert names[:5] == ["suite", "task", "log", "ground_truth", "traces"]
