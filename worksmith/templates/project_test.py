"""The tools and rules of this project. Run with `pytest`."""

from pathlib import Path

import worksmith as ws

SUITE = ws.Suite.open(Path(__file__).parents[1])


def test_every_gold_plan_can_be_followed() -> None:
    for task in SUITE.tasks:
        episode = SUITE.env.episode(persona=task.persona)
        for step in task.gold_plan or ():
            assert episode.call(step.tool, step.arguments).status in ("ok", "denied"), task.id
