"""Commits of a served program: once, and over nothing that somebody else has changed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import worksmith as ws
from benchmarks.soundness.kill.commits import MORE, Shop, cut, make_shop
from tests.tools.kinds.own_data.databases import elsewhere, server, stored_desk, url
from tests.tools.kinds.own_data.desk import OF_TEAM, bare, desk
from tests.worksmith.serving.programs.running import Served, served
from tests.worksmith.serving.programs.test_changes import APPROVER, CLOSE, SHOW
from worksmith.serving.programs.opening import connect_outside
from worksmith.tools.change_set import ChangeSet, ConflictError
from worksmith.tools.errors import ToolError
from worksmith.tools.world_kind import LIVE

__all__ = ["server", "url"]  # fixtures

REOPEN = ["tools.close_ticket", {"ticket_id": "T-1", "resolution": "gone"}]
RAISE = "UPDATE tickets SET priority = priority + 1 WHERE ticket_id = 'T-1'"


@contextmanager
def desk_of(url: str, folder: Path, **settings: Any) -> Iterator[Served]:
    """A server of the desk in a database, in which it commits."""
    database = ws.Database(url)
    env = stored_desk(folder, database, OF_TEAM)
    settings = {"commit": database.commit, "settle": database.settle, **settings}
    with served(env, folder, **settings) as running:
        yield running


def test_a_server_sees_what_was_committed_and_what_others_changed(url: str, tmp_path: Path) -> None:
    with desk_of(url, tmp_path) as at:
        first, second = at.do(CLOSE)["changes"], at.do(REOPEN)["changes"]
        done = at.decide(first)
        assert (done.json()["status"], done.json()["changes"]) == ("committed", first["changes"])
        refused = at.decide(second).json()["error"]
        assert (refused["code"], "tickets/T-1" in refused["message"]) == ("rows_changed", True)
        assert "closed: fixed" in at.do(SHOW)["answer"]

        third = at.do(REOPEN)["changes"]
        elsewhere(url, RAISE)
        assert at.decide(third).json()["error"]["code"] == "rows_changed", "a cell beside those that were set"
        assert at.decide(at.do(REOPEN)["changes"]).json()["status"] == "committed"
        assert json.loads(at.do(SHOW)["answer"])["priority"] == 3
        elsewhere(url, "UPDATE people SET team = 'none' WHERE id = 'ann'")
        assert at.do(SHOW)["steps"][0]["status"] == "denied"
        elsewhere(url, "DELETE FROM people WHERE id = 'ann'")
        with at.client() as client:
            assert client.post("/tasks", json={"task": "[]"}).status_code == 403


def test_rows_that_may_not_be_read_are_not_named(url: str, tmp_path: Path) -> None:
    with desk_of(url, tmp_path, approver=APPROVER) as at:
        changes = at.do(CLOSE)["changes"]
        elsewhere(url, RAISE)
        refused = at.decide(changes, who="bo", roles="approver")
    assert refused.status_code == 409
    assert "T-1" not in refused.text


def test_rights_are_those_of_the_moment_of_an_approval(url: str, tmp_path: Path) -> None:
    database, move = ws.Database(url, refresh=3600), "UPDATE {} SET team = '{}' WHERE {} = '{}'"
    of_ticket = move.format("tickets", "blue", "ticket_id", "T-1")
    late = ["UPDATE people SET name = 'Anna'", of_ticket, move.format("people", "blue", "id", "ann")]

    def commit(changes: ChangeSet) -> str:
        elsewhere(url, late.pop())
        return database.commit(changes)

    elsewhere(url, move.format("people", "red", "id", "bo"))
    with served(stored_desk(tmp_path, database, OF_TEAM), tmp_path, commit=commit, approver=APPROVER) as at:
        changes, again = (at.do(CLOSE)["changes"] for _ in range(2))
        elsewhere(url, move.format("people", "blue", "id", "bo"))
        refused = at.decide(changes, who="bo", roles="approver")
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_permitted")
        refused = at.decide(changes, roles="approver")
        assert (refused.status_code, "people/ann" in refused.text) == (409, True), (
            "of another team at the commit"
        )
        elsewhere(url, move.format("people", "red", "id", "ann"))
        refused = at.decide(again, roles="approver")
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "rows_changed")
        assert "T-1" not in refused.text, "the row is of another team now"
        elsewhere(url, move.format("tickets", "red", "ticket_id", "T-1"))
        assert at.env.refresh(force=True)
        done = at.decide(at.do(CLOSE)["changes"], roles="approver").json()
        assert done["status"] == "committed", "no rule compares names"


def test_a_key_that_is_used_again_is_one_changed_row(url: str, tmp_path: Path) -> None:
    env = stored_desk(tmp_path, ws.Database(url), OF_TEAM)

    @env.tool
    def replace(ctx: ws.Context) -> None:
        """Put another ticket in the place of one."""
        row = ctx["tickets"].get("T-2")
        ctx["tickets"].delete("T-2")
        ctx["tickets"].insert({**row, "title": "Other", "status": None})

    swap = (
        "DELETE FROM tickets WHERE ticket_id = 'T-2'",
        "INSERT INTO tickets VALUES ('T-2', 'New', {}, 3, 'blue', FALSE)",
    )
    database = ws.Database(url)
    with served(env, tmp_path, commit=database.commit) as at:
        first, second = (at.do(["tools.replace", {}], who="bo")["changes"] for _ in range(2))
        assert [(each["operation"], each["key"]) for each in first["changes"]] == [("update", "T-2")]
        done = at.decide(first, who="bo").json()
        assert (done["status"], done["changes"][0]["after"]["title"]) == ("committed", "Other")
        elsewhere(url, *(each.format("'open'") for each in swap))
        assert at.decide(second, who="bo").json()["error"]["code"] == "rows_changed"
        assert (
            json.loads(at.do(["reading.show", {"table": "tickets", "key": "T-2"}], who="bo")["answer"])[
                "title"
            ]
            == "New"
        )


def test_of_many_approvers_at_once_one_wins(url: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        both = [stack.enter_context(desk_of(url, tmp_path)) for _ in range(2)]
        changes = [both[0].do(CLOSE)["changes"], both[1].do(REOPEN)["changes"]]
        with ThreadPoolExecutor(4) as pool:
            replies = list(pool.map(lambda n: both[n % 2].decide(changes[n // 2]), range(4)))
        assert sorted(reply.status_code for reply in replies) == [200, 409, 409, 409]
        codes = {reply.json()["error"]["code"] for reply in replies if reply.status_code == 409}
        assert codes <= {"decided", "rows_changed", "not_committed"}
        [won] = [reply.json() for reply in replies if reply.status_code == 200]
        status = json.loads(both[1].do(SHOW)["answer"])["status"]
    assert status == won["changes"][0]["after"]["status"]


class Died(BaseException):
    """The end of a process at one step, as far as this one can do it."""


def test_a_commit_that_breaks_off_anywhere_is_made_once_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "shop.db"
    sqlite3.connect(file).close()
    make_shop(f"sqlite:///{file}")
    shop, statuses = Shop(tmp_path, f"sqlite:///{file}"), set()

    def die() -> None:
        raise Died

    with cut(0, die) as steps:
        shop.approve(shop.propose())
    for at in range(1, steps[0], 29):
        before, proposal = shop.units, shop.propose()
        try:
            with cut(at, die):
                shop.approve(proposal)
        except Died:
            pass
        statuses.add(status := shop.status(proposal))
        assert (status == "committed") == (shop.units == before + MORE), f"step {at}"
        if status != "committed":
            shop.approve(proposal if status == "pending" else shop.propose())
        assert shop.units == before + MORE, f"step {at}"
    assert statuses == {"pending", "committed", "failed"}


def test_without_somebody_to_ask_people_settle_what_broke_off(url: str, tmp_path: Path) -> None:
    def die(_: ChangeSet) -> None:
        raise Died

    with desk_of(url, tmp_path, commit=die, settle=None) as at:
        all_changes = [at.do(CLOSE)["changes"] for _ in range(2)]
        for changes, committed in zip(all_changes, (True, False), strict=True):
            at.decide(changes)
            with at.client() as client, at.client("bo") as other:
                path, body = (
                    f"/changes/{changes['id']}",
                    {"digest": changes["digest"], "committed": committed},
                )
                seen = client.get(path).json()
                assert (seen["status"], "look the id up" in seen["error"]) == ("unsettled", True)
                assert at.decide(changes).status_code == 409
                assert other.post(f"{path}/settle", json=body).status_code == 404
                assert client.post(f"{path}/settle", json={**body, "digest": "0"}).status_code == 409
                settled = client.post(f"{path}/settle", json=body)
                assert settled.json()["status"] == ("committed" if committed else "failed")
                assert client.post(f"{path}/settle", json=body).status_code == 409


def test_what_a_commit_function_raises_decides(tmp_path: Path) -> None:
    """A failure is told, by its number where the function did not word it, and nothing is made again."""
    broken = OSError("the connection broke")
    cases: list[tuple[Exception, Any, str, str, int]] = [
        (ConflictError([("tickets", "T-1")]), None, "failed", "rows_changed", 409),
        (ToolError("T-1 was closed"), None, "failed", "T-1 was closed", 409),
        (broken, True, "committed", "None", 200),
        (broken, False, "failed", "(error ", 502),
        (broken, OSError("still"), "committing", "not_committed", 502),
    ]
    calls: list[ChangeSet] = []

    def fail(changes: ChangeSet) -> None:
        calls.append(changes)
        raise cases[len(calls) - 1][0]

    def settle(_: str) -> bool:
        made = cases[len(calls) - 1][1]
        if isinstance(made, Exception):
            raise made
        return bool(made)

    with served(with_close(bare(tmp_path)), tmp_path, commit=fail, settle=settle) as at:
        for _, _, status, said, answered in cases:
            changes = at.do(["tools.close", {}])["changes"]
            reply = at.decide(changes)
            assert (reply.status_code, said in str(reply.json()["error"])) == (answered, True)
            assert "broke" not in reply.text
            assert status == "committing" or at.decide(changes).status_code == 409
            with closing(sqlite3.connect(tmp_path / "changes.db")) as db:
                query = "SELECT status FROM proposals WHERE id = ?"
                assert db.execute(query, (changes["id"],)).fetchone() == (status,)
        assert len(calls) == len(cases)


def test_what_a_commit_function_returns_does_not_undo_its_commit(tmp_path: Path) -> None:
    endless: list[Any] = []
    endless.append(endless)
    with served(with_close(bare(tmp_path)), tmp_path, commit=lambda _: endless) as at:
        reply = at.decide(at.do(["tools.close", {}])["changes"]).json()
        assert (reply["status"], reply["result"]) == ("committed", "a list that is not JSON")


def test_true_in_a_json_value_is_not_the_1_that_it_was(tmp_path: Path) -> None:
    row: dict[str, Any] = {"ticket_id": "T-1", "status": "open", "flags": [1]}
    env = ws.Environment.from_tables({"tickets": ws.Table(lambda: [row])}, now="2026-01-05", folder=tmp_path)
    with served(with_close(env), tmp_path, commit=str) as at:
        changes = at.do(["tools.close", {}], who="user")["changes"]
        row["flags"] = [True]
        assert at.decide(changes, who="user").json()["error"]["code"] == "rows_changed"


def with_close(env: ws.Environment) -> ws.Environment:
    @env.tool
    def close(ctx: ws.Context) -> None:
        """Close a ticket."""
        ctx["tickets"].update("T-1", status="closed")

    return env


def test_a_server_without_its_data_says_so_and_nothing_more(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    there = True

    def rows() -> list[dict[str, Any]]:
        if not there:
            raise OSError("postgresql://me:secret-word@db is away")
        return [{"ticket_id": "T-1", "status": "open"}]

    tables = {"tickets": ws.Table(rows)}
    env = with_close(ws.Environment.from_tables(tables, now="2026-01-05", folder=tmp_path / "worlds"))
    with served(env, tmp_path) as at:
        assert at.do(["tools.close", {}], who="user")["changes"]
        there = False
        with at.client("user") as client:
            refused = client.post("/tasks", json={"task": "[]"})
        there = True
        assert at.do(["tools.close", {}], who="user")["changes"]
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "no_data")
    assert "away" not in refused.text
    said = capfd.readouterr().err
    assert "is away" in said
    assert "secret-word" not in said


def test_a_live_call_is_made_once_whatever_is_shown_and_approved(tmp_path: Path) -> None:
    env, sent = bare(tmp_path), []

    def note(ctx: ws.Context, to: str) -> str:
        ctx["tickets"].update("T-1", status=f"mailed to {to}")
        return "would send"

    @env.tool(outside=True, twin=note)
    def send(ctx: ws.Context, to: str) -> dict[str, int]:
        """Send a mail."""
        if to == "nobody":
            raise ws.ToolError("There is no such address.")
        if to == "bo":
            ctx["tickets"].update("T-1", status=f"mailed to {to}")
        sent.append(to)
        return {"number": len(sent)}

    env.connect(LIVE)
    with served(env, tmp_path) as at:
        result = at.do(*(["tools.send", {"to": to}] for to in ("nobody", "bo", "ann")))
        assert (result["answer"], result["changes"]["complete"]) == ('{"number": 2}', True)
        assert result["changes"]["changes"][0]["after"] == {"status": "mailed to bo"}
        assert at.decide(result["changes"]).json()["status"] == "approved"
    assert sent == ["bo", "ann"]


def test_live_calls_are_named_and_confirmed(tmp_path: Path) -> None:
    env = bare(tmp_path)
    with pytest.raises(ws.InputError, match="no tool of this environment reaches outside"):
        connect_outside(desk(tmp_path / "desk"), confirmed=True)

    @env.tool(outside=True)
    def send(ctx: ws.Context) -> None:
        """Send a mail."""

    @env.tool(outside=True, writes=False)
    def look_up(ctx: ws.Context) -> None:
        """Look something up."""

    named = r"tools\.look_up \(reads\), tools\.send \(writes\)"
    with pytest.raises(ws.InputError, match=f"--live: real calls would be made by {named}"):
        connect_outside(env, confirmed=False)
    with pytest.raises(ws.InputError, match="would reach outside"):
        env.check_records()
    with pytest.warns(match=f"are made by {named}"):
        connect_outside(env, confirmed=True)
    env.check_records()


def test_the_clock_goes_on_and_stands_still_in_a_task(tmp_path: Path) -> None:
    hours = iter(range(24))
    env = ws.Environment.from_tables(
        {"tickets": [{"id": "T-1", "closed": ""}]},
        now=lambda: f"2026-01-05 {next(hours):02}:00",
        folder=tmp_path / "worlds",
    )

    @env.tool
    def close(ctx: ws.Context) -> str:
        """Close the ticket."""
        ctx["tickets"].update("T-1", closed=f"{ctx.now:%H:%M}")
        return f"{ctx.now:%H:%M}"

    with served(env, tmp_path) as at:
        results = [at.do(["tools.close", {}], who="user") for _ in range(2)]
        assert [each["answer"] for each in results] == ["01:00", "02:00"]
        done = at.decide(results[0]["changes"], who="user").json()
    assert (done["status"], done["changes"][0]["after"]) == ("approved", {"closed": "01:00"})
