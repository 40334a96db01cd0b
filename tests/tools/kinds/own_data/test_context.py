"""What a tool reads and changes through its context: typed rows, and nothing beside the guard."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tools.kinds.own_data.desk import OF_TEAM, TABLES, bare, write_policy
from worksmith.tools.dispatch import Observation
from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment

TICKETS = TABLES["tickets"]


def result(
    env: Environment, body: Callable[[Context], Any], who: str = "ann", *, writes: bool = True
) -> Observation:
    """What a tool with this body gives."""

    @env.tool(writes=writes)
    def tool(ctx: Context) -> Any:
        """Do it."""
        return body(ctx)

    return env.episode(persona=env.persona(who)).call("tools.tool", {})


def ids(env: Environment, who: str = "ann", **conditions: Any) -> list[str]:
    values = conditions.pop("values", None)
    found = result(
        env, lambda ctx: [row["ticket_id"] for row in ctx["tickets"].find(values, **conditions)], who
    )
    assert found.status == "ok", found.text
    return list(found.value)


@pytest.fixture
def env(tmp_path: Path) -> Environment:
    return bare(tmp_path)


@pytest.fixture(scope="module")
def growing(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Texts of which functions could make much."""
    titles = ("a" * 4_000, "b" * 300_000, "short")
    texts = [{"id": number, "title": title} for number, title in enumerate(titles, 1)]
    env = Environment.from_tables({"texts": texts}, now="2026-01-05", folder=tmp_path_factory.mktemp("texts"))
    env.index("texts", text="{id}")
    uses: dict[str, Callable[[Any, str], Any]] = {
        "where": lambda table, sql: table.find(where=sql),
        "order": lambda table, sql: table.find(order=sql),
        "count": lambda table, sql: table.count(where=sql),
        "search": lambda table, sql: table.search("a", where=sql),
        "both": lambda table, sql: table.find(
            where=sql, order="length(id) DESC, id DESC -- a comment", limit=9
        ),
    }

    @env.tool(writes=False)
    def apply(ctx: Context, use: str, sql: str) -> Any:
        """Use a piece of SQL."""
        return uses[use](ctx["texts"], sql)

    return env


@pytest.fixture
def ruled(tmp_path: Path) -> Environment:
    env = bare(tmp_path)
    env.use_policy(write_policy(tmp_path, OF_TEAM))
    return env


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        ({}, ["T-1", "T-2", "T-3"]),
        ({"status": "open"}, ["T-1", "T-2"]),
        ({"status": "open", "team": "red"}, ["T-1"]),
        ({"priority": 3}, ["T-2"]),
        ({"priority": [1, 2]}, ["T-1", "T-3"]),
        ({"priority": []}, []),
        ({"vip": True}, ["T-1"]),
        ({"team": None}, []),
        ({"where": ("priority > ? AND title LIKE ?", [1, "%n%"])}, ["T-1", "T-2"]),
        ({"where": "priority > 1", "team": "red"}, ["T-1"]),
        ({"order": "priority DESC"}, ["T-2", "T-1", "T-3"]),
        ({"values": {"status": "open", "vip": False}}, ["T-2"]),
        ({"order": "priority", "limit": 2}, ["T-3", "T-1"]),
        ({"limit": -1}, []),
        ({"limit": 10**30}, ["T-1", "T-2", "T-3"]),
    ],
)
def test_conditions_narrow_what_is_found(
    env: Environment, conditions: dict[str, Any], found: list[str]
) -> None:
    assert ids(env, **conditions) == found


def test_what_the_persona_may_not_read_is_in_no_result(ruled: Environment) -> None:
    def body(ctx: Context) -> Any:
        tickets = ctx["tickets"]
        return [
            [row["ticket_id"] for row in tickets.find()],
            tickets.count(),
            tickets.count(status="open"),
            ctx.select("SELECT ticket_id FROM tickets WHERE priority > ? ORDER BY 1", [0]),
            ctx["articles"].find(),
        ]

    assert result(ruled, body, "bo").value == [["T-2"], 1, 1, [{"ticket_id": "T-2"}], []]


def test_values_are_typed(env: Environment) -> None:
    assert result(env, lambda ctx: ctx["tickets"].find()).value == TICKETS
    rows = result(bare(env.world.path.parent.parent), lambda ctx: ctx.select("SELECT * FROM tickets")).value
    assert rows[0]["priority"] == 2


