"""The routing policy on cases made by hand: most closed, then the product, then who has least to do."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timedelta
from itertools import count, islice
from random import Random

from tests.evals.kinds.crm.families.orgs import small_org
from tests.tables import each_row
from tests.tools.kinds.crm.generate.orgs import small
from worksmith.evals.kinds.crm.families.case_routing import FAMILY
from worksmith.evals.kinds.crm.families.routing import best_agent, issue_names, unclear
from worksmith.evals.kinds.crm.questions.family import Doubt, Mode, Question
from worksmith.evals.kinds.crm.questions.org_records import Case, OrgRecords, Purchase
from worksmith.tools.kinds.crm.generate.industry import packaged

TODAY = date(2022, 5, 1)
ISSUE, OTHER = "size", "defect"
SHOE, SOCK = "Corvane Hiking Boot", "Oriel Crew Sock"


class ToolContext:
    """Cases made by hand, in an org whose issues and products are those of a generated one."""

    def __init__(self) -> None:
        self.cases: list[Case] = []
        self.purchases: dict[str, Purchase] = {}

    def case(
        self,
        owner: str,
        issue: str = ISSUE,
        product: str = SHOE,
        *,
        days: int = 9,
        closed: float | None = 0.1,
    ) -> None:
        """A case opened so many days before today at nine, and closed so many days later."""
        number = str(len(self.cases))
        opened = datetime(2022, 5, 1, 9) - timedelta(days=days)
        name = issue_names()[issue]
        self.purchases[number] = Purchase(number, product, number, "", opened.date(), True)
        self.cases.append(
            Case(
                id=number,
                owner=owner,
                account="",
                contact="",
                created=opened,
                closed=None if closed is None else opened + timedelta(days=closed),
                status="New" if closed is None else "Closed",
                item=number,
                issue=next(each for each, known in small_org().issues.items() if known == name),
                subject="",
                description="",
            )
        )

    def asked(self, product: str = SHOE) -> tuple[OrgRecords, Question]:
        """The records, and the question who gets a new case."""
        org = OrgRecords(small())
        org.__dict__ |= {
            "cases": self.cases,
            "purchase": self.purchases,
            "products": {SHOE: SHOE, SOCK: SOCK},
        }
        slots = {"issue": ISSUE, "product": product, "today": TODAY.isoformat()}
        return org, Question(slots, TODAY, None, ISSUE)

    def best(self, mode: Mode = "clean", product: str = SHOE) -> str | Doubt:
        """Who gets it."""
        org, question = self.asked(product)
        return best_agent(org, mode, question)


def test_who_closed_most_cases_of_the_issue_gets_it() -> None:
    ctx = ToolContext()
    for owner, issue in [("ann", ISSUE), ("ann", ISSUE), ("bob", ISSUE), *[("bob", OTHER)] * 5]:
        ctx.case(owner, issue)
    ctx.case("bob", closed=None)
    assert ctx.best() == "ann"


def test_equals_are_told_apart_by_the_product_whatever_the_issue() -> None:
    ctx = ToolContext()
    for owner, issue, product in [
        ("ann", ISSUE, SOCK),
        ("bob", ISSUE, SOCK),
        ("bob", OTHER, SHOE),
        ("cat", OTHER, SHOE),
        ("cat", OTHER, SHOE),
    ]:
        ctx.case(owner, issue, product)
    assert ctx.best(product=SHOE) == "bob"
    assert isinstance(ctx.best(product=SOCK), Doubt)


def test_equals_even_there_are_told_apart_by_what_waits_and_nothing_is_least() -> None:
    ctx = ToolContext()
    for owner in ("ann", "bob", "cat"):
        ctx.case(owner)
    ctx.case("ann", OTHER, closed=None)
    ctx.case("cat", OTHER, closed=None)
    assert ctx.best() == "bob"
    assert isinstance(ctx.best("faithful"), Doubt)
    ctx.case("bob", OTHER, closed=None)
    ctx.case("bob", OTHER, closed=None)
    assert isinstance(ctx.best(), Doubt)


def test_what_is_closed_today_or_later_counts_in_faithful_mode_only() -> None:
    ctx = ToolContext()
    ctx.case("ann")
    for days in (0, -3):
        ctx.case("bob", days=days)
    assert ctx.best() == "ann"
    assert ctx.best("faithful") == "bob"


def test_a_day_that_begins_in_the_middle_of_a_case_is_not_asked_about() -> None:
    ctx = ToolContext()
    ctx.case("ann")
    assert unclear(*_before("clean", ctx)) is None
    ctx.case("bob", OTHER, days=1, closed=1.5)
    assert ctx.best() == "ann"
    assert isinstance(unclear(*_before("clean", ctx)), Doubt)


def _before(mode: Mode, ctx: ToolContext) -> tuple[OrgRecords, Mode, Question]:
    org, question = ctx.asked()
    return org, mode, question


@each_row("issue", list(issue_names()))
def test_texts_are_known_to_be_about_their_issue(issue: str) -> None:
    for form, product in zip(packaged().conversations.forms(f"problem_{issue}"), count(), strict=False):
        name = f"Corvane {'Cap' if product % 2 else 'Rain Shell'}"
        text = f'The customer writes: "{form.text.format(product=name)} What do you suggest?" Who gets it?'
        assert FAMILY.parse(text) == {"issue": issue, "product": name}
        assert issue_names()[issue].lower() not in text.lower()


def test_issues_and_agents_are_spread() -> None:
    assert set(FAMILY.strata("clean")) == set(issue_names())
    answers: Counter[str] = Counter()
    for issue in FAMILY.strata("clean"):
        for each in islice(FAMILY.candidates(small_org(), "clean", issue, Random(4)), 60):
            if not isinstance(each, Doubt):
                assert each.answer is not None
                assert each.today < small_org().snapshot + timedelta(days=1)
                answers[each.answer[0].value] += 1
    assert len(answers) > 8
