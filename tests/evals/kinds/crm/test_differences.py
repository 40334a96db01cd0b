"""Where the two modes give different answers to the same questions."""

from __future__ import annotations

import pytest

from tests.evals.kinds.crm.differences import Difference, differences
from tests.evals.kinds.crm.handmade import Handmade, question
from tests.evals.kinds.crm.orgs import FULL_SEED, full_suite
from tests.tools.kinds.crm.generate.orgs import full
from worksmith.evals.kinds.crm.families.registry import FAMILIES
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.tasks.task import Task


def asked(family: str, period: str, **slots: str) -> Task:
    drawn = question(period, **slots)
    return Task(id="one", query="?", domains=(), intent=family, slots=dict(drawn.slots), now=drawn.today)


def test_questions_are_told_apart_by_what_the_modes_say() -> None:
    found = Handmade()
    found.case("2021-03-02T10:00", "Ann", moved=("Cid", "2021-03-02T10:20"))
    found.case("2021-03-03T10:00", "Bob")
    tasks = [
        asked("transfer_count", "March 2021", n="0", extreme="max"),  # Ann in both
        asked("transfer_count", "March 2021", n="0", extreme="min"),  # Bob has none, Ann one
        asked("transfer_count", "April 2021", n="0", extreme="min"),  # nobody in both
        asked("transfer_count", "3 weeks", n="0", extreme="min"),  # likewise
    ]

    assert differences(found.org, tasks) == {"transfer_count": Difference(asked=4, differ=1, doubtful=0)}


def test_a_month_of_a_year_is_that_month() -> None:
    found = Handmade()
    for day in (2, 3):
        found.case(f"2021-03-0{day}T10:00", "Ann")
    tasks = [asked("monthly_trend_analysis", "9 months"), asked("monthly_trend_analysis", "1 weeks")]

    assert differences(found.org, tasks) == {
        "monthly_trend_analysis": Difference(asked=2, differ=0, doubtful=0)
    }


@pytest.mark.slow
def test_the_modes_differ_where_the_published_rules_do() -> None:
    found = differences(OrgRecords(full(FULL_SEED)), full_suite()[0].select(split="test"))

    assert found.keys() == {family.name for family in FAMILIES}
    assert found["best_region_identification"].differ > 80  # luck of one short chat
    assert found["transfer_count"].differ > 10
    assert found["handle_time"].differ > 10
    assert found["top_issue_identification"].differ == 0
