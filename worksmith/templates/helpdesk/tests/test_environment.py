"""The tools and rules of this project. Run with `pytest`."""

from pathlib import Path

import worksmith as ws

SUITE = ws.Suite.open(Path(__file__).parents[1])


def test_a_ticket_is_closed_in_its_episode_only() -> None:
    episode = SUITE.env.episode(persona=SUITE.env.persona("omar"))
    assert episode.call("tools.close_ticket", {"ticket_id": "T-1031", "resolution": "Done."}).status == "ok"
    assert episode.call("tools.read_ticket", {"ticket_id": "T-1031"}).value["status"] == "closed"

    another = SUITE.env.episode(persona=SUITE.env.persona("omar"))
    assert another.call("tools.read_ticket", {"ticket_id": "T-1031"}).value["status"] == "open"


def test_nobody_works_on_tickets_of_other_departments() -> None:
    episode = SUITE.env.episode(persona=SUITE.env.persona("tomo"))
    assert (
        episode.call("tools.close_ticket", {"ticket_id": "T-1031", "resolution": "Done."}).status == "denied"
    )
