"""Expected changes against changes that were made, both drawn at random."""

from __future__ import annotations

import json
import pickle
import unicodedata
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

import worksmith as ws
from tests.evals import help_desk
from tests.evals.kinds.own_data.desk import env, task
from worksmith.evals.kinds.own_data.expectations import Expectations
from worksmith.evals.kinds.own_data.reading import read_own_tasks
from worksmith.tools.environment import Environment
from worksmith.tools.sqlite.outcome import Outcome

KEYS = [str(row[0]) for row in help_desk.ROWS["tickets"]]
STORED = {str(row[0]): str(row[2]) for row in help_desk.ROWS["tickets"]}

STATUSES = st.sampled_from(["open", "resolved", "waiting"])
ROWS = st.dictionaries(st.sampled_from(KEYS), st.one_of(STATUSES, st.none()), min_size=1)
MAILS = st.lists(st.sampled_from(["ann", "bo"]), max_size=3)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return env(tmp_path_factory.mktemp("desk"))


def made(desk: Environment, rows: dict[str, str | None], mails: list[str]) -> Outcome:
    """What is left where rows got these statuses, or were deleted for None, and mails were sent."""
    episode = desk.episode()

    def body(connection: apsw.Connection) -> None:
        for key, status in rows.items():
            if status is None:
                connection.execute("DELETE FROM tickets WHERE ticket_id = ?", (key,))
            else:
                connection.execute("UPDATE tickets SET status = ? WHERE ticket_id = ?", (status, key))
        for number, recipient in enumerate(mails):
            values = (f"EM-{number}", recipient, "2022-12-31")
            connection.execute("INSERT INTO mail (email_id, recipient, date) VALUES (?, ?, ?)", values)

    episode.edit(body)
    return episode.outcome()


def effective(rows: dict[str, str | None]) -> dict[str, str | None]:
    return {key: status for key, status in rows.items() if status != STORED[key]}


@given(ROWS, MAILS, ROWS, MAILS)
def test_an_outcome_is_right_if_it_has_the_same_changes(
    desk: Environment,
    wanted: dict[str, str | None],
    mails: list[str],
    done: dict[str, str | None],
    sent: list[str],
) -> None:
    rows = {key: None if status is None else {"status": status} for key, status in wanted.items()}
    changes = {"tickets": rows, "mail": [{"recipient": recipient} for recipient in mails]}
    expectations, asked = Expectations(desk), task(desk, changes=changes)
    assert expectations.state(asked, made(desk, wanted, list(reversed(mails)))).right
    same = effective(wanted) == effective(done) and sorted(mails) == sorted(sent)
    state = expectations.state(asked, made(desk, done, sent))
    assert state.right == same
    assert len(state.expected.changes) == len(effective(wanted)) + len(mails)


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5) | st.sampled_from(
    ["Ada", "ADA", "straße", "STRASSE", "İ", "[1, 2]", '{"a": 1}', " a", "a ", "caf\u00e9", "cafe\u0301"]
)
NUMBERS = st.integers(-(2**53), 2**53) | st.sampled_from([0.5, -1.25, 1e20])
NESTED = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
).filter(lambda value: isinstance(value, list | dict))
CELLS = {
    "name": TEXTS,
    "count": st.integers(-(2**63), 2**63 - 1),
    "size": st.floats(-1e6, 1e6).map(lambda number: round(number, 3) + 0.0),
    "paid": st.booleans(),
    "tags": NESTED,
}
CHANGES = st.sampled_from(list(CELLS)).flatmap(lambda column: st.tuples(st.just(column), CELLS[column]))


def shop(folder: Path, **settings: Any) -> ws.Environment:
    row = {"name": "Ada", "count": 1, "size": 0.5, "paid": True, "tags": {"b": [1, 2.0], "A": None}}
    rows = [{"id": f"u{number}", **row} for number in range(2)]
    env = ws.Environment.from_tables(
        {"users": rows, "notes": [{"id": 1, "said": "x"}]}, now="2026-01-05", folder=folder, **settings
    )

    @env.tool
    def put(ctx: ws.Context, table: str, key: str, column: str, value: Any) -> None:
        "Write a cell."
        ctx[table].update(key, **{column: value})

    return env


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> ws.Environment:
    return shop(tmp_path_factory.mktemp("shop"))


def right(env: ws.Environment, changes: Any, *cells: tuple[str, str, str, Any]) -> bool:
    episode = env.episode()
    for table, key, column, value in cells:
        call = {"table": table, "key": key, "column": column, "value": value}
        assert episode.call("tools.put", call).status == "ok"
    (task,) = read_own_tasks(env, [{"query": "Do it.", "changes": changes}])
    return Expectations(env).state(task, episode.outcome()).right


def stated(column: str, value: Any, key: str = "u0") -> dict[str, Any]:
    return {"users": {key: {column: {"value": value}}}}


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: 1 is 1.0 and no boolean, and the order of keys does not count."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


