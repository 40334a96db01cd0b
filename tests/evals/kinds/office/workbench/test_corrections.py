"""Published answers that contradict their task are mended from the world, whatever the names and figures."""

from __future__ import annotations

import pytest

from tests.evals.small_office import NOW, TABLE_ROWS, action
from worksmith.evals.kinds.office.records import Records
from worksmith.evals.kinds.office.workbench.answers import Answer
from worksmith.evals.kinds.office.workbench.tasks import review, rules

OFFICE = Records.of_tables(NOW, TABLE_ROWS)
CRM = "customer_relationship_manager"

CONDITION = "engaged users more than {} since November 27? Then Bo's leads go and 'Reprioritising' to them"


def lost(customer_id: str) -> Answer:
    return (action(f"{CRM}.update_customer", customer_id=customer_id, field="status", new_value="Lost"),)


def reassign(task_id: str, address: str) -> Answer:
    return (
        action(
            "project_management.update_task", task_id=task_id, field="assigned_to_email", new_value=address
        ),
    )


def to_backlog(*task_ids: str) -> Answer:
    return tuple(
        action("project_management.update_task", task_id=i, field="list_name", new_value="Backlog")
        for i in task_ids
    )


def plot(until: str) -> Answer:
    return (
        action(
            "analytics.create_plot",
            time_min="2023-11-01",
            time_max=until,
            value_to_plot="total_visits",
            plot_type="bar",
        ),
    )


def mail(subject: str, body: str = "x") -> Answer:
    return (action("email.send_email", recipient="bo.ross@firm.com", subject=subject, body=body),)


def test_people_without_overdue_tasks_have_the_fewest() -> None:
    published = (
        action(
            f"{CRM}.add_customer",
            customer_name="Al Bee",
            assigned_to_email="ada.lane@firm.com",
            status="Lead",
        ),
    )

    finding = review("multi_domain", "Give Al Bee to whoever has the fewest overdue tasks", published, OFFICE)

    assert finding is not None
    accepted = [finding.corrected, *finding.alternatives]
    assert [answer[0].arguments["assigned_to_email"] for answer in accepted if answer] == [
        "bo.ross@firm.com",
        "cy.hart@firm.com",
    ]


@pytest.mark.parametrize(("threshold", "held"), [(0, True), (1, False), (5, False)])
def test_the_condition_of_the_text_decides(threshold: int, held: bool) -> None:
    query = CONDITION.format(threshold) + " saying 'good'. If not say 'bad'"
    right = mail("Reprioritising", "good" if held else "bad")
    if held:
        right = (action(f"{CRM}.delete_customer", customer_id="00000000"), *right)
    wrong = mail("Reprioritising", "bad" if held else "good")

    finding = review("multi_domain", query, wrong, OFFICE)

    assert finding is not None
    assert finding.corrected == right
    assert review("multi_domain", query, right, OFFICE) is None


@pytest.mark.parametrize(
    ("status", "product", "right"),
    [("lead", "software", lost("00000000")), ("won", "training", lost("00000001")), ("lost", "software", ())],
)
def test_moving_to_lost_is_not_deleting(status: str, product: str, right: Answer) -> None:
    query = f"please move Bo's {status} stage customers who are interested in {product} to lost"

    finding = review(CRM, query, (action(f"{CRM}.delete_customer", customer_id="00000009"),), OFFICE)

    assert finding is not None
    assert finding.corrected == right
    assert review(CRM, query.replace(" to lost", ""), (), OFFICE) is None


def test_a_mail_gets_the_title_of_the_text() -> None:
    query = "else a mail titled 'total visits' saying 'x'"

    finding = review("multi_domain", query, mail("Recent total visits"), OFFICE)

    assert finding is not None
    assert finding.corrected == mail("total visits")
    assert review("multi_domain", query, mail("total visits"), OFFICE) is None
    assert (
        review("multi_domain", query.replace("'total", "'Recent total"), mail("Recent total visits"), OFFICE)
        is None
    )


def test_an_open_range_may_end_today_too() -> None:
    finding = review("analytics", "chart of total visits since November 1", plot("2023-11-29"), OFFICE)

    assert finding is not None
    assert (finding.corrected, finding.alternatives) == (None, (plot("2023-11-30"),))


@pytest.mark.parametrize(
    ("query", "until"),
    [
        ("total visits between November 1 and November 29", "2023-11-29"),
        ("total visits on November 29", "2023-11-29"),
        ("total visits from the previous Wednesday to Wednesday", "2023-11-29"),
        ("total visits since November 1", "2023-11-20"),
    ],
)
def test_a_stated_end_stands(query: str, until: str) -> None:
    assert review("analytics", query, plot(until), OFFICE) is None


def test_tasks_in_review_may_count_as_unfinished() -> None:
    finding = review("project_management", "put bo's unfinished tasks back", (), OFFICE)

    assert finding is not None
    assert finding.alternatives == (to_backlog("00000001"),)


def test_the_most_urgent_task_may_be_on_another_list() -> None:
    published = reassign("00000002", "ada.lane@firm.com")

    finding = review("project_management", "bo's most urgent task goes to ada", published, OFFICE)

    assert finding is not None
    assert finding.alternatives == (reassign("00000001", "ada.lane@firm.com"),)
    assert (
        review(
            "project_management",
            "ada's most urgent task to bo",
            reassign("00000000", "bo.ross@firm.com"),
            OFFICE,
        )
        is None
    )


def test_rules_are_about_their_own_domain_only() -> None:
    assert review("calendar", "fewest overdue", (), OFFICE) is None
    assert len({rule.id for rule in rules()}) == len(rules())


@pytest.mark.parametrize(
    "query", ["Reprioritising if more than", "urgent", "unfinished", " move in the x stage to lost"]
)
@pytest.mark.parametrize("domain", ["multi_domain", "project_management", CRM])
def test_what_cannot_be_understood_is_left_alone(domain: str, query: str) -> None:
    assert review(domain, query, (), OFFICE) is None
