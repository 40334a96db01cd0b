"""When two episodes count as having done the same."""

from __future__ import annotations

from typing import Any

from tests.tables import each_row
from tests.tools.notes import episode
from worksmith.tools.sqlite.outcome import Outcome

Calls = list[tuple[str, dict[str, Any]]]


def outcome(calls: Calls) -> Outcome:
    mine = episode()
    for name, arguments in calls:
        assert mine.call(f"notes.{name}", arguments).status == "ok"
    return mine.outcome()


@each_row(
    ("one", "other"),
    [
        ([], []),
        ([("add", {"text": "a"}), ("add", {"text": "b"})], [("add", {"text": "b"}), ("add", {"text": "a"})]),
        ([("add", {"text": "Eggs"})], [("add", {"text": "eggs"})]),
        ([("edit", {"note_id": "n2", "text": "Bread"})], []),
        ([("add", {"text": "a"}), ("delete", {"note_id": "n3"})], []),
        (
            [("edit", {"note_id": "n2", "text": "x"}), ("edit", {"note_id": "n2", "text": "y"})],
            [("edit", {"note_id": "n2", "text": "y"})],
        ),
    ],
)
def test_same(one: Calls, other: Calls) -> None:
    assert outcome(one).matches(outcome(other))


@each_row(
    ("one", "other"),
    [
        ([("add", {"text": "a"})], []),
        ([("add", {"text": "a"})], [("add", {"text": "a"}), ("add", {"text": "a"})]),
        ([("add", {"text": "a", "owner": "Kim"})], [("add", {"text": "a", "owner": "kim"})]),
        ([("delete", {"note_id": "n1"})], [("delete", {"note_id": "n2"})]),
        ([("edit", {"note_id": "n2", "text": "x"})], [("delete", {"note_id": "n2"})]),
        ([("delete", {"note_id": "n2"}), ("add", {"text": "x"})], [("edit", {"note_id": "n2", "text": "x"})]),
    ],
)
def test_different(one: Calls, other: Calls) -> None:
    assert not outcome(one).matches(outcome(other))


def test_a_change_of_letter_case_only_is_still_a_change() -> None:
    assert not outcome([("edit", {"note_id": "n2", "text": "Bread"})]).empty


def test_changes_can_be_shown() -> None:
    made = outcome(
        [("add", {"text": "a"}), ("edit", {"note_id": "n2", "text": "x"}), ("delete", {"note_id": "n1"})]
    )

    shown = [(c["operation"], c["key"], c["before"], c["after"]) for c in made.to_json()]

    assert shown == [
        ("update", "n2", {"text": "bread"}, {"text": "x"}),
        ("delete", "n1", {"note_id": "n1", "owner": "boss", "text": "secret plan"}, {}),
        ("insert", "n3", {}, {"note_id": "n3", "owner": "sam", "text": "a"}),
    ]
