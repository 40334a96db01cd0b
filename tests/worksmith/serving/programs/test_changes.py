"""Changes over HTTP: nothing is made without an approval, and an approval makes once what was seen."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

import worksmith as ws
from tests.tools.kinds.own_data.desk import OF_TEAM, TABLES, bare, desk, with_tools, write_policy
from tests.worksmith.serving.programs.running import Served, served
from worksmith.serving.programs.proposals import Proposals
from worksmith.tools.change_set import ChangeSet
from worksmith.tools.kinds.own_data.context import Context

SHOW = ["reading.show", {"table": "tickets", "key": "T-1"}]
CLOSE = ["tools.close_ticket", {"ticket_id": "T-1"}]
OPEN = ["tools.open_ticket", {"title": "Lamp"}]
DELETE = ["tools.delete_ticket", {"ticket_id": "T-3"}]
APPROVER = "roles=approver"


@contextmanager
def desk_at(folder: Path, rules: Any = OF_TEAM, **settings: Any) -> Iterator[Served]:
    with served(desk(folder, rules), folder, **settings) as running:
        yield running


class Committed:
    """Commits by remembering.

    Attributes:
        sets: the change sets that it got.
    """

    def __init__(self) -> None:
        self.sets: list[ChangeSet] = []

    def __call__(self, changes: ChangeSet) -> Any:
        self.sets.append(changes)
        return {"rows": len(changes.changes)}


def test_a_write_is_returned_as_changes_and_changes_nothing(tmp_path: Path) -> None:
    with desk_at(tmp_path) as at:
        changes = at.do(CLOSE, OPEN, DELETE)["changes"]
        assert [(each["operation"], each["key"]) for each in changes["changes"]] == [
            ("update", "T-1"),
            ("delete", "T-3"),
            ("insert", changes["changes"][2]["after"]["ticket_id"]),
        ]
        assert changes["changes"][0]["before"] == {"status": "open"}
        assert changes["changes"][0]["after"] == {"status": "closed: fixed"}
        assert (changes["status"], changes["complete"]) == ("pending", True)

        assert at.do(SHOW)["answer"].count("open") == 1
        at.decide(changes, "reject")
        assert at.do(SHOW)["answer"].count("open") == 1

        changes = at.do(CLOSE)["changes"]
        assert at.decide(changes).json()["status"] == "approved", "there is no function to commit them"
        assert at.decide(changes).status_code == 409
        with at.client() as client:
            client.post("/tasks", json={"task": json.dumps([CLOSE, ["fail", {}]])})
            assert client.get("/changes").json() == {"changes": []}, "of a task that failed"


def test_an_approval_commits_whole_rows_once(tmp_path: Path) -> None:
    commit = Committed()
    with desk_at(tmp_path, commit=commit) as at:
        changes = at.do(CLOSE)["changes"]
        done = at.decide(changes).json()
        again = at.decide(changes)
        rejected = at.decide(changes, "reject")
        with at.client() as client:
            seen = client.get(f"/changes/{changes['id']}").json()
    assert (done["status"], done["decided_by"], done["result"]) == ("committed", "ann", {"rows": 1})
    assert seen == done
    assert (again.status_code, rejected.status_code) == (409, 409)
    [made] = commit.sets
    assert (made.id, made.persona.id, made.approved_by.id) == (changes["id"], "ann", "ann")
    [change] = made.changes
    assert (change.table, change.key, change.changed) == ("tickets", "T-1", ("status",))
    assert change.before is not None
    assert change.after == {**change.before, "status": "closed: fixed"}
    assert change.before["vip"] is True


@pytest.mark.slow
def test_of_many_approvals_in_several_processes_one_counts(tmp_path: Path) -> None:
    commit = Committed()
    with ExitStack() as stack:
        both = [stack.enter_context(desk_at(tmp_path, commit=commit)) for _ in range(2)]
        changes = both[0].do(CLOSE)["changes"]
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda number: both[number % 2].decide(changes).status_code, range(16)))
    assert sorted(found) == [200] + [409] * 15
    assert len(commit.sets) == 1


def test_changes_are_for_the_person_whose_task_it_was(tmp_path: Path) -> None:
    commit = Committed()
    with desk_at(tmp_path, commit=commit) as at:
        changes = at.do(CLOSE)["changes"]
        for how in ("approve", "reject"):
            assert at.decide(changes, how, "bo").status_code == 404
            assert at.decide(changes, how, "bo", roles=["approver"]).status_code == 404, "no such role here"
        with at.client("bo") as client:
            assert client.get(f"/changes/{changes['id']}").status_code == 404
            assert client.get("/changes").json() == {"changes": []}
        with at.client("ann") as client:
            assert [each["id"] for each in client.get("/changes").json()["changes"]] == [changes["id"]]
    assert commit.sets == []


def test_an_approval_is_bound_to_the_content(tmp_path: Path) -> None:
    commit = Committed()
    with desk_at(tmp_path, commit=commit) as at:
        changes = at.do(CLOSE)["changes"]
        other = at.do(["tools.close_ticket", {"ticket_id": "T-1", "resolution": "gone"}])["changes"]
        assert at.decide({**changes, "digest": other["digest"]}).status_code == 409
        with sqlite3.connect(tmp_path / "changes.db") as db:
            db.execute("UPDATE proposals SET content = replace(content, 'fixed', 'gone')")
        assert at.decide(changes).json()["error"]["code"] == "other_content"
        for torn in ('{"task"', "[]", '{"task": "x", "now": "never", "rows": [], "calls": []}'):
            with sqlite3.connect(tmp_path / "changes.db") as db:
                db.execute("UPDATE proposals SET content = ? WHERE id = ?", (torn, changes["id"]))
            assert at.decide(changes).json()["error"]["code"] == "other_content"
            with at.client() as client:
                assert client.get(f"/changes/{changes['id']}").json()["changes"] == []
                assert [each["id"] for each in client.get("/changes").json()["changes"]] == [other["id"]]
    assert commit.sets == []


def test_changes_expire(tmp_path: Path) -> None:
    commit = Committed()
    with desk_at(tmp_path, commit=commit, changes_expire=60) as at:
        changes = at.do(CLOSE)["changes"]
        assert changes["expires"] == pytest.approx(changes["created"] + 60)
        with sqlite3.connect(tmp_path / "changes.db") as db:
            db.execute("UPDATE proposals SET expires = expires - 61")
        assert at.decide(changes).status_code == 410
        with at.client() as client:
            assert client.get(f"/changes/{changes['id']}").json()["status"] == "expired"
            assert client.get("/changes").json() == {"changes": []}
    assert commit.sets == []


@pytest.mark.slow
def test_access_is_checked_again_when_changes_are_approved(tmp_path: Path) -> None:
    with desk_at(tmp_path) as at:
        changes = at.do(CLOSE)["changes"]
    stricter = json.loads(json.dumps(OF_TEAM))
    stricter["sources"]["tickets"]["rules"][0]["operations"] = ["read"]
    commit = Committed()
    with desk_at(tmp_path, stricter, commit=commit) as at:
        assert at.decide(changes).json()["error"]["code"] == "stale"
    people = [{**person, "active": person["id"] == "bo"} for person in TABLES["people"]]
    env = with_tools(bare(tmp_path / "left", {**TABLES, "people": people}))
    with served(env, tmp_path, commit=commit, approver=APPROVER) as at:
        assert at.decide(changes, who="ann").status_code == 403
        assert at.decide(changes, who="bo", roles=["approver"]).json()["error"]["code"] == "stale"
    assert commit.sets == []


def test_approvers_are_named_by_a_claim(tmp_path: Path) -> None:
    commit = Committed()
    with desk_at(tmp_path, None, commit=commit, approver=APPROVER) as at:
        first, second = at.do(CLOSE)["changes"], at.do(OPEN)["changes"]
        assert at.decide(first, who="ann").status_code == 403
        assert at.decide(first, who="bo").status_code == 404
        assert at.decide(first, who="bo", roles="approver").json()["decided_by"] == "bo"
        assert at.decide(second, "reject", who="ann").json()["status"] == "rejected"
    assert [made.approved_by.id for made in commit.sets] == ["bo"]
    with desk_at(tmp_path, None, approver=APPROVER, four_eyes=True) as at:
        changes = at.do(CLOSE)["changes"]
        assert at.decide(changes, who="ann", roles=["approver"]).status_code == 403, "their own"
        assert at.decide(changes, who="bo", roles=["approver"]).status_code == 200


def test_nobody_approves_what_they_may_not_read(tmp_path: Path) -> None:
    commit = Committed()
    with desk_at(tmp_path, commit=commit, approver=APPROVER) as at:
        changes = at.do(CLOSE)["changes"]
        with at.client("bo", roles=["approver"]) as client:
            seen = client.get(f"/changes/{changes['id']}").json()
        reply = at.decide(changes, who="bo", roles=["approver"])
    assert (seen["complete"], seen["changes"][0]["before"], seen["changes"][0]["key"]) == (False, {}, None)
    assert "fixed" not in json.dumps(seen["changes"])
    assert reply.status_code == 403
    assert commit.sets == []


def test_calls_that_were_not_made_do_not_hinder_an_approval(tmp_path: Path) -> None:
    env = desk(tmp_path, OF_TEAM)

    @env.tool(toolkit="desk")
    def reopen(ctx: Context, ticket_id: str, why: str) -> None:
        """Open a ticket again."""
        ctx["tickets"].update(ticket_id, status=f"open: {why}")

    malformed = ["desk.reopen", {"ticket_id": "T-1", "why": "half a pair: \ud800"}]
    garbled = ["desk.reopen", [1, 2]]
    right = ["desk.reopen", {"ticket_id": "T-3", "why": "it broke"}]
    with served(env, tmp_path) as at:
        # `close_ticket` is not on offer.
        changes = at.do(CLOSE, malformed, garbled, right, toolkits=["desk"])["changes"]
        assert [each["key"] for each in changes["changes"]] == ["T-3"]
        assert at.decide(changes).json()["status"] == "approved"


def test_old_cells_that_a_person_may_not_read_are_not_shown_in_changes(tmp_path: Path) -> None:
    rules = json.loads(json.dumps(OF_TEAM))
    private = {
        "fields": ["status"],
        "rule": {"id": "NOBODY", "when": {"persona": {"field": "team", "in": ["x"]}}},
    }
    rules["sources"]["tickets"]["private"] = private
    with desk_at(tmp_path, rules) as at:
        changes = at.do(CLOSE)["changes"]
        assert changes["changes"] == [
            {"table": "tickets", "operation": "update", "key": "T-1", "before": {}, "after": {}}
        ]
        assert changes["complete"] is False
        assert at.decide(changes).json()["status"] == "approved"


def test_more_rows_than_anybody_can_look_through_are_not_proposed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worksmith.serving.programs.desk.MOST_CHANGES", 2)
    with desk_at(tmp_path) as at, at.client() as client:
        assert at.do(OPEN, OPEN)["changes"]["complete"]
        reply = client.post("/tasks", json={"task": json.dumps([OPEN] * 3)})
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "too_many_changes")


def test_proposals_of_other_suites_are_not_there(tmp_path: Path) -> None:
    with desk_at(tmp_path) as at:
        changes = at.do(CLOSE)["changes"]
    other = Proposals(tmp_path / "changes.db", "another suite")
    assert other.get(changes["id"]) is None
    assert other.pending(None) == []
    assert not other.decide(changes["id"], changes["digest"], "approved", "ann")
    assert (tmp_path / "changes.db").stat().st_mode & 0o077 == 0


def test_the_environment_declares_the_function_that_commits(tmp_path: Path) -> None:
    env = bare(tmp_path)

    @env.commit
    def write(changes: ChangeSet) -> str:
        return changes.id

    with pytest.raises(ws.InputError, match="one function"):
        env.commit(write)
    env.use_policy(write_policy(tmp_path))
    assert with_tools(env).kind.commit is write
    with pytest.raises(ws.InputError, match="in use"):
        env.commit(write)
