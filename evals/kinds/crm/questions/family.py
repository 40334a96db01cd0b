"""A family of questions. Every module of `worksmith.evals.kinds.crm.families` has a `FAMILY`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from random import Random

from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanRecorder
from worksmith.evals.kinds.crm.questions.wording import said
from worksmith.evals.tasks.task import Entity
from worksmith.tools.kinds.crm.generate.industry import Industry, packaged
from worksmith.tools.kinds.crm.settings import Mode

__all__ = ["Doubt", "Family", "Mode", "Question", "Truth", "Values"]

Values = tuple[str, ...] | None
"""The values of an answer, or that there is none."""


@dataclass(frozen=True)
class Doubt:
    """Why something cannot be asked: no answer to it is beyond doubt, or it is found too easily."""

    reason: str


Truth = tuple[Entity, ...] | Doubt | None
"""The answer to a question; None if the honest answer is that there is none."""


@dataclass(frozen=True)
class Question:
    """A question with its truth, before it is put into words.

    Attributes:
        slots: everything that decides the truth, as text: what the wording says (`period`, `n`, `extreme`),
            the ids it comes with (`product`, `case`, `contact`), and `today` (ISO) where the truth depends on
            it. No two questions of a suite have the same.
        shown: what is shown below the wording, by label (`Case Id`).
        today: when it is asked.
        answer: the truth by plain Python over the records; None without one.
        reference: the truth in a sentence, where the answer is one.
        stratum: one of the family's `strata`.
        must_read: references (`object/id`) of records without which it cannot be known.
    """

    slots: Mapping[str, str]
    today: date
    answer: tuple[Entity, ...] | None
    stratum: str
    shown: Mapping[str, str] = field(default_factory=dict)
    reference: str = ""
    must_read: tuple[str, ...] = ()


@dataclass(frozen=True)
class Family(ABC):
    """One of the nine kinds of questions.

    Attributes:
        name: as published, such as `handle_time`; that of the family's TOML file.
        code: three small letters, for ids of tasks.
        persona: id of the asker: `service_agent`, `service_manager` or `service_analyst`.
        worded: names of the slots that every wording says.
        industry: of the company that the questions are about.
    """

    name: str
    code: str
    persona: str
    worded: frozenset[str]
    industry: Industry = field(default_factory=packaged, kw_only=True, compare=False, repr=False)

    def context(self, mode: Mode) -> str:
        """The policies that an agent is told with every question of the family."""
        return said(self.name, "context", mode)

    def answer_format(self, mode: Mode) -> str:
        return said(self.name, "answer", mode)

    @abstractmethod
    def nones(self, mode: Mode) -> float:
        """The share of questions without an answer, in every stratum."""

    @abstractmethod
    def strata(self, mode: Mode) -> Mapping[str, float]:
        """What questions are spread over, such as unit and threshold, with the weight of each.

        Every stratum has the same share of questions without an answer, so that no part of the wording tells
        whether there is one.
        """

    @abstractmethod
    def candidates(
        self, org: OrgRecords, mode: Mode, stratum: str, random: Random
    ) -> Iterator[Question | Doubt]:
        """Draws of one stratum in random order, answerable or not; each counts as a try.

        May go on without end. Questions may repeat: the sampler drops repetitions.
        """

    @abstractmethod
    def truth(self, org: OrgRecords, mode: Mode, question: Question) -> Truth:
        """The truth of a question in a mode, by plain Python over the records, whatever `answer` says.

        A doubt only where there is no single answer, as with ties. Shares no code with the functions that
        agents call.
        """

    @abstractmethod
    def phrase(self, question: Question, random: Random) -> str:
        """The question in words, from templates of our own; without the lines of `shown`."""

    @abstractmethod
    def parse(self, text: str) -> Mapping[str, str] | None:
        """The slots that a wording says; None if it is not of this family.

        Read by patterns that share nothing with the templates but their words. Wordings that do not say what
        they should are rejected.
        """

    @abstractmethod
    def solve(self, recorder: PlanRecorder, question: Question) -> Values:
        """The truth once more, by calls of `functions.*` tools in an episode; the calls become the gold plan.

        Goes by `question.slots`, `shown` and `today` and by what the tools return, never by `answer`.
        """

    @abstractmethod
    def solve_by_queries(self, recorder: PlanRecorder, question: Question) -> Values:
        """The truth by `query.*` tools alone and arithmetic, as an agent without functions would find it."""
