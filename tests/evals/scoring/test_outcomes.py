"""Scoring by outcome: what counts is the state of the world, not the way to it."""

from __future__ import annotations

import pytest

from tests.evals import small_office as office
from tests.evals.small_office import action, task
from tests.tables import each_row
from worksmith.evals.scoring.outcomes import OutcomeScorer, Verdict
from worksmith.evals.tasks.task import Task
from worksmith.tools.environment import Environment

RIGHT = Verdict(correct=True, unwanted_side_effects=False)
WRONG_AND_UNTOUCHED = Verdict(correct=False, unwanted_side_effects=False)
WRONG_AND_CHANGED = Verdict(correct=False, unwanted_side_effects=True)

NOTHING = task()
DELETE = task(action("calendar.delete_event", event_id="00000000"), number=1)
RENAME = task(
    action("calendar.update_event", event_id="00000000", field="event_name", new_value="New Name"), number=2
)
MAIL = task(
    action("email.send_email", recipient="ada.lane@firm.com", subject="Hi", body="One\nTwo"), number=3
)
PLOTS = task(
    *(
        action(
            "analytics.create_plot",
            time_min="2023-11-27",
            time_max="2023-11-29",
            value_to_plot=value,
            plot_type="bar",
        )
        for value in ("total_visits", "user_engaged")
    ),
    number=4,
)
ADD_TASK = task(
    action(
        "project_management.create_task",
        task_name="Fix it",
        assigned_to_email="ada.lane@firm.com",
        list_name="Backlog",
        due_date="2023-12-08",
        board="Design",
    ),
    number=5,
)

PLOT = (
    'analytics.create_plot.func(time_min="2023-11-27", time_max="2023-11-29", '
    'value_to_plot="{}", plot_type="bar")'
)
REMOVE_NEW = 'project_management.delete_task.func(task_id="00000003")'
CREATE = (
    'project_management.create_task.func(task_name="{}", assigned_to_email="ada.lane@firm.com", '
    'list_name="Backlog", due_date="2023-12-08", board="Design")'
)


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return office.env(tmp_path_factory.mktemp("office"))


def verdict(env: Environment, wanted: Task, *actions: str, failed: bool = False) -> Verdict:
    scorer = OutcomeScorer(env)
    execution = scorer.execute(actions)
    return scorer.judge(wanted, execution.outcome, failed=failed, malformed=execution.malformed)


def delete(event_id: str) -> str:
    return f'calendar.delete_event.func(event_id="{event_id}")'


def update(event_id: str, field: str, value: str) -> str:
    return f'calendar.update_event.func(event_id="{event_id}", field="{field}", new_value="{value}")'


def send(recipient: str, body: str) -> str:
    return f'email.send_email.func(recipient="{recipient}", subject="Hi", body="{body}")'


BAD_ARGUMENT = 'calendar.delete_event.func(id="00000001")'


