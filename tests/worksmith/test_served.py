"""A compiled program served by MLflow works for whoever the row names, and for nobody else."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from evals.suite import write_suite
from optimizers.artifact import Artifact, Manifest
from programs.agent import Agent
from tests.tools.enterprise.small_world import GITA, HARI, write_small_world
from tools.errors import InputError
from worksmith.models.served import ServedAgent, bundle


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("served")
    suite = write_suite(write_small_world(folder / "suite"), [])
    manifest = Manifest(
        program=Agent("react", max_steps=1).config,
        suite={},
        scheme="standard",
        train=(),
        dev=(),
        lm="local/analogy",
        teacher="gold",
        gold=True,
        optimizer="none",
        settings={},
    )
    Artifact.of(Agent("react", max_steps=1), manifest, {}).write(folder / "program.json")
    packed = bundle(folder / "program.json", suite, folder / "packed")
    model = ServedAgent()
    model.load_context(SimpleNamespace(artifacts={"program": str(packed)}))
    return model


def test_a_row_is_answered_on_behalf_of_whom_it_names(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    forward = Agent.forward

    def asking(agent: Agent, task: Any) -> Any:
        asked.append(task.persona.id)
        return forward(agent, task)

    monkeypatch.setattr(Agent, "forward", asking)
    rows = [{"task": "What is new?", "persona": GITA}, {"task": "What is new?", "persona": f" {HARI} "}]
    answers = served.predict(None, rows)
    assert asked == [GITA, HARI]
    assert [answer["error"] for answer in answers] == [None, None]


@pytest.mark.parametrize("row", [{}, {"persona": ""}, {"persona": None}, {"persona": float("nan")}])
def test_nobody_is_served_as_somebody_else_by_default(served: Any, row: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="no persona"):
        served.predict(None, [{"task": "What is new?", **row}])


def test_a_stranger_is_refused(served: Any) -> None:
    with pytest.raises(InputError, match="no employee"):
        served.predict(None, [{"task": "What is new?", "persona": "emp_9999"}])
