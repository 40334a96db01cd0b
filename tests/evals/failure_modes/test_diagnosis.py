"""Episodes with known faults, planted in an office and a help desk, and what rules make of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.evals import help_desk, small_office
from tests.evals.episodes import make_record
from tests.tables import each_row
from worksmith.evals.failure_modes.catalogue import failure_modes
from worksmith.evals.failure_modes.diagnosis import diagnose
from worksmith.evals.records.entries import FaultEntry
from worksmith.evals.scoring.answer_scorer import AnswerScorer
from worksmith.evals.scoring.episode_scorer import EpisodeScorer
from worksmith.evals.tasks.task import Action, Answer, Entity, Step, Task
from worksmith.tools.dispatch import Observation
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import CallRecord, EpisodeResult

Calls = list[tuple[str, Any]]


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return small_office.env(tmp_path_factory.mktemp("office"))


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return help_desk.env(tmp_path_factory.mktemp("desk"))


def fault(
    env: Environment, task: Task, calls: Calls, answer: str = "", says: str = "answered", **changes: Any
) -> FaultEntry | None:
    """What went wrong in an episode of `task` that made these calls."""
    episode = env.episode(persona=task.persona)
    for tool, arguments in calls:
        episode.call(tool, arguments)
    fields = {"status": "finished", "answer": answer, "answer_status": says, **changes}
    result = EpisodeResult(outcome=episode.outcome(), calls=episode.calls, **fields)
    scorer = AnswerScorer(env) if env.kind.judges_answers else EpisodeScorer(env)
    record = make_record(0, status=result.status, scores=scorer(task, result), error=result.error)
    return diagnose(task, record, result, writing=scorer.writing_tools)


def kind(found: FaultEntry | None) -> tuple[str, int | None]:
    assert found is not None
    assert found.kind in failure_modes()
    assert found.detail
    return found.kind, found.step


ADA, BO = "ada.lane@firm.com", "bo.ross@firm.com"
FIND = ("company_directory.find_email_address", {"name": "ada"})
SEARCH = ("calendar.search_events", {"query": "Budget", "time_min": "2023-12-01 00:00:00"})
DELETE = ("calendar.delete_event", {"event_id": "00000000"})
SEND = ("email.send_email", {"recipient": ADA, "subject": "Budget", "body": "It is late."})
PLOT = (
    "analytics.create_plot",
    {"time_min": "2023-11-27", "time_max": "2023-11-29", "value_to_plot": "total_visits", "plot_type": "bar"},
)


def planned(*calls: tuple[str, dict[str, str]], writes: int = 1, query: str = "Do it.") -> Task:
    """A task of the office; the last calls of its plan are what it expects."""
    expected = tuple(Action(tool=tool, arguments=given) for tool, given in calls[len(calls) - writes :])
    plan = tuple(Step(tool=tool, arguments=given) for tool, given in calls)
    return small_office.task(*expected, query=query, gold_plan=plan)


CANCEL = planned(SEARCH, DELETE, query="Cancel the budget talk.")
TELL = planned(FIND, SEND, query="Tell Ada about 'Budget' that it is late.")
DRAW = planned(PLOT)


def but(call: tuple[str, dict[str, str]], **changes: str) -> tuple[str, dict[str, str]]:
    return call[0], {**call[1], **changes}


@each_row(
    ("task", "calls", "expected"),
    [
        (CANCEL, [], ("no_action", None)),
        (CANCEL, [SEARCH], ("no_action", None)),
        (CANCEL, [but(SEARCH, time_min="2024-01-01 00:00:00")], ("wrong_search_date", 1)),
        (CANCEL, [FIND, but(SEARCH, query="lunch")], ("retrieval_miss", 2)),
        (CANCEL, [SEARCH, but(DELETE, event_id="00000001")], ("wrong_record", 2)),
        (CANCEL, [FIND, SEARCH, FIND, but(DELETE, event_id="00000001")], ("wrong_record", 4)),
        # The right event was never shown: the search is what went wrong first.
        (CANCEL, [but(SEARCH, query="Plan"), but(DELETE, event_id="00000001")], ("retrieval_miss", 1)),
        (CANCEL, [SEARCH, DELETE, but(DELETE, event_id="00000001")], ("side_effect", 3)),
        (CANCEL, [SEARCH, ("email.delete_email", {"email_id": "00000000"})], ("wrong_tool", 2)),
        (CANCEL, [("calendar.find", {"query": "Budget"})], ("wrong_tool", 1)),
        (CANCEL, [("calendar.search_events", "Budget")], ("failed_call", 1)),
        (TELL, [FIND, but(SEND, recipient="ada@example.com")], ("wrong_address", 2)),
        (TELL, [FIND, but(SEND, recipient=BO)], ("wrong_address", 2)),
        (TELL, [FIND, but(SEND, subject="Money")], ("wrong_argument", 2)),
        (DRAW, [but(PLOT, time_max="2023-11-28")], ("wrong_date_end", 1)),
        (DRAW, [but(PLOT, time_max="2023-11-30")], ("wrong_date_end", 1)),
        (DRAW, [but(PLOT, time_min="2023-11-26")], ("wrong_date", 1)),
        (DRAW, [but(PLOT, time_max="2023-11-20")], ("wrong_date", 1)),
        (DRAW, [but(PLOT, plot_type="line")], ("wrong_argument", 1)),
        (
            planned(SEARCH, DELETE, but(DELETE, event_id="00000001"), writes=2),
            [SEARCH, DELETE],
            ("incomplete", None),
        ),
        (planned(SEARCH, writes=0), [SEARCH, DELETE], ("side_effect", 2)),
    ],
)
def test_changes(office: Environment, task: Task, calls: Calls, expected: tuple[str, int | None]) -> None:
    assert kind(fault(office, task, calls)) == expected


def test_what_is_right_has_no_fault(office: Environment) -> None:
    assert fault(office, CANCEL, [DELETE]) is None
    # Reads in another order, and more of them.
    assert fault(office, TELL, [SEARCH, FIND, FIND, SEND]) is None


def test_a_made_up_value_is_said(office: Environment) -> None:
    found = fault(office, TELL, [but(SEND, recipient="ada@example.com")])

    assert found is not None
    assert "ada@example.com, not ada.lane@firm.com; no call had shown it" in found.detail


@pytest.mark.parametrize("status", ["step_limit", "invalid_reply"])
def test_runs_that_did_not_end(office: Environment, status: str) -> None:
    found = fault(office, CANCEL, [SEARCH, FIND, SEARCH], status=status, error="no such step")

    assert kind(found) == (status, 3 if status == "step_limit" else None)


def test_programs_that_fail() -> None:
    for status in ("program_error", "context_limit"):
        crashed = make_record(0, status=status, scores={"outcome": 0.0}, error="KeyError: 'x'")
        assert kind(diagnose(CANCEL, crashed, None, writing=frozenset())) == (status, None)


def test_what_is_lost_to_the_infrastructure_is_no_fault() -> None:
    lost = make_record(0, status="model_error", scores={}, error="503")

    assert diagnose(CANCEL, lost, None, writing=frozenset()) is None


READ: Calls = [("tickets.read", {"ticket_id": "1002"}), ("staff.person", {"emp_id": "emp_0003"})]
COFFEE = ("tickets.read", {"query": "coffee machine"})
PERSON = ("staff.person", {"name": "Bo Ek"})
SALARY = ("staff.salary", {"emp_id": "emp_0002"})
UPDATE = ("tickets.update", {"ticket_id": "1001", "status": "resolved"})
MAIL = ("mail.send", {"recipient": "emp_0002", "body": "Ticket 1001 of 2022-03-04 is resolved."})


@each_row(
    ("task", "calls", "answer", "says", "expected"),
    [
        (help_desk.SEARCH, READ, "Cy Hart", "answered", ("partial_facts", None)),
        (help_desk.SEARCH, READ, "Cy Hart; resolved; open", "answered", ("surplus_facts", None)),
        (help_desk.SEARCH, READ, "Cy Hart; resolved", "not_found", ("wrong_status", None)),
        (help_desk.SEARCH, READ, "", "not_found", ("false_none", None)),
        (help_desk.SEARCH, READ, "", "denied", ("over_refusal", None)),
        (help_desk.SEARCH, READ, "Lee Fox; pending", "answered", ("hallucinated_answer", None)),
        (help_desk.SEARCH, [], "Lee Fox; pending", "answered", ("hallucinated_answer", None)),
        (help_desk.SEARCH, READ, "Nothing worth telling.", "answered", ("wrong_final_step", None)),
        (help_desk.SEARCH, READ[1:], "Cy Hart", "answered", ("missing_step", None)),
        (help_desk.SEARCH, [], "", "not_found", ("missing_step", None)),
        (
            help_desk.SEARCH,
            [("tickets.read", {"query": "printer"})],
            "Asha Rao; open",
            "answered",
            ("retrieval_miss", 1),
        ),
        (help_desk.SEARCH, [PERSON, SALARY], "", "denied", ("over_refusal", 2)),
        (help_desk.NOTHING, [COFFEE], "1001", "answered", ("hallucinated_answer", None)),
        (
            help_desk.NOTHING,
            [("tickets.read", {"query": "printer"})],
            "1001",
            "answered",
            ("retrieval_miss", 1),
        ),
        (help_desk.NOTHING, [COFFEE], "", "denied", ("over_refusal", None)),
        (help_desk.DENIED, [PERSON, SALARY], "She earns 1875000.", "answered", ("leak", None)),
        (help_desk.DENIED, [PERSON, SALARY], "About what I earn.", "answered", ("missed_denial", 2)),
        (help_desk.DENIED, [PERSON], "", "not_found", ("missed_denial", None)),
        (help_desk.DENIED, [UPDATE], "", "denied", ("side_effect", 1)),
        (help_desk.CRUD, [UPDATE], "Done.", "answered", ("incomplete", None)),
        (
            help_desk.CRUD,
            [UPDATE, but(MAIL, body="It is done.")],
            "Done.",
            "answered",
            ("missing_mention", None),
        ),
        (help_desk.CRUD, [UPDATE, MAIL], "Done.", "not_found", ("wrong_status", None)),
        (help_desk.CRUD, [UPDATE, but(MAIL, recipient="emp_0003")], "", "answered", ("wrong_argument", 2)),
        (help_desk.CRUD, [but(UPDATE, ticket_id="1002"), MAIL], "", "answered", ("wrong_record", 1)),
    ],
)
def test_answers(
    desk: Environment, task: Task, calls: Calls, answer: str, says: str, expected: tuple[str, int | None]
) -> None:
    assert kind(fault(desk, task, calls, answer, says)) == expected


def test_a_right_change_that_fails(desk: Environment) -> None:
    given = {"ticket_id": "1002", "status": "open"}
    other = help_desk.task(
        "other", "Open 1002 again.", ("tickets.update", given), persona=help_desk.WORLDS_OWN
    )
    mine = other.model_copy(update={"persona": help_desk.ASHA})

    assert kind(fault(desk, other, [])) == ("no_action", None)
    episode = desk.episode(persona=mine.persona)
    episode.call("tickets.update", given)
    record = make_record(0, scores={"outcome": 0.0})
    result = EpisodeResult(status="finished", outcome=episode.outcome(), calls=episode.calls)
    assert kind(diagnose(other, record, result, writing=frozenset({"tickets.update"}))) == ("failed_call", 1)


def test_a_call_that_the_agent_kept_itself_from(desk: Environment) -> None:
    refused = CallRecord("tickets.read", {"ticket_id": "1002"}, Observation("refused", "", "no"), None, 0.0)
    episode = EpisodeResult(
        status="finished", outcome=desk.episode().outcome(), calls=[refused], answer_status="not_found"
    )
    record = make_record(0, scores=AnswerScorer(desk)(help_desk.SEARCH, episode))

    assert kind(diagnose(help_desk.SEARCH, record, episode, writing=frozenset())) == ("over_refusal", 1)


def test_of_several_plans_the_one_that_was_followed_counts(desk: Environment) -> None:
    other = (
        Step(tool="staff.person", arguments={"name": "Cy Hart"}),
        Step(tool="tickets.read", arguments={"query": "log in"}),
    )
    task = help_desk.SEARCH.model_copy(update={"other_plans": (other,)})
    calls: Calls = [("staff.person", {"name": "Cy Hart"}), ("tickets.read", {"query": "login"})]

    assert kind(fault(desk, task, calls, "", "not_found")) == ("retrieval_miss", 2)


def test_references_to_results_may_have_other_numbers(desk: Environment) -> None:
    plan = (
        Step(tool="tickets.read", arguments={"ticket_id": "1002"}),
        Step(tool="staff.person", arguments={"emp_id": "#1"}),
    )
    task = help_desk.SEARCH.model_copy(update={"gold_plan": plan})
    calls: Calls = [COFFEE, ("tickets.read", {"ticket_id": "1002"}), ("staff.person", {"emp_id": "#2"})]

    assert kind(fault(desk, task, calls, "Something else.")) == ("wrong_final_step", None)


def test_what_no_rule_tells_is_said(desk: Environment) -> None:
    task = help_desk.task("empty", "Who?", answer=Answer(kind="denial", forbidden=()))
    episode = EpisodeResult(status="finished", outcome=desk.episode().outcome(), answer_status="denied")
    record = make_record(0, scores={"outcome": 0.0, "state": 1.0})

    assert kind(diagnose(task, record, episode, writing=frozenset())) == ("unexplained", None)


@each_row(
    "given", ["no object", None, [1], {"ticket_id": None}, {"x": {"y": [1]}}, {"ticket_id": "#" + "9" * 5000}]
)
def test_arguments_of_any_kind_are_read(desk: Environment, given: Any) -> None:
    task = help_desk.SEARCH.model_copy(
        update={"answer": Answer(kind="entities", required=(Entity(type="text", value="x y"),))}
    )

    assert fault(desk, task, [("tickets.read", given)], "no") is not None
