"""What the tools do where the original had no answer, a wrong one, or crashed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worksmith.tools.dispatch import Observation
from worksmith.tools.environment import Environment
from worksmith.tools.episode import Episode
from worksmith.tools.kinds.office.office_world import OFFICE
from worksmith.tools.persona import Persona
from worksmith.tools.tool import toolset

TOOLS = toolset(OFFICE.toolkits)


@pytest.fixture
def episode(generated: Environment) -> Episode:
    return generated.episode()


def call(episode: Episode, name: str, **arguments: Any) -> Any:
    got = episode.call(name, arguments)
    assert got.status == "ok", got.text
    return got.value


def test_there_are_27_tools_the_writing_ones_first() -> None:
    assert len(TOOLS) == 27
    assert sum(tool.writes for tool in TOOLS.values()) == 14
    for toolkit in OFFICE.toolkits:
        writes = [tool.writes for tool in toolkit.tools]
        assert writes == sorted(writes, reverse=True)


def test_only_sam_may_do_anything(generated: Environment) -> None:
    stranger = generated.episode(persona=Persona(id="guest", name="Guest"))
    for name in TOOLS:
        assert stranger.call(name, {}).status == "denied"
    assert stranger.outcome().empty
    assert all(record.decision and record.decision.rule for record in stranger.calls)


def test_a_sent_mail_is_dated_now_and_found_with_received_ones(episode: Episode) -> None:
    call(episode, "email.send_email", recipient="Someone@Example.org", subject="About lunch", body="Soup?")
    found = call(episode, "email.search_emails", query="about")
    assert len(found) == 5
    assert found[0] == {
        "email_id": "500",
        "inbox/outbox": "outbox",
        "sender/recipient": "someone@example.org",
        "subject": "About lunch",
        "sent_datetime": "2024-10-17 00:00:00",
        "body": "Soup?",
    }


def test_sending_after_deleting_keeps_all_other_mails(episode: Episode) -> None:
    latest, *_ = call(episode, "email.search_emails")
    oldest = call(episode, "email.search_emails", date_max="2024-08-25")[-1]
    call(episode, "email.delete_email", email_id=oldest["email_id"])
    call(episode, "email.send_email", recipient="a@b.c", subject="s", body="b")
    assert [change.operation for change in episode.outcome().changes] == ["delete", "insert"]
    assert call(episode, "email.get_email_information_by_id", email_id=latest["email_id"], field="subject")


def test_replacing_the_last_record_is_a_deletion_and_an_insertion(generated: Environment) -> None:
    event = {
        "event_name": "x",
        "participant_email": "a@b.c",
        "event_start": "2024-12-24 09:00:00",
        "duration": "30",
    }
    outcomes = []
    for order in ("delete first", "create first"):
        episode = generated.episode()
        last = call(episode, "calendar.search_events", time_min="2024-11-07")[-1]["event_id"]
        if order == "create first":
            call(episode, "calendar.create_event", **event)
        call(episode, "calendar.delete_event", event_id=last)
        if order == "delete first":
            call(episode, "calendar.create_event", **event)
        outcomes.append(episode.outcome())
    assert outcomes[0].matches(outcomes[1])
    assert len(outcomes[0].changes) == 2


def test_an_unknown_field_of_an_event_is_refused(episode: Episode) -> None:
    event, *_ = call(episode, "calendar.search_events")
    answer = call(
        episode, "calendar.update_event", event_id=event["event_id"], field="room", new_value="4.12"
    )
    assert answer == "Field not found."
    assert episode.outcome().empty


def test_a_customer_without_address_does_not_stop_searches(episode: Episode) -> None:
    added = call(
        episode,
        "customer_relationship_manager.add_customer",
        customer_name="Rowan Lake",
        assigned_to_email="a@b.c",
        status="Lead",
    )
    assert added == "00000200"
    found = call(episode, "customer_relationship_manager.search_customers", customer_email="rowan")
    assert found == []
    found = call(episode, "customer_relationship_manager.search_customers", customer_name="^rowan lake$")
    assert [row["customer_id"] for row in found] == ["00000200"]


def test_average_durations_leave_the_visits_as_they_are(episode: Episode) -> None:
    call(episode, "analytics.get_average_session_duration")
    day = max(call(episode, "analytics.total_visits_count"))
    assert day == "2024-10-16"
    with_id = next(
        visits
        for number in range(9999)
        if isinstance(
            visits := call(episode, "analytics.get_visitor_information_by_id", visitor_id=f"{number:04d}"),
            list,
        )
    )
    assert with_id[0]["session_duration_seconds"].isdigit()
    assert isinstance(with_id[0]["user_engaged"], bool)


def test_an_event_without_a_readable_start_lies_in_no_range(episode: Episode) -> None:
    call(
        episode,
        "calendar.create_event",
        event_name="vague",
        participant_email="a@b.c",
        event_start="soon",
        duration="30",
    )
    assert len(call(episode, "calendar.search_events", query="vague")) == 1
    assert call(episode, "calendar.search_events", query="vague", time_min="2024-01-01") == "No events found."


@pytest.mark.parametrize("pattern", ["(", "[a", "*", "x" * 1001, "(?:(a|aa)+)+$" * 3, "\\N{no such}"])
def test_a_pattern_that_cannot_be_used_is_a_tool_error_or_finds_something(
    episode: Episode, pattern: str
) -> None:
    call(
        episode,
        "project_management.update_task",
        task_id="00000001",
        field="task_name",
        new_value="a" * 60 + "!",
    )
    assert episode.call("project_management.search_tasks", {"task_name": pattern}).status == "tool_error"


@pytest.mark.parametrize(
    "bound", ["tomorrow", "2024-11-31", "2024-10-17 24:00:00", "Friday", "10", "2024-10-17T09:00Z"]
)
def test_a_bound_that_cannot_be_read_is_a_tool_error(episode: Episode, bound: str) -> None:
    assert episode.call("calendar.search_events", {"time_min": bound}).status == "tool_error"


def test_an_id_that_is_no_number_does_not_stop_new_records(episode: Episode) -> None:
    event, *_ = call(episode, "calendar.search_events")
    call(episode, "calendar.update_event", event_id=event["event_id"], field="event_id", new_value="zzz")
    created = call(
        episode,
        "calendar.create_event",
        event_name="x",
        participant_email="a@b.c",
        event_start="2024-12-24 09:00:00",
        duration="30",
    )
    assert created == "00000300"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)
LIKELY = st.sampled_from(
    [
        *(
            "",
            "00000001",
            "00000299",
            "2024-10-17",
            "2024-10-18 09:30:00",
            "10:00",
            "a@b.c",
            "Backlog",
            "Lead",
        ),
        *("status", "list_name", "event_start", "sent_datetime", "event_id", "(a+)*", "\\", "\0", "9" * 5000),
    ]
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, Mapping[str, Any]]:
    tool = TOOLS[draw(st.sampled_from(sorted(TOOLS)))]
    names = st.sampled_from([*tool.arguments, "else"])
    return tool.name, draw(st.dictionaries(names, LIKELY | JSON))


@given(st.lists(calls(), min_size=1, max_size=6))
def test_no_call_raises_or_crashes(
    generated: Environment, sequence: list[tuple[str, Mapping[str, Any]]]
) -> None:
    episode = generated.episode()
    for name, arguments in sequence:
        got = episode.call(name, arguments)
        assert isinstance(got, Observation)
        assert got.status in ("ok", "tool_error", "bad_arguments"), got.text
