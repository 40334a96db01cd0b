"""Generated orgs have no problems, and spoiled ones do."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.tools.kinds.crm.generate.checks.verify import verify
from tests.tools.kinds.crm.generate.orgs import SMALL, place_of, small, spoiled
from worksmith.tools.kinds.crm.generate import Built, build
from worksmith.tools.kinds.crm.generate.industry import packaged

SPOILS: dict[str, Callable[[Built], Built]] = {
    "is no Account": lambda b: spoiled(b, "Contact", 0, AccountId=str(b.rows["User"][0][0])),
    "ids are not unique": lambda b: spoiled(b, "Issue__c", 1, Id=b.rows["Issue__c"][0][0]),
    "is no id": lambda b: spoiled(b, "User", 0, Id=str(b.rows["User"][0][0])[:17] + "9"),
    "is not in the list": lambda b: spoiled(b, "Case", 0, Priority="Urgent"),
    "price book entry": lambda b: spoiled(b, "OrderItem", 0, UnitPrice="1.00"),
    "total is wrong": lambda b: spoiled(b, "OrderItem", 0, TotalPrice="1.00"),
    "owners do not follow": lambda b: spoiled(b, "Case", 0, OwnerId=_other_owner(b)),
    "out of order": lambda b: spoiled(b, "Case", 0, CreatedDate="2020-01-01T00:00:00.000+0000"),
    "wrong status": lambda b: spoiled(b, "Case", place_of(b, "Case", IsClosed="true"), Status="New"),
    "not closed when": lambda b: spoiled(
        b, "Case", place_of(b, "Case", IsClosed="true"), ClosedDate="2024-05-01T00:00:00.000+0000"
    ),
    "a draft": lambda b: spoiled(b, "Order", _order_of_case(b), Status="Draft"),
    "unclear sentences": lambda b: _in_mail(b, "\n\n", "\n\nSomething else entirely. "),
    "handled by": lambda b: _in_mail(b, str(_agent_of_mail(b)), "Nobody Known"),
    "described as": lambda b: spoiled(b, "Case", 0, Description="What can you do for me?"),
    "does not fit a": lambda b: _of_another_shape(b),
    "Knowledge__kav/": lambda b: spoiled(b, "Knowledge__kav", 20, FAQ_Answer__c="Enjoy your sport!"),
}


def _other_owner(built: Built) -> str | None:
    return next(row[0] for row in built.rows["User"] if row[0] != built.records("Case")[0]["OwnerId"])


def _order_of_case(built: Built) -> int:
    item = place_of(built, "OrderItem", Id=built.records("Case")[0]["OrderItemId__c"])
    return place_of(built, "Order", Id=built.records("OrderItem")[item]["OrderId"])


def _first_reply(built: Built) -> int:
    return next(
        place
        for place, mail in enumerate(built.records("EmailMessage"))
        if "larkfoot" in str(mail["FromAddress"])
    )


def _agent_of_mail(built: Built) -> str | None:
    address = built.records("EmailMessage")[_first_reply(built)]["FromAddress"]
    return built.records("User")[place_of(built, "User", Email=address)]["Name"]


def _in_mail(built: Built, old: str, new: str) -> Built:
    place = _first_reply(built)
    body = str(built.records("EmailMessage")[place]["TextBody"])
    assert old in body
    return spoiled(
        built,
        "EmailMessage",
        place,
        TextBody=body.replace(old, new, 1) if old == "\n\n" else body.replace(old, new),
    )


def _case_of_shape(built: Built, shape: str) -> int:
    return next(place for place, case in enumerate(built.cases) if case.item.product.shape == shape)


def _of_another_shape(built: Built) -> Built:
    """Shoes described as a shirt is."""
    place = _case_of_shape(built, "shoe")
    planted = next(form for form in packaged().conversations.forms("problem_size") if form.only == {"top"})
    text = packaged().conversations.fill(planted.text, {"product": built.cases[place].item.product.name})
    return spoiled(built, "Case", place, Description=text)


@pytest.mark.slow
@pytest.mark.parametrize("planted", [[*SPOILS][:4], *([*SPOILS][first::4] for first in range(4, 8))])
def test_spoiled_orgs_are_found_out(planted: list[str]) -> None:
    """Some in one org; those of ids and references end the search for others."""
    built = small()
    for problem in planted:
        built = SPOILS[problem](built)
    found = "\n".join(verify(built))
    assert [problem for problem in planted if problem not in found] == []


@pytest.mark.parametrize("seed", [7, 8])
def test_generated_orgs_have_no_problems(seed: int) -> None:
    assert verify(small(seed)) == []


def test_another_limit_in_an_article_changes_verdicts() -> None:
    built = small()
    policy = next(policy for policy in built.policies if policy.key == "billing")
    place = place_of(built, "Knowledge__kav", Id=policy.article)
    text = str(built.records("Knowledge__kav")[place]["FAQ_Answer__c"])
    found = verify(
        spoiled(built, "Knowledge__kav", place, FAQ_Answer__c=text.replace("10 percent", "1 percent"))
    )
    assert any(problem.startswith("Knowledge__kav/") for problem in found)
    assert any("breaks" in problem for problem in found)


@pytest.mark.slow
def test_many_seeds_and_sizes_are_sound() -> None:
    for seed in range(3, 9):
        scale = (0.01, SMALL, 0.13)[seed % 3]
        assert verify(build(seed, scale)) == [], (seed, scale)
