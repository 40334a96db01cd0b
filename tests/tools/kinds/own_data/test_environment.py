"""An environment of own tables and tools: isolated episodes, no additions once it is in use."""

from __future__ import annotations

import copy
import pickle
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.tools.kinds.own_data.desk import OF_TEAM, TABLES, bare, call, desk, with_tools, write_policy
from worksmith.evals.suite import Suite
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment
from worksmith.tools.kinds.own_data.policy import OPEN


def test_tools_work_on_the_tables_and_are_called_by_their_toolkit(tmp_path: Path) -> None:
    env = desk(tmp_path)
    episode = env.episode()

    assert list(episode.toolset) == [
        "tools.close_ticket",
        "tools.open_ticket",
        "tools.delete_ticket",
        "reading.show",
        "reading.search",
    ]
    assert episode.call("reading.show", {"table": "tickets", "key": "T-1"}).value == TABLES["tickets"][0]
    assert episode.call("tools.close_ticket", {"ticket_id": "T-1"}).text == "closed"
    assert episode.call("tools.delete_ticket", {"ticket_id": "T-3"}).text == "Done."
    assert episode.now == datetime(2026, 1, 5, 9)


def test_nothing_is_added_to_an_environment_in_use(tmp_path: Path) -> None:
    env = desk(tmp_path)
    late = env.tool(toolkit="late")
    env.episode()
    additions: list[Any] = [
        lambda: env.tool(lambda ctx: None),
        lambda: late(lambda ctx: None),
        lambda: env.index("people", text="{name}"),
        lambda: env.use_policy(write_policy(tmp_path)),
    ]

    for add in additions:
        with pytest.raises(InputError, match="is in use, and nothing can be added"):
            add()


def test_an_environment_without_tools_opens_no_episode(tmp_path: Path) -> None:
    env = bare(tmp_path)
    with pytest.raises(InputError, match="has no tools"):
        env.episode()


def test_copies_share_the_environment_and_no_pickle_holds_it(tmp_path: Path) -> None:
    env = desk(tmp_path)

    assert copy.deepcopy(env) is env
    with pytest.raises(InputError, match="cannot be pickled"):
        pickle.dumps(env)


def test_people_are_the_rows_of_their_table(tmp_path: Path) -> None:
    env = desk(tmp_path)

    assert env.persona("ann").attributes["team"] == "red"
    assert list(env.kind.persona_ids(env.world)) == ["ann", "bo"]
    with pytest.raises(InputError, match="no persona 'cy'"):
        env.persona("cy")


def test_without_people_there_is_one_user(tmp_path: Path) -> None:
    env = with_tools(bare(tmp_path, personas=None))

    assert env.episode().persona == env.persona("user")
    with pytest.raises(InputError, match="no persona 'ann'"):
        env.persona("ann")


def test_rules_hold_for_tools_and_without_rules_everything_is_open(tmp_path: Path) -> None:
    ruled, free = desk(tmp_path, OF_TEAM), desk(tmp_path)

    assert call(ruled, "tools.close_ticket", "ann", ticket_id="T-1").status == "ok"
    assert call(ruled, "tools.close_ticket", "bo", ticket_id="T-1").status == "denied"
    assert call(ruled, "reading.show", "bo", table="tickets", key="T-1").status == "denied"
    assert call(ruled, "reading.show", "bo", table="articles", key="9").status == "denied"
    assert call(ruled, "reading.show", "bo", table="articles", key="1").status == "tool_error"
    assert call(free, "tools.close_ticket", "bo", ticket_id="T-1").status == "ok"
    assert OPEN in str(free)
    assert "policy.json" in str(ruled)


def test_wrong_rules_are_told_before_the_first_episode(tmp_path: Path) -> None:
    env = desk(tmp_path, {"sources": {"ticket": {"rules": []}}})
    with pytest.raises(InputError, match=r"policy\.json"):
        env.check()
    with pytest.raises(InputError, match="there is no such policy"):
        desk(tmp_path).use_policy(tmp_path / "none.json")


def test_all_that_decides_a_result_is_in_the_digest(tmp_path: Path) -> None:
    def made(**settings: Any) -> Environment:
        return bare(tmp_path, **settings)

    def other_tool(env: Environment) -> Environment:
        @env.tool
        def another(ctx: Context) -> str:
            """Another tool."""
            return ""

        return env

    def limited(most: int, *, writes: bool = True) -> Environment:
        env = made()

        @env.tool(writes=writes)
        def some(ctx: Context) -> list[str]:
            """Some people."""
            return [row["name"] for row in ctx["people"].find(limit=most)]

        return env

    def indexed(text: str) -> Environment:
        env = bare(tmp_path)
        env.index("people", text=text)
        return with_tools(env)

    def bound(**rule: Any) -> Environment:
        env = made()

        @env.tool
        def close(ctx: Context, ticket: str) -> None:
            """Close a ticket."""

        @env.tool
        def read(ctx: Context, ticket: str, key: str = "") -> None:
            """Read a ticket."""

        env.use_procedure([{"tool": "close", **rule}])
        return env

    digests = [
        desk(tmp_path).digest,
        desk(tmp_path, OF_TEAM).digest,
        with_tools(made(now="2026-01-06")).digest,
        with_tools(made(personas=None)).digest,
        with_tools(made(house_rules="Be kind.")).digest,
        other_tool(made()).digest,
        limited(1).digest,
        limited(2).digest,
        limited(2, writes=False).digest,
        indexed("{name}").digest,
        indexed("{team}").digest,
        with_tools(made(keys={"articles": "title"})).digest,
        with_tools(made(types={"articles": {"number": "text"}})).digest,
        bound(at_most=1).digest,
        bound(needs="read", same={"ticket": "ticket"}).digest,
        bound(needs="read", same={"ticket": "key"}).digest,
    ]

    assert len(set(digests)) == len(digests)
    assert desk(tmp_path).digest == digests[0]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"now": "yesterday"}, "now: no time: 'yesterday'"),
        ({"personas": "staff"}, "personas: no table 'staff' .there are people, tickets, articles"),
    ],
)
def test_wrong_arguments_are_named(tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        bare(tmp_path, **settings)


def test_house_rules_of_the_user_stand_behind_those_of_all(tmp_path: Path) -> None:
    env = with_tools(bare(tmp_path, house_rules="- Tickets of VIPs come first.\n"))

    assert env.kind.house_rules.startswith("- You act for the user")
    assert env.kind.house_rules.endswith("\n- Tickets of VIPs come first.")


def test_a_suite_over_it_is_named_after_the_folder_it_was_made_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert Suite(desk(tmp_path), []).path == tmp_path
