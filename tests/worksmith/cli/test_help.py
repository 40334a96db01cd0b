"""What help says of options is what they do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer.main

from evals.kinds.crm.suites import CrmOptions
from evals.kinds.office.generate import PER_INTENT
from evals.tracking import TraceChoice
from evals.tracking.store import tracking_uri
from worksmith.cli.app import app
from worksmith.jobs.compilation import demo_count
from worksmith.jobs.settings.programs import CompileSettings


def _options(command: Any, path: str = "worksmith") -> Iterator[Any]:
    for name, below in getattr(command, "commands", {}).items():
        yield from _options(below, f"{path} {name}")
    for parameter in command.params:
        if parameter.param_type_name == "option":
            yield pytest.param(parameter, id=f"{path} {parameter.opts[0]}")


OPTIONS = list(_options(typer.main.get_command(app)))


@pytest.mark.parametrize("option", OPTIONS)
def test_a_default_is_said_in_one_place(option: Any) -> None:
    described = isinstance(option.show_default, str)

    assert not (described and option.default), f"help says {option.show_default!r}, it is {option.default!r}"
    assert "default" not in (option.help or "").lower()


@pytest.mark.parametrize("option", [each for each in OPTIONS if each.values[0].opts[0] == "--traces"])
def test_choices_of_traces_are_as_described(option: Any) -> None:
    choice = TraceChoice.parse("some")

    assert f"some ({choice.failures} failures and {choice.others} others)" in option.help
    assert TraceChoice.parse(option.default) in [TraceChoice.parse(each) for each in ("some", "none", "all")]


def test_defaults_that_are_found_elsewhere_are_those_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    compiles = [CompileSettings(suite="x", out="y", lm=lm) for lm in ("openai/gpt-4o", "local/analogy")]
    demos = set(map(demo_count, compiles))
    said = {each.id.removeprefix("worksmith "): each.values[0].show_default for each in OPTIONS}

    assert said["eval --tracking-uri"] == tracking_uri()
    assert said["suite build --per-intent"] == str(PER_INTENT)
    assert said["suite build --mode"] == CrmOptions().mode
    assert said["compile --demos"] == "{}; {} for fixed sets and a local model".format(*sorted(demos))