@each_row(
    ("wanted", "actions", "expected"),
    [
        (NOTHING, [], RIGHT),
        (NOTHING, ['calendar.search_events.func(query="x")'], RIGHT),
        (NOTHING, [delete("00000000")], WRONG_AND_CHANGED),
        (DELETE, [delete("00000000")], RIGHT),
        (DELETE, [], WRONG_AND_UNTOUCHED),
        (DELETE, [delete("00000001")], WRONG_AND_CHANGED),
        # A partly or overly done task is a side effect.
        (DELETE, [delete("00000000"), delete("00000001")], WRONG_AND_CHANGED),
        (PLOTS, [PLOT.format("total_visits")], WRONG_AND_CHANGED),
        # Ids are compared as exact text, and a refused call changes nothing.
        (DELETE, [delete("0")], WRONG_AND_UNTOUCHED),
        # Letter case does not count, except in columns where it has a meaning.
        (RENAME, [update("00000000", "event_name", "NEW name")], RIGHT),
        (ADD_TASK, [CREATE.format("fix IT")], RIGHT),
        # Unreadable or failing calls are skipped, the rest counts.
        (DELETE, ["calendar.delete_event.func(", delete("00000000"), BAD_ARGUMENT], RIGHT),
        # An escaped and a real line break are the same.
        (MAIL, [send("Ada.Lane@firm.com", "One\\nTwo")], RIGHT),
        (MAIL, [send("Ada.Lane@firm.com", "One\nTwo")], RIGHT),
        (MAIL, [send("ada.lane@firm.com", "One Two")], WRONG_AND_CHANGED),
        # Order and generated ids of new rows do not count.
        (PLOTS, [PLOT.format("user_engaged"), PLOT.format("total_visits")], RIGHT),
        (
            ADD_TASK,
            [CREATE.format("A"), CREATE.format("Fix it"), REMOVE_NEW],
            RIGHT,
        ),
        # A detour that ends where it should is no mistake.
        (
            NOTHING,
            [CREATE.format("A"), REMOVE_NEW],
            RIGHT,
        ),
        # With an unknown field the original adds a column to the table: no state is ever right again.
        (NOTHING, [update("00000000", "title", "x")], WRONG_AND_CHANGED),
        (NOTHING, [update("77777777", "title", "x")], RIGHT),
    ],
)  # fmt: skip
def test_verdicts(env: Environment, wanted: Task, actions: list[str], expected: Verdict) -> None:
    assert verdict(env, wanted, *actions) == expected


def test_a_run_that_died_is_not_correct_and_its_right_state_no_side_effect(env: Environment) -> None:
    assert verdict(env, DELETE, delete("00000000"), failed=True) == WRONG_AND_UNTOUCHED
    assert verdict(env, DELETE, delete("00000001"), failed=True) == WRONG_AND_CHANGED


def test_corrected_ground_truth_replaces_the_answer_and_accepts_the_alternatives(env: Environment) -> None:
    first, second = (
        action("calendar.delete_event", event_id=event_id) for event_id in ("00000000", "00000001")
    )
    contradicted = task(first, number=6, corrected=(second,))
    ambiguous = task(first, number=7, alternatives=((second,),))
    published, corrected = OutcomeScorer(env), OutcomeScorer(env, "corrected")

    def right(scorer: OutcomeScorer, wanted: Task, event_id: str) -> bool:
        return scorer.judge(wanted, scorer.execute([delete(event_id)]).outcome).correct

    assert [right(published, contradicted, i) for i in ("00000000", "00000001")] == [True, False]
    assert [right(corrected, contradicted, i) for i in ("00000000", "00000001")] == [False, True]
    assert [right(published, ambiguous, i) for i in ("00000000", "00000001")] == [True, False]
    assert [right(corrected, ambiguous, i) for i in ("00000000", "00000001")] == [True, True]


def test_exact_match_compares_the_texts_of_writing_calls(env: Environment) -> None:
    scorer = OutcomeScorer(env)

    assert scorer.exact_match(DELETE, ['calendar.search_events.func(query="x")', delete("00000000")])
    assert scorer.exact_match(RENAME, [update("00000000", "EVENT_NAME", "new name")])
    assert scorer.exact_match(PLOTS, [PLOT.format("user_engaged"), PLOT.format("total_visits")])
    assert not scorer.exact_match(DELETE, ["calendar.delete_event.func(event_id='00000000')"])
    assert not scorer.exact_match(DELETE, [])
    assert scorer.exact_match(NOTHING, [])


def test_an_episode_is_judged_by_what_it_left(env: Environment) -> None:
    scorer = OutcomeScorer(env)
    episode = env.episode()
    episode.call("calendar.delete_event", {"event_id": "00000000"})

    assert scorer.judge(DELETE, episode.outcome()) == RIGHT
    assert scorer.judge(NOTHING, episode.outcome()) == WRONG_AND_CHANGED
