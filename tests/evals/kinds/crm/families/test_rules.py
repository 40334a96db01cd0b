"""What the rules of either mode make of an org made by hand."""

from __future__ import annotations

from tests.evals.kinds.crm.handmade import Handmade, question
from tests.tables import each_row
from worksmith.evals.kinds.crm.families import agents, best_region_identification, products
from worksmith.evals.kinds.crm.questions.family import Doubt, Family, Mode, Question
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords

MARCH = "March 2021"


def truth(family: Family, org: OrgRecords, asked: Question, mode: Mode) -> str | None:
    """The answer, or why there is no single one."""
    found = family.truth(org, mode, asked)
    if isinstance(found, Doubt):
        return f"doubt: {found.reason}"
    return found[0].value if found else None


def both(family: Family, org: Handmade, asked: Question) -> tuple[str | None, str | None]:
    return truth(family, org.org, asked, "clean"), truth(family, org.org, asked, "faithful")


def test_cases_taken_over_are_managed_only_as_published() -> None:
    org = Handmade()
    org.case("2021-03-02T10:00", "Ann", minutes=50)
    org.case("2021-03-03T10:00", "Ann", minutes=50)
    org.case("2021-03-04T10:00", "Bob", minutes=10)
    org.case("2021-03-05T10:00", "Cid", minutes=90, moved=("Bob", "2021-03-05T11:00"))
    asked = question(MARCH, n="1", extreme="min")

    assert both(agents.HANDLE_TIME, org, asked) == ("Ann", "Bob")


def test_a_case_passed_on_after_the_period_was_transferred_all_the_same() -> None:
    org = Handmade()
    org.case("2021-03-02T10:00", "Ann", minutes=50)
    org.case("2021-03-31T23:00", "Bob", minutes=600, moved=("Bob", "2021-04-01T02:00"))
    org.case("2021-03-08T10:00", "Bob", minutes=10)
    asked = question(MARCH, n="0", extreme="max")

    assert both(agents.HANDLE_TIME, org, asked) == ("Ann", "Bob")


def test_open_cases_have_no_handle_time() -> None:
    org = Handmade()
    org.case("2021-03-02T10:00", "Ann", minutes=None)
    org.case("2021-03-02T10:00", "Bob", minutes=50)

    assert both(agents.HANDLE_TIME, org, question(MARCH, n="0", extreme="min")) == ("Bob", "Bob")
    assert both(agents.HANDLE_TIME, org, question(MARCH, n="1", extreme="min")) == (None, None)


def test_nobody_qualifies_with_just_as_many_cases() -> None:
    org = Handmade()
    for day in (2, 3):
        org.case(f"2021-03-0{day}T10:00", "Ann")

    assert both(agents.HANDLE_TIME, org, question(MARCH, n="2", extreme="min")) == (None, None)
    assert both(agents.HANDLE_TIME, org, question(MARCH, n="1", extreme="min")) == ("Ann", "Ann")


def test_who_passed_nothing_on_has_the_fewest_transfers_by_the_policy() -> None:
    org = Handmade()
    org.case("2021-03-02T10:00", "Ann", moved=("Cid", "2021-03-02T10:20"))
    org.case("2021-03-03T10:00", "Bob")

    assert both(agents.TRANSFER_COUNT, org, question(MARCH, n="0", extreme="min")) == (
        "Bob",  # Cid managed none
        "Ann",
    )
    assert both(agents.TRANSFER_COUNT, org, question(MARCH, n="0", extreme="max")) == ("Ann", "Ann")


def test_where_nothing_was_passed_on_nobody_has_most_transfers() -> None:
    org = Handmade()
    org.case("2021-03-02T10:00", "Ann")
    org.case("2021-03-03T10:00", "Bob")

    assert both(agents.TRANSFER_COUNT, org, question(MARCH, n="0", extreme="max")) == (None, None)
    assert both(agents.TRANSFER_COUNT, org, question(MARCH, n="0", extreme="min")) == ("doubt: tie", None)


def test_a_state_is_judged_by_three_cases_or_by_one() -> None:
    org = Handmade()
    org.case("2021-03-02T10:00", "Ann", minutes=5, state="OR")
    for minutes in (30, 40, 50):
        org.case("2021-03-03T10:00", "Ann", minutes=minutes, state="TX")
    for minutes in (60, 70, 80):
        org.case("2021-03-04T10:00", "Ann", minutes=minutes, state="CA")
    org.case("2021-03-05T10:00", "Ann", minutes=None, state="NY")

    assert both(best_region_identification.FAMILY, org, question(MARCH)) == ("TX", "OR")
    assert both(best_region_identification.FAMILY, org, question("April 2021")) == (None, None)


@each_row(
    ("months", "clean", "faithful"),
    [
        ((1, 1, 2), "2021-01", "January"),
        ((1, 1, 1, 2, 2), "2021-01", "January"),
        ((1, 1, 1, 1, 2, 2, 2), None, "January"),
        ((1, 2), None, "doubt: tie"),
        ((1,), None, "January"),
        ((), None, None),
    ],
)
def test_a_month_stands_out_by_half(months: tuple[int, ...], clean: str | None, faithful: str | None) -> None:
    org = Handmade()
    for day, month in enumerate(months, 1):
        org.case(f"2021-{month:02}-{day:02}T10:00", "Ann")
    org.case("2021-02-20T10:00", "Ann", product="sock")

    assert both(products.MONTHLY_TREND, org, question("9 months")) == (clean, faithful)


def test_the_same_month_of_two_years_is_one_only_as_published() -> None:
    org = Handmade()
    for day in ("2020-03-05", "2020-03-06", "2021-03-05", "2021-03-06", "2020-12-05"):
        org.case(f"{day}T10:00", "Ann")
    for day in ("2020-12-06", "2020-12-07", "2020-12-08"):
        org.case(f"{day}T10:00", "Ann")
    asked = question("6 quarters", today="2021-05-01")

    assert both(products.MONTHLY_TREND, org, asked) == ("2020-12", "doubt: tie")


def test_the_top_issue_is_that_of_most_cases_of_the_product() -> None:
    org = Handmade()
    for issue, product in (("late", "shoe"), ("late", "shoe"), ("torn", "shoe"), *[("torn", "sock")] * 4):
        org.case("2021-03-02T10:00", "Ann", issue=issue, product=product)

    assert both(products.TOP_ISSUE, org, question(MARCH)) == ("late", "late")
    assert both(products.TOP_ISSUE, org, question("April 2021")) == (None, None)


def test_the_last_moment_of_a_period_counts_only_as_published() -> None:
    org = Handmade()
    org.case("2021-04-01T00:00", "Ann", issue="late")

    assert both(products.TOP_ISSUE, org, question(MARCH)) == (None, "late")