@given(CHANGES, CHANGES, st.sampled_from(["u0", "u1"]))
def test_a_changed_cell_that_no_task_names_is_wrong(
    own: ws.Environment, wanted: tuple[str, Any], other: tuple[str, Any], key: str
) -> None:
    column, value = wanted
    rest = own.episode().edit(lambda world: list(world.execute("SELECT * FROM users")))[0][2:]
    before = own.tables["users"].shown(dict(zip(CELLS, rest, strict=True)))
    harmless = same(other[1], before[other[0]])
    if (key, other[0]) != ("u0", column):
        cells = ("users", "u0", column, value), ("users", key, *other)
        assert right(own, stated(column, value), *cells) == harmless
    if not same(value, other[1]) and column == other[0]:
        composed = [json.dumps(each, sort_keys=True, ensure_ascii=False) for each in (value, other[1])]
        alike = len({unicodedata.normalize("NFC", each) for each in composed}) == 1
        assert right(own, stated(column, value), ("users", "u0", *other)) == alike


@given(NESTED, st.booleans())
def test_an_equal_value_is_right_however_it_is_written(
    own: ws.Environment, value: Any, as_text: bool
) -> None:
    def other_form(part: Any) -> Any:
        if isinstance(part, dict):
            return {name: other_form(part[name]) for name in reversed(part)}
        if isinstance(part, list):
            return [other_form(each) for each in part]
        return float(part) if type(part) is int else part

    written = json.dumps(other_form(value), indent=2) if as_text else other_form(value)
    assert right(own, stated("tags", value), ("users", "u0", "tags", written))
    assert right(own, {"users": {}}, ("users", "u0", "tags", {"A": None, "b": [1.0, 2]}))


def test_a_column_a_table_or_a_task_may_say_otherwise(tmp_path: Path) -> None:
    lax = shop(tmp_path, caseless={"users": ["name"]}, unscored=["notes"])
    bob = "users", "u0", "name", "BOB"
    assert right(lax, stated("name", "Bob"), bob, ("users", "u1", "name", "ADA"), ("notes", "1", "said", "y"))
    strict = shop(tmp_path)
    assert not right(strict, stated("name", "Bob"), bob)
    assert right(strict, {"users": {"u0": {"name": {"caseless": "Bob"}}}}, bob)
    assert not right(strict, stated("name", "BOB"), bob, ("notes", "1", "said", "y"))
    with pytest.raises(ws.InputError, match="not scored"):
        right(lax, {"notes": {"1": {"said": "y"}}})
    strange: list[dict[str, Any]] = [
        {"caseless": {"user": []}},
        {"caseless": {"users": ["nam"]}},
        {"unscored": ["note"]},
    ]
    for wrong in strange:
        with pytest.raises(ws.InputError, match=r"users|name|notes"):
            shop(tmp_path, **wrong)


def test_a_set_of_a_json_column_has_its_members_in_any_order(own: ws.Environment) -> None:
    wanted = {"users": {"u0": {"tags": {"set": ["a", "B"]}}}}
    assert right(own, wanted, ("users", "u0", "tags", ["B", "a"]))
    assert not right(own, wanted, ("users", "u0", "tags", ["b", "a"]))
    assert not right(own, wanted, ("users", "u0", "tags", ["B"]))
    with pytest.raises(ws.InputError, match="a text is needed"):
        right(own, stated("name", ["a"]))


def test_changes_name_their_rows_by_key_in_copies_too(own: ws.Environment) -> None:
    episode = own.episode()
    for table, key, column, value in (("notes", "1", "said", "y"), ("users", "u1", "tags", ["a"])):
        episode.call("tools.put", {"table": table, "key": key, "column": column, "value": value})
    episode.edit(lambda world: world.execute("DELETE FROM users WHERE id = 'u0'"))
    episode.edit(lambda world: world.execute("INSERT INTO users (id, name) VALUES ('u7', 'New')"))
    expected = [
        ("notes", "update", 1, {"said": "x"}, {"said": "y"}),
        ("users", "update", "u1", {"tags": {"A": None, "b": [1, 2.0]}}, {"tags": ["a"]}),
        ("users", "delete", "u0"),
        ("users", "insert", "u7"),
    ]
    for outcome in (episode.outcome(), pickle.loads(pickle.dumps(episode.outcome()))):
        shown = [tuple(change.values()) for change in outcome.to_json()]
        assert shown[:2] == expected[:2]
        assert [change[:3] for change in shown[2:]] == expected[2:]


def test_gold_calls_nothing_where_the_plan_is_empty_and_a_headline_counts_what_was_graded(
    own: ws.Environment,
) -> None:
    lines: list[dict[str, Any]] = [
        {"query": "Is there anything to do?", "plan": []},
        {"query": "Rename u0.", "changes": {"users": {"u0": {"name": "Eve"}}}},
    ]
    suite = ws.Suite(own, [{**line, "split": "test"} for line in lines])
    result = ws.evaluate(ws.Agent("react", own), suite.test, lm="gold", progress=False)
    first, lost = result.records
    assert (first.status, first.scores["outcome"], first.calls) == ("finished", 1.0, ())
    assert not lost.graded
    assert "% on 2 tasks, 1 graded." in str(result)
    assert result.to_json()["runs"][0]["summary"]["graded_tasks"] == 1
