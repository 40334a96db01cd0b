"""Review of published answers: those that contradict their task, and those that are one of several."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from evals.kinds.office.workbench import answers
from evals.kinds.office.workbench.answers import Answer, Office
from evals.tasks.task import Action
from tools.files.data_files import read_toml

_TREATMENTS: dict[str, Callable[[str, Answer, Office], list[Answer]]] = {
    function.__name__: function
    for function in (
        answers.fewest_overdue,
        answers.reprioritise,
        answers.move_to_lost,
        answers.mail_title,
        answers.plot_until_today,
        answers.unfinished,
        answers.most_urgent,
    )
}
"""From a task and its published answer to the answers that are right; none if the function cannot tell."""


class Rule(BaseModel):
    """One entry of `corrections.toml`; its head explains the fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    domain: str
    words: tuple[str, ...]
    without: tuple[str, ...] = ()
    effect: Literal["correct", "accept"]
    treatment: str
    reason: str

    def concerns(self, domain: str, query: str) -> bool:
        """Whether the rule is about this task."""
        text = f" {query.lower()} "
        return (
            domain == self.domain
            and all(word in text for word in self.words)
            and not any(word in text for word in self.without)
        )


class Finding(BaseModel):
    """What the review of one task found.

    Attributes:
        corrected: replaces the published answer; None if that stands.
        alternatives: further answers that count as right.
    """

    model_config = ConfigDict(frozen=True)

    corrected: tuple[Action, ...] | None
    alternatives: tuple[tuple[Action, ...], ...]
    reason: str


@cache
def rules() -> tuple[Rule, ...]:
    """The rules, in the order in which they are tried."""
    entries = read_toml(__package__, "corrections.toml")["rule"]
    return tuple(Rule.model_validate(entry) for entry in entries)


def review(domain: str, query: str, published: Answer, office: Office) -> Finding | None:
    """What the first rule that has something to say finds about a task; None if all is well."""
    for rule in rules():
        if not rule.concerns(domain, query):
            continue
        right = _TREATMENTS[rule.treatment](query, published, office)
        others = tuple(answer for answer in right if not _same(answer, published))
        if not others:
            continue
        if rule.effect == "accept":
            return Finding(corrected=None, alternatives=others, reason=rule.reason)
        if len(others) == len(right):
            return Finding(corrected=others[0], alternatives=others[1:], reason=rule.reason)
    return None


def _same(one: Answer, other: Answer) -> bool:
    return sorted(map(repr, one)) == sorted(map(repr, other))
