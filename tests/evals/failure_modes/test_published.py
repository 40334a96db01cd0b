from __future__ import annotations

from tests.evals.small_office import action, task
from tests.tables import each_row
from worksmith.evals.failure_modes.published import prediction_fault
from worksmith.evals.kinds.office.workbench.flags import MISTAKES
from worksmith.evals.tasks.task import Task

SEND = 'email.send_email.func(recipient="ada@atlas.com", subject="Hi", body="Late.")'
MADE_UP = SEND.replace("ada@atlas.com", "ada@example.com")
PLOT = (
    'analytics.create_plot.func(time_min="2023-11-01", time_max="2023-11-29", '
    'value_to_plot="x", plot_type="bar")'
)
WRITING = frozenset({"email.send_email", "analytics.create_plot", "email.delete_email"})
TELL = task(action("email.send_email", recipient="ada@atlas.com", subject="Hi", body="Late."))
DRAW = task(
    action(
        "analytics.create_plot",
        time_min="2023-11-01",
        time_max="2023-11-29",
        value_to_plot="x",
        plot_type="bar",
    )
)


@each_row(
    ("of", "expected", "actions", "error", "kind"),
    [
        (TELL, SEND, [], "", "no_action"),
        (TELL, SEND, [MADE_UP], "", "wrong_address"),
        (TELL, SEND, [SEND.replace("Hi", "Ho")], "", "wrong_argument"),
        (TELL, SEND, [SEND, MADE_UP], "", "side_effect"),
        (TELL, SEND, ["no call", 'email.delete_email.func(email_id="1")'], "", "wrong_tool"),
        (TELL, SEND, [], "maximum context length exceeded", "context_limit"),
        (TELL, SEND, [SEND], "KeyError", "program_error"),
        (DRAW, PLOT, [PLOT.replace("11-29", "11-30")], "", "wrong_date_end"),
        (DRAW, PLOT, [PLOT.replace("11-01", "11-02")], "", "wrong_date"),
    ],
)
def test_what_is_wrong_with_calls(of: Task, expected: str, actions: list[str], error: str, kind: str) -> None:
    made = MISTAKES.find(actions, [expected], False)
    mistake = next((MISTAKES.faults[name] for name, found in made.items() if found), "")

    assert prediction_fault(of, actions, mistake, error, WRITING).kind == kind


def test_what_only_the_published_answer_calls_wrong_is_said() -> None:
    mended = DRAW.model_copy(
        update={
            "corrected": (
                action(
                    "analytics.create_plot",
                    time_min="2023-11-01",
                    time_max="2023-11-30",
                    value_to_plot="x",
                    plot_type="bar",
                ),
            ),
            "correction_reason": "the last day is meant, too",
        }
    )

    found = prediction_fault(mended, [PLOT.replace("11-29", "11-30")], "", "", WRITING)

    assert (found.kind, found.detail) == ("published_answer", "the last day is meant, too")
    assert prediction_fault(mended, [PLOT.replace('"x"', '"y"')], "", "", WRITING).kind == "wrong_argument"