def test_rows_are_added_changed_and_removed(env: Environment) -> None:
    def body(ctx: Context) -> Any:
        tickets = ctx["tickets"]
        new = tickets.insert({"title": "Door sticks", "vip": True, "priority": 5})
        named = tickets.insert({"ticket_id": "T-77", "title": "Key lost"})
        tickets.update("T-2", status="closed", priority=None)
        tickets.delete("T-3")
        return [new, named, tickets.get(new), tickets.get("T-2"), tickets.count()]

    new, named, row, changed, count = result(env, body).value
    assert (new, named, count) == ("T-4", "T-77", 4)
    assert row == {
        "ticket_id": "T-4",
        "title": "Door sticks",
        "status": None,
        "priority": 5,
        "team": None,
        "vip": True,
    }
    assert changed == {**TICKETS[1], "status": "closed", "priority": None}


def test_a_new_row_of_counted_integers_gets_the_next_one(env: Environment) -> None:
    assert result(env, lambda ctx: ctx["articles"].insert({"title": "Doors"})).value == 10


def test_two_orders_of_the_same_new_rows_are_the_same_outcome(env: Environment) -> None:
    @env.tool
    def add(ctx: Context, title: str) -> Any:
        """Add a ticket."""
        return ctx["tickets"].insert({"title": title})

    one, other = env.episode(), env.episode()
    for title in ("a", "b"):
        one.call("tools.add", {"title": title})
    for title in ("b", "a"):
        other.call("tools.add", {"title": title})

    assert one.outcome().matches(other.outcome())


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (lambda ctx: ctx["tickets"].get("T-9"), "there is no ticket_id T-9"),
        (
            lambda ctx: ctx["tickets"].find(state="open"),
            "tickets has no field state; it has ticket_id, title",
        ),
        (lambda ctx: ctx["tickets"].find(priority="high"), "priority of tickets: an integer"),
        (lambda ctx: ctx["tickets"].update("T-1", priority="high"), "priority of tickets: an integer"),
        (lambda ctx: ctx["tickets"].update("T-1", state="open"), "tickets has no field state"),
        (lambda ctx: ctx["tickets"].update("T-1", ticket_id="T-5"), "cannot be changed"),
        (lambda ctx: ctx["tickets"].insert({"ticket_id": "T-1"}), "ticket_id T-1 is taken"),
        (lambda ctx: ctx["tickets"].delete("T-9"), "there is no ticket_id T-9"),
        (lambda ctx: ctx.select("DELETE FROM tickets"), "is not allowed"),
    ],
)
def test_what_an_agent_can_get_wrong_is_told_to_it(
    env: Environment, body: Callable[[Context], Any], said: str
) -> None:
    found = result(env, body)

    assert found.status == "tool_error"
    assert said in found.text


GROWN = "replace(replace(title, 'a', title), 'a', title)"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("instr(replace(title, 'a', title), substr(replace(title, 'a', title), 1, 8000000) || 'b')", "long"),
        (f"length(max({', '.join([GROWN] * 10)}))", "too long"),
        (f"title LIKE '{'%a' * 200}'", "too complex"),
        (f"max({', '.join('1' * 50)})", "too many arguments"),
        (f"{'-(' * 150}1{')' * 150}", "too large"),
        (f"title <> '{'x' * 5_000}'", "too long"),
        ("title <> char(0)\0", "NUL"),
    ],
)
@pytest.mark.parametrize("use", ["where", "order", "count", "search"])
def test_a_piece_of_sql_runs_under_the_bounds_of_a_select(
    growing: Environment, sql: str, said: str, use: str
) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = growing.episode().call("tools.apply", {"use": use, "sql": sql})

    assert found.status in ("tool_error", "tool_crash")
    assert said in found.text
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000, "kilobytes"


def test_a_row_is_found_whose_other_cells_are_longer_than_the_bounds(growing: Environment) -> None:
    found = growing.episode().call("tools.apply", {"use": "both", "sql": "id > 1 -- a comment"}).value

    assert [(row["id"], len(row["title"])) for row in found] == [(3, 5), (2, 300_000)]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            lambda ctx: ctx["ticket"],
            "no table 'ticket' (did you mean 'tickets'? There are people, tickets, articles)",
        ),
        (lambda ctx: ctx["tickets"].search("x"), "the table tickets has no index"),
        (lambda ctx: ctx["tickets"].find(where="priority >"), "no condition or order over the columns"),
        (lambda ctx: ctx["tickets"].find(order="prio"), "no such column: prio"),
        (lambda ctx: ctx["tickets"].find(where=("priority > ?", [])), "no condition or order"),
    ],
)
def test_what_the_tool_gets_wrong_is_a_crash_of_the_tool(
    env: Environment, body: Callable[[Context], Any], said: str
) -> None:
    found = result(env, body)

    assert found.status == "tool_crash"
    assert said in found.text


