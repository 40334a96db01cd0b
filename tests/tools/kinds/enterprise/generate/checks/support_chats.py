"""Checks of support chats."""

from __future__ import annotations

from collections.abc import Mapping

from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.business.product_problems import product_problems
from worksmith.tools.kinds.enterprise.generate.business.support_chats import _WORDS, PROMISES
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.stated.sentences import problems, read
from worksmith.tools.kinds.enterprise.stated.texts import given_up, reports


def check(record: Mapping[str, str | None], latent: Latent, industry: Industry) -> list[str]:
    """Facts that the chat does not state, read by rules alone."""
    text, facts = str(record["text"]), latent.facts
    found = problems(
        _WORDS, latent.ref, text, facts, [s for s in ("order", "bought", "amount", "lead") if s in facts]
    )
    dues = {promise: read(_WORDS, promise, text) for promise in PROMISES.values()}
    stated = {(promise, due) for promise, days in dues.items() for due in days}
    wanted = {(facts["promise"], facts["due"])} if "due" in facts else set()
    if stated != wanted:
        found.append(f"{latent.ref}: promised is {wanted}, the text says {sorted(stated)}")
    ended = given_up().any(text)
    if ended != (facts["outcome"] == "unresolved"):
        found.append(f"{latent.ref}: the outcome is {facts['outcome']}, the text says otherwise")
    for name in ("fix", "tip"):
        if name in facts and facts[name] not in text:
            found.append(f"{latent.ref}: {name} is {facts[name]!r}, the text does not say so")
    problem = product_problems(industry)[facts["problem"]]
    if not reports(industry, problem.key).any(text):
        found.append(f"{latent.ref}: the problem is {problem.key!r}, the text says otherwise")
    if facts["aspect"] != problem.part or facts["outcome"] not in problem.fits:
        found.append(f"{latent.ref}: aspect or outcome are not those of the problem {problem.key!r}")
    return found
