"""What the families of questions have in common. Every module of `evals.crm.families` has a `FAMILY`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import TYPE_CHECKING, Literal, Protocol

from evals.task import Entity

if TYPE_CHECKING:
    from evals.crm.books import Books
    from evals.crm.script import Script

Mode = Literal["clean", "faithful"]
"""Truths as the policies that agents are shown say, or as the published system computes them."""


@dataclass(frozen=True)
class Question:
    """A question with its truth, before it is put into words.

    Attributes:
        slots: everything that decides the truth, as text: what the wording says (`period`, `n`, `extreme`)
            and the ids it comes with (`product`, `case`, `contact`).
        shown: the slots that are shown below the wording, by label (`Case Id`).
        today: when it is asked.
        answer: the truth by plain Python over the records; None where the honest answer is that there is none.
        reference: the truth in a sentence, where the answer is one.
        stratum: what questions are spread over, such as unit and threshold, so that no part of the wording
            tells whether there is an answer.
        must_read: references (`object/id`) of records without which it cannot be known.
    """

    slots: Mapping[str, str]
    today: date
    answer: tuple[Entity, ...] | None
    shown: Mapping[str, str] = field(default_factory=dict)
    reference: str = ""
    stratum: str = ""
    must_read: tuple[str, ...] = ()


class Family(Protocol):
    """One of the nine kinds of questions.

    Attributes:
        name: as published: `handle_time`, `transfer_count`, `named_entity_disambiguation`, `case_routing`,
            `policy_violation_identification`, `knowledge_qa`, `top_issue_identification`,
            `monthly_trend_analysis`, `best_region_identification`.
        persona: id of who asks: `service_agent`, `service_manager` or `service_analyst`.
    """

    name: str
    persona: str

    def context(self, mode: Mode) -> str:
        """The policies that an agent is told with every question of the family."""
        ...

    def nones(self, mode: Mode) -> float:
        """The share of questions without an answer."""
        ...

    def candidates(self, books: Books, mode: Mode, random: Random) -> Iterator[Question]:
        """Questions without end, answerable and not, in random order; none whose truth is in doubt.

        The sampler takes those that it has a place for and drops repetitions, so many must differ.
        """
        ...

    def phrase(self, question: Question, random: Random) -> str:
        """The question in words, from templates of our own; without the lines of `shown`."""
        ...

    def parse(self, text: str) -> Mapping[str, str] | None:
        """The slots that a wording says, read by patterns that share nothing with the templates but their
        words; None if it is not of this family. The sampler rejects wordings that do not say what they should.
        """
        ...

    def solve(self, script: Script, question: Question) -> tuple[Entity, ...] | None:
        """The truth once more, by calls of function tools in an episode; the calls become the gold plan."""
        ...

    def solve_by_queries(self, script: Script, question: Question) -> tuple[Entity, ...] | None:
        """The truth by SOQL and SOSL alone, as an agent without functions would find it."""
        ...
