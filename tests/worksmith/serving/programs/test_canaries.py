"""Over HTTP nobody reads a word that the rules keep from them, whatever an agent calls for them."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.tools.kinds.own_data.canaries import PEOPLE, POLICY, WORD, calls, environment, foreign
from tests.worksmith.serving.programs.running import Served, served
from worksmith.tools.proposed_changes import Replayed

READS, FEW = 60, 8
"""Calls of one task."""
WRITES = ("tools.update", "tools.insert", "tools.delete")


def hunt(
    at: Served, every: int, people: Collection[str] = PEOPLE
) -> tuple[list[str], int, list[dict[str, Any]]]:
    """The foreign words in any reply, the number of words seen, and all changes that were proposed."""
    leaks: list[str] = []
    seen, proposed = 0, []
    every_call = [(f"tools.{name}", arguments) for name, arguments in calls()]
    reads = [call for call in every_call if call[0] not in WRITES][::every]
    # Writes that name no word, so that every word in a reply is one that was read.
    writes = [each for each in every_call if each[0] in WRITES and not WORD.search(json.dumps(each))]
    tasks = [json.dumps(reads[at : at + READS]) for at in range(0, len(reads), READS)]
    tasks += [json.dumps(writes[at : at + FEW]) for at in range(0, len(writes), FEW)]
    for who, (_, _, _, active) in PEOPLE.items():
        if not active or who not in people:
            continue
        persona = at.env.persona(who)
        with at.client(who) as client:
            for number, task in enumerate(tasks):
                stream = number % 2 == 1
                text = _posted(client, task, stream)
                leaks += foreign(persona, text, task)
                seen += text.count("zq")
                proposed += _changes(text, stream)
            for path in ("/changes", "/metrics", *(f"/changes/{each['id']}" for each in proposed)):
                leaks += foreign(persona, client.get(path).text)
    return leaks, seen, proposed


def _posted(client: httpx.Client, task: str, stream: bool) -> str:
    reply = client.post("/tasks", json={"task": task, "stream": stream})
    assert reply.status_code == 200, reply.text
    return reply.text


def _changes(text: str, stream: bool) -> list[dict[str, Any]]:
    if not stream:
        found = json.loads(text)["changes"]
        return [found] if found else []
    blocks = text.split("\n\n")
    return [json.loads(each.partition("data: ")[2]) for each in blocks if each.startswith("event: changes")]


@pytest.mark.slow
def test_nobody_reads_what_is_kept_from_them(tmp_path: Path) -> None:
    with served(environment(tmp_path), tmp_path) as at:
        leaks, seen, proposed = hunt(at, every=8)
    assert leaks == []
    assert seen > 1000, "the hunt sees nothing at all, so it proves nothing"
    assert len(proposed) > 12


@pytest.mark.slow
def test_a_change_set_that_shows_all_cells_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Replayed, "_seen", lambda self, change, cells, hidden: cells)
    with served(environment(tmp_path), tmp_path) as at:
        leaks, _, _ = hunt(at, every=1000, people=["bob"])
    assert leaks


@pytest.mark.slow
def test_a_missing_rule_is_noticed(tmp_path: Path) -> None:
    wider = json.loads(json.dumps(POLICY))
    wider["sources"]["tickets"]["private"]["rule"]["when"] = {"always": True}
    with served(environment(tmp_path, policy=wider), tmp_path) as at:
        leaks, _, _ = hunt(at, every=60, people=["bob"])
    assert leaks