@pytest.mark.parametrize(
    "sql",
    [
        "1) OR ticket_id IN (SELECT ticket_id FROM main.tickets",
        "EXISTS (SELECT 1 FROM tickets WHERE priority = 3)",
        "1) UNION ALL SELECT 0, ticket_id, title, status, priority, team, vip FROM main.tickets --",
        "title = (SELECT body FROM articles LIMIT 1)",
        "1); DELETE FROM main.tickets; --",
        "1); SELECT 1; --",
    ],
)
@pytest.mark.parametrize("place", ["where", "order"])
def test_a_piece_of_sql_reaches_nothing_beside_the_guarded_rows(
    ruled: Environment, sql: str, place: str
) -> None:
    pieces: dict[str, Any] = {place: sql}
    found = result(ruled, lambda ctx: ctx["tickets"].find(**pieces), "bo")

    assert found.status == "tool_crash"
    assert "use ctx.select for more than one table" in found.text


def test_a_tool_that_only_reads_cannot_write(env: Environment) -> None:
    found = result(env, lambda ctx: ctx["tickets"].delete("T-1"), writes=False)

    assert found.status == "tool_crash"
    assert "declared with writes=False" in found.text


def test_a_search_ranks_what_may_be_read_as_the_episode_has_left_it(ruled: Environment) -> None:
    ruled.index("tickets", text="{title}, {status}")

    def body(ctx: Context) -> Any:
        tickets = ctx["tickets"]

        def found(words: str, **conditions: Any) -> list[str]:
            return [row["ticket_id"] for row in tickets.search(words, 5, **conditions)]

        before = found("printer network chair")
        tickets.update("T-1", title="Window draws")
        tickets.insert({"title": "Network of the printer", "team": "red", "status": "new"})
        tickets.delete("T-3")
        # Calls see what earlier calls have changed, and so does the search of a later call.
        return before

    @ruled.tool
    def look(ctx: Context, words: str, status: str = "") -> Any:
        """Search."""
        more = {"status": status} if status else {}
        return [row["ticket_id"] for row in ctx["tickets"].search(words, 5, **more)]

    @ruled.tool
    def work(ctx: Context) -> Any:
        """Work."""
        return body(ctx)

    episode = ruled.episode(persona=ruled.persona("ann"))
    assert sorted(episode.call("tools.work", {}).value) == ["T-1", "T-3"]
    assert episode.call("tools.look", {"words": "printer network chair"}).value == ["T-4"]
    assert episode.call("tools.look", {"words": "window"}).value == ["T-1"]
    assert episode.call("tools.look", {"words": "window network", "status": "new"}).value == ["T-4"]
    other = ruled.episode(persona=ruled.persona("bo"))
    assert other.call("tools.look", {"words": "printer network chair window"}).value == ["T-2"]


@pytest.mark.slow
def test_a_search_by_vectors_keeps_them_beside_the_world(tmp_path: Path) -> None:
    def made() -> Environment:
        env = bare(tmp_path)
        env.index("articles", text="{title}\n{body}", embedder="static")
        return env

    def nearest(env: Environment) -> Any:
        return result(env, lambda ctx: [row["number"] for row in ctx["articles"].search("paper printer")])

    first = made()
    assert nearest(first).value == [7, 9]
    assert first.library is not None
    assert first.library.indexed
    (folder,) = [place for place in first.world.path.iterdir() if place.is_dir()]
    written = {file: file.stat().st_mtime_ns for file in folder.rglob("*")}
    assert nearest(made()).value == [7, 9]
    assert {file: file.stat().st_mtime_ns for file in folder.rglob("*")} == written


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{titel}", r"index of articles: \{titel\} is no column .there are number, title, body"),
        ("{title", "no template"),
        ("title", "the text names no column"),
        ("{title!r}", "is no column"),
        ("{title:>10}", "is no column"),
        ("{title.upper}", "is no column"),
        ("{}", "is no column"),
    ],
)
def test_a_text_to_search_that_names_no_column_is_refused(env: Environment, text: str, said: str) -> None:
    from worksmith.tools.errors import InputError

    with pytest.raises(InputError, match=said):
        env.index("articles", text=text)
    with pytest.raises(InputError, match="no table 'article'"):
        env.index("article", text="{title}")
