"""The engine that settings name."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from worksmith.jobs.opening.engines import open_engine
from worksmith.jobs.settings.groups.episodes import EngineSettings
from worksmith.tools.errors import InputError


def test_threads_are_the_default_and_a_number_of_processes_means_processes() -> None:
    assert open_engine(EngineSettings()) is None
    assert open_engine(EngineSettings(processes=2)) is not None


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"engine": "rya"}, "did you mean 'ray'"),
        ({"engine": "threads", "processes": 2}, "threads need no processes"),
    ],
)
def test_a_wrong_engine_is_said(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        open_engine(EngineSettings(**settings))


def test_a_missing_ray_is_said_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)

    with pytest.raises(InputError, match=r"pip install .*\[ray\]"):
        open_engine(EngineSettings(engine="ray"))
