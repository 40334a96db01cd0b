"""What help says of options is what they do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from worksmith.cli.app import app
from worksmith.cli.help import purpose
from worksmith.evals.kinds.crm.suites import CrmOptions
from worksmith.evals.kinds.office.generate import PER_INTENT
from worksmith.evals.tracking import TraceChoice
from worksmith.evals.tracking.store import tracking_uri
from worksmith.optimizers.settings import default_demos


def _options(command: Any, path: str = "worksmith") -> Iterator[Any]:
    for name, below in getattr(command, "commands", {}).items():
        yield from _options(below, f"{path} {name}")
    for parameter in command.params:
        if parameter.param_type_name == "option":
            yield pytest.param(parameter, id=f"{path} {parameter.opts[0]}")


def command(*path: str) -> Any:
    found: Any = typer.main.get_command(app)
    for word in path:
        found = found.commands[word]
    return found


OPTIONS = list(_options(typer.main.get_command(app)))


def test_a_default_is_said_in_one_place() -> None:
    options = {each.id: each.values[0] for each in OPTIONS}
    twice = [
        name for name, option in options.items() if isinstance(option.show_default, str) and option.default
    ]

    assert twice == []
    assert [name for name, option in options.items() if "default" in (option.help or "").lower()] == []


@pytest.mark.parametrize("option", [each for each in OPTIONS if each.values[0].opts[0] == "--traces"])
def test_choices_of_traces_are_as_described(option: Any) -> None:
    some, most = map(TraceChoice.parse, ("some", "most"))

    assert f"some ({some.failures} failures and {some.others} others)" in option.help
    assert f"most (all up to {most.sample:,}" in option.help
    assert option.default in ("some", "most", "none", "all")


def test_defaults_that_are_found_elsewhere_are_those_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    demos = map(default_demos, ("local/apprentice", "openai/gpt-4o"))
    said = {each.id.removeprefix("worksmith "): each.values[0].show_default for each in OPTIONS}

    assert said["eval --tracking-uri"] == tracking_uri()
    assert said["suite build --per-intent"] == str(PER_INTENT)
    assert said["suite build --mode"] == CrmOptions().mode
    assert said["compile --demos"] == "{} for local/apprentice, else {}".format(*demos)


def help_of(*command: str) -> str:
    return CliRunner().invoke(app, command, env={"COLUMNS": "80"}, prog_name="worksmith").output


def test_the_root_says_of_commands_what_they_say_themselves() -> None:
    root = command()
    said = {name: purpose(root.get_command(None, name)) for name in root.list_commands(None)}

    assert said == {name: purpose(found) for name, found in root.commands.items()}


def test_a_group_says_uncut_what_its_commands_do() -> None:
    lines = " ".join(help_of("suite", "--help").split())

    assert "build Generate a world, its tasks and its search index. Seed and scale decide every byte" in lines


@pytest.mark.parametrize("command", ["compile", "eval", "compare"])
def test_help_is_one_page_with_examples(command: str) -> None:
    lines = help_of(command, "--help").splitlines()

    assert len(lines) <= 75
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith(f"  worksmith {command} ") for line in lines) == 3


def test_expert_options_are_behind_help_all() -> None:
    shown, every = help_of("compile", "--help"), help_of("compile", "--help-all")

    assert "--margin" not in shown
    assert "--margin" in every
    assert set(re.findall(r"--[a-z-]+", shown)) < set(re.findall(r"--[a-z-]+", every))
    assert {each.opts[0] for each in command("compile").params} <= set(
        re.findall(r"--?[a-zA-Z-]+|SUITE", every)
    ) | {"suite"}


@pytest.mark.parametrize("path", [("compile",), ("eval",), ("compare",)])
def test_examples_of_help_name_options_that_there_are(path: tuple[str, ...]) -> None:
    known = {each for param in command(*path).params for each in param.opts}
    examples = [line for line in help_of(*path, "--help").splitlines() if line.startswith("  worksmith ")]

    assert set(re.findall(r" (--?[a-z-]+)", " ".join(examples))) <= known
