"""The verifier notices support chats whose parts do not belong together; the problems fit the products."""

from __future__ import annotations

from functools import cache

from tests.tools.kinds.enterprise.generate.checks.coherence.support_chats import incoherent_chat
from tests.tools.kinds.enterprise.generate.worlds import small
from worksmith.evals.kinds.enterprise.facts import Facts
from worksmith.tools.kinds.enterprise.generate.business.product_problems import (
    ProductProblem,
    problems_of,
    product_problems,
)
from worksmith.tools.kinds.enterprise.generate.business.support_chats import PROMISES
from worksmith.tools.kinds.enterprise.generate.company import DEFAULT_NOW
from worksmith.tools.kinds.enterprise.generate.industry import packaged

_KINDS = {kind["name"]: kind for kind in packaged().catalogue["kinds"]}


@cache
def facts() -> Facts:
    return Facts(small(), DEFAULT_NOW)


def a_chat() -> tuple[dict[str, str], ProductProblem, ProductProblem]:
    """A chat, its problem, and one of another kind of product."""
    latent = small().latents_of("support_chats")[0]
    mine = product_problems(packaged())[latent.facts["problem"]]
    foreign = next(
        one for one in product_problems(packaged()).values() if not set(one.kinds) & set(mine.kinds)
    )
    return dict(facts().at(latent.ref) or {}), mine, foreign


def a_report(problem: ProductProblem) -> str:
    return next(said for said in problem.says if "{" not in said)


def test_a_chat_about_one_problem_is_fine() -> None:
    assert list(incoherent_chat(a_chat()[0], facts())) == []


def test_a_chat_on_another_product_is_found() -> None:
    chat, mine, _ = a_chat()
    fitting = {_KINDS[kind]["category"] for kind in mine.kinds}
    other = next(row for row in facts().all("products") if row["category"] not in fitting)

    found = list(incoherent_chat({**chat, "product_id": other["product_id"]}, facts()))

    assert any(f"{mine.key!r} is no problem of a" in one for one in found)


def test_sentences_of_another_problem_are_found() -> None:
    chat, mine, foreign = a_chat()
    question = next(ask[0] for ask in mine.ask if ask[0] in chat["text"])
    swapped = chat["text"].replace(question, foreign.ask[0][0])
    silent = next(said for said in mine.why if said in chat["text"])

    for text, reason in (
        (swapped, "does not belong"),
        (f"{chat['text']} {a_report(foreign)}", "it states 2 problems"),
        (chat["text"].replace(silent, "Who knows."), "explains nothing"),
        ("Customer: It rattles.", "it states 0 problems"),
    ):
        assert any(reason in one for one in incoherent_chat({**chat, "text": text}, facts())), reason


def test_a_remark_on_the_heat_in_winter_is_found() -> None:
    chat, _, _ = a_chat()
    hot = next(one for one in packaged().asides["asides"] if one.get("months") == [3, 4, 5, 6, 7])
    cold = {**chat, "interaction_date": "2021-12-24", "text": f"{chat['text']} {hot['say'][0]}"}

    assert any("does not fit product or month" in one for one in incoherent_chat(cold, facts()))


def test_a_problem_is_about_parts_that_its_products_have() -> None:
    for problem in product_problems(packaged()).values():
        assert all(problem.part in _KINDS[kind]["parts"] for kind in problem.kinds), problem.key
        assert set(problem.fits) <= {*PROMISES, "unresolved"}, problem.key
        assert ("unresolved" in problem.fits) == bool(problem.no), problem.key
        assert len(problem.says) == 3, problem.key
        assert all(len(ask) >= 2 for ask in problem.ask), problem.key
        advice = problem.fits == ("advice",)
        assert advice or "advice" not in problem.fits, problem.key
        assert {len(step) for step in problem.steps} == ({2} if advice else {3}), problem.key
        assert len(problem.ask) >= (2 if advice else 3), problem.key


def test_every_kind_of_product_has_problems_for_ordinary_outcomes() -> None:
    said = [said for one in product_problems(packaged()).values() for said in one.says]
    assert len(set(said)) == len(said)
    for kind in _KINDS:
        for wait in (2, 30, 75):
            able = [
                one
                for one in problems_of(packaged(), kind, "replacement")
                if one.days[0] <= wait <= one.days[1]
            ]
            assert able, (kind, wait)
