"""Promise 1: nothing an agent does in one episode is visible in another."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from tests.tools.notes import episode, pool
from worksmith.tools.sqlite.outcome import Outcome


def texts(value: list[dict[str, str]]) -> list[str]:
    return [row["text"] for row in value]


def test_an_episode_sees_its_own_writes_and_nobody_else_does() -> None:
    sandboxes = pool()
    mine, yours = episode(sandboxes), episode(sandboxes)

    mine.call("notes.add", {"text": "eggs"})

    assert "eggs" in texts(mine.call("notes.search", {}).value)
    assert "eggs" not in texts(yours.call("notes.search", {}).value)
    assert "eggs" not in texts(episode(sandboxes).call("notes.search", {}).value)


def test_interleaved_episodes_on_many_threads_stay_apart() -> None:
    sandboxes = pool(2)

    def work(number: int) -> list[str]:
        mine = episode(sandboxes)
        for step in range(10):
            mine.call("notes.add", {"text": f"note {number}/{step}"})
        return texts(mine.call("notes.search", {"text": "note"}).value)

    with ThreadPoolExecutor(16) as threads:
        found = list(threads.map(work, range(64)))

    assert found == [[f"note {n}/{s}" for s in range(10)] for n in range(64)]


def test_a_tool_that_fails_halfway_changes_nothing() -> None:
    mine = episode()

    observation = mine.call("notes.half", {})

    assert (observation.status, observation.text) == ("tool_error", "Changed my mind.")
    assert mine.outcome().empty
    assert len(mine.call("notes.search", {}).value) == 2


def test_what_a_reading_tool_writes_is_dropped() -> None:
    mine = episode()

    mine.call("notes.sly", {})

    assert mine.outcome().empty


@each_row(
    "statement",
    [
        "COMMIT",
        "ATTACH ':memory:' AS other",
        "PRAGMA query_only = 1",
        "CREATE TABLE spy (x)",
        "DROP TABLE notes",
        "ALTER TABLE notes ADD COLUMN spy",
    ],
)
def test_statements_that_would_outlive_the_episode_are_refused(statement: str) -> None:
    sandboxes = pool()

    observation = episode(sandboxes).call("notes.sql", {"statement": statement})

    assert observation.status == "tool_crash"
    assert len(episode(sandboxes).call("notes.search", {}).value) == 2


@each_row(
    ("name", "arguments", "status"),
    [
        ("notes.fly", {}, "unknown_tool"),
        ("notes.add", {}, "bad_arguments"),
        ("notes.add", {"text": ["a"]}, "bad_arguments"),
        ("notes.add", {"text": "a", "colour": "red"}, "bad_arguments"),
        ("notes.add", "text=a", "bad_arguments"),
        ("notes.add", {"text": "\ud800"}, "bad_arguments"),
        ("notes.edit", {"note_id": "n9", "text": "x"}, "tool_error"),
        ("notes.delete", {"note_id": "n0"}, "denied"),
        ("notes.add", {"text": 30}, "ok"),
    ],
)
def test_whatever_goes_wrong_is_an_observation(name: str, arguments: object, status: str) -> None:
    mine = episode()

    observation = mine.call(name, arguments)

    assert observation.status == status
    assert [call.tool for call in mine.calls] == [name]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("notes.\ud800", {}),
        ("notes.add", {"\ud800": "a"}),
        ("notes.shout", {"text": "\\ud800"}),
        ("notes.moan", {"text": "\\ud800"}),
    ],
)
def test_every_observation_can_be_written_down(name: str, arguments: object) -> None:
    mine = episode()

    observation = mine.call(name, arguments)

    assert observation.status in ("unknown_tool", "bad_arguments", "tool_error")
    observation.text.encode()


def test_of_very_many_faults_some_are_named() -> None:
    text = episode().call("notes.add", {"text": "a", **{f"x{n}": "" for n in range(1_000)}}).text

    assert text.startswith("notes.add takes text, owner; x0: no such argument; x1: no such argument;")
    assert text.endswith("; and 995 more")
    assert len(text) < 400


def test_a_tool_is_given_what_earlier_calls_returned_and_nothing_of_those_that_failed() -> None:
    mine = episode()

    mine.call("notes.add", {"text": "eggs"})
    mine.call("notes.half", {})
    mine.call("notes.delete", {"note_id": "n0"})

    assert mine.call("notes.earlier", {}).text == '["n3", null, null]'
    assert mine.copy().call("notes.earlier", {}).text == '["n3", null, null, ["n3", null, null]]'
    assert len(mine.calls) == 4


def test_a_bad_argument_is_named() -> None:
    text = episode().call("notes.add", {"text": "a", "colour": "red"}).text

    assert text == "notes.add takes text, owner; colour: no such argument"


def test_a_denial_names_the_rule_and_the_call_does_not_run() -> None:
    mine = episode()

    observation = mine.call("notes.delete", {"note_id": "n0"})

    assert observation.text == "Access denied (notes.keep-first). The first note stays."
    assert mine.outcome().empty
    assert mine.calls[0].decision is not None
    assert mine.calls[0].decision.rule == "notes.keep-first"


def test_results_are_filtered_before_the_agent_sees_them() -> None:
    observation = episode().call("notes.search", {})

    assert "secret" not in observation.text
    assert texts(observation.value) == ["milk", "bread"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(name=st.sampled_from(["notes.search", "notes.add", "notes.edit", "notes.delete"]), arguments=JSON)
def test_no_arguments_make_a_call_raise(name: str, arguments: object) -> None:
    episode().call(name, arguments)


CALLS = st.lists(
    st.one_of(
        st.tuples(st.just("notes.add"), st.fixed_dictionaries({"text": st.text(max_size=5)})),
        st.tuples(
            st.just("notes.edit"),
            st.fixed_dictionaries(
                {"note_id": st.sampled_from(["n1", "n2", "n3"]), "text": st.text(max_size=5)}
            ),
        ),
        st.tuples(
            st.just("notes.delete"), st.fixed_dictionaries({"note_id": st.sampled_from(["n1", "n2", "n3"])})
        ),
    ),
    max_size=8,
)


@given(calls=CALLS)
def test_a_changeset_at_rest_is_the_whole_state(calls: list[tuple[str, dict[str, str]]]) -> None:
    sandboxes = pool()
    first, second = episode(sandboxes), episode(sandboxes)
    for name, arguments in calls:
        first.call(name, arguments)

    second.changeset = first.changeset

    assert first.call("notes.search", {}).value == second.call("notes.search", {}).value
    assert first.outcome().matches(second.outcome())


@given(calls=CALLS)
def test_the_outcome_of_undone_work_is_empty(calls: list[tuple[str, dict[str, str]]]) -> None:
    sandboxes = pool()
    mine = episode(sandboxes)
    for name, arguments in calls:
        mine.call(name, arguments)

    untouched = episode(sandboxes)

    assert untouched.outcome().empty
    assert untouched.outcome().matches(Outcome(b"", untouched.kind.tables))
    assert texts(untouched.call("notes.search", {}).value) == ["milk", "bread"]
