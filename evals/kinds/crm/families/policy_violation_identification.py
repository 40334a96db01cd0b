"""Did the agent of a case break a policy, and which article has it?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from random import Random
from typing import Any, Literal

from worksmith.evals.kinds.crm.questions.family import Doubt, Family, Mode, Question, Truth, Values
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanRecorder
from worksmith.evals.kinds.crm.questions.wording import phrased, wording
from worksmith.evals.tasks.task import Entity
from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.crm.generate.conversation_reader import (
    Hearing,
    Turn,
    hear,
    read_rules,
    turn_of_mail,
    turns_of_transcript,
    verdict,
)
from worksmith.tools.kinds.crm.generate.industry import Industry

_NAME = "policy_violation_identification"
_STRATUM = "any"
_TAKEN = {"second": 1.0, "near": 0.3, "easy": 0.15}
"""Of the cases in which nothing was broken so many are asked about at first: where the customer brings up a
second matter, where something comes near a breach, and of the others. So both sorts of cases look alike."""

_LAST_DAYS = 3
_SAYS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:polic|rule|article)",
        r"\b(?:br(?:oke|each|eak)|violat|go against|keep to|not allow)",
        r"\bcase\b",
    )
)

Search = Callable[[str, str], list[dict[str, Any]]]
"""Articles by Id and text, for a reason and for words."""


class PolicyViolationIdentification(Family):
    """See `Family`. There is one stratum: questions show nothing but a case."""

    def nones(self, mode: Mode) -> float:
        return 0.3

    def strata(self, mode: Mode) -> Mapping[str, float]:
        return {_STRATUM: 1.0}

    def candidates(
        self, org: OrgRecords, mode: Mode, stratum: str, random: Random
    ) -> Iterator[Question | Doubt]:
        """See `Family`. Every case once, those less like the others last."""
        later = []
        for case in random.sample(org.cases, len(org.cases)):
            shown = {"Case Id": case.id}
            question = Question({"case": case.id}, org.snapshot, None, stratum, shown)
            truth = self.truth(org, mode, question)
            if isinstance(truth, Doubt):
                yield truth
                continue
            articles = (ref for ref in _talks(org)[case.id].refs if ref.startswith("Knowledge__kav/"))
            question = replace(question, answer=truth, must_read=tuple(articles))
            if truth is None and random.random() >= _TAKEN[likeness(org, case.id)]:
                later.append(question)
            else:
                yield question
        yield from later

    def truth(self, org: OrgRecords, mode: Mode, question: Question) -> Truth:
        """See `Family`. The same in both modes."""
        case = question.slots["case"]
        talk = _talks(org)[case].facts
        if org.case[case].closed is None:
            return Doubt("nothing was decided yet")
        return (Entity(type="article_id", value=talk["article"]),) if talk["violation"] else None

    def phrase(self, question: Question, random: Random) -> str:
        return phrased(_NAME, {}, random)

    def parse(self, text: str) -> Mapping[str, str] | None:
        return {} if all(pattern.search(text) for pattern in _SAYS) else None

    def solve(self, recorder: PlanRecorder, question: Question) -> Values:
        case = question.slots["case"]
        talk = recorder.call(
            "functions.get_email_messages_by_case_id",
            "Whether a policy was broken shows in what was written.",
            case_id=case,
        )
        if talk:
            turns = _turns_of_mails(talk.value, self.industry)
        else:
            talk = recorder.call(
                "functions.get_livechat_transcript_by_case_id",
                "There are no e-mails, so this was a chat.",
                case_id=case,
                after=[talk],
            )
            turns = turns_of_transcript(talk[0]["Body"].value)
        record = recorder.call(
            "functions.get_cases",
            "Whether a remedy came in time depends on the day on which the case was opened.",
            case_ids=[case],
        )
        hearing = hear(turns, self.industry)
        (ordered,) = hearing.days

        def search(why: str, words: str) -> list[dict[str, Any]]:
            found = recorder.call("functions.search_knowledge_articles", why, search_term=words, after=[talk])
            return [{"Id": each["Id"], "text": each["Content"]} for each in found]

        return _breached(hearing, _days(ordered, record[0]["CreatedDate"].value), search, self.industry)

    def solve_by_queries(self, recorder: PlanRecorder, question: Question) -> Values:
        case = question.slots["case"]
        record = recorder.soql(
            "When the case was opened, and what it is about.",
            f"SELECT CreatedDate, OrderItemId__c FROM Case WHERE Id = '{case}'",
        )
        item = recorder.soql(
            "Days count from the date of the order.",
            f"SELECT Order.EffectiveDate FROM OrderItem WHERE Id = '{record[0]['OrderItemId__c'].value}'",
            after=[record],
        )
        talk = recorder.soql(
            "Whether a policy was broken shows in what was written.",
            f"SELECT FromAddress, TextBody FROM EmailMessage WHERE ParentId = '{case}' ORDER BY MessageDate",
        )
        if talk:
            turns = _turns_of_mails(talk.value, self.industry)
        else:
            talk = recorder.soql(
                "There are no e-mails, so this was a chat.",
                f"SELECT Body FROM LiveChatTranscript WHERE CaseId = '{case}'",
                after=[talk],
            )
            turns = turns_of_transcript(talk[0]["Body"].value)

        def search(why: str, words: str) -> list[dict[str, Any]]:
            query = f"FIND {{{words}}} IN ALL FIELDS RETURNING Knowledge__kav(Id, Title, FAQ_Answer__c)"
            return [
                {"Id": each["Id"], "text": each["FAQ_Answer__c"]}
                for each in recorder.sosl(why, query, after=[talk])
            ]

        days = _days(item[0]["Order"]["EffectiveDate"].value, record[0]["CreatedDate"].value)
        return _breached(hear(turns, self.industry), days, search, self.industry)


def likeness(org: OrgRecords, case: str) -> Literal["second", "near", "easy"]:
    """How much a case in which nothing was broken looks as if something were.

    Where it is near, the customer asked for something that the agent refused, or the agent granted as much as
    the article allows, or at the last moment.
    """
    talk = _talks(org)[case].facts
    if "2.issue" in talk:
        return "second"
    if talk["1.refused"]:
        return "near"
    policy = next(each for each in org.built.policies if each.key == talk["1.issue"])
    limits = policy.remedies[talk["1.remedy"]]
    days = _days(talk["day"], org.case[case].created.isoformat())
    most = any(int(talk[f"1.{name}"]) == limit for name, limit in limits.items() if name != "within")
    return "near" if most or limits.get("within", days + 99) - days <= _LAST_DAYS else "easy"


@lru_cache(maxsize=2)
def _talks(org: OrgRecords) -> Mapping[str, Latent]:
    return org.built.latents_of("conversation")


def _turns_of_mails(mails: Sequence[Mapping[str, Any]], industry: Industry) -> list[Turn]:
    """What was written, in the order of time, which only some results have."""
    ordered = sorted(mails, key=lambda mail: str(mail.get("MessageDate", "")))
    return [turn_of_mail(mail, industry) for mail in ordered]


def _days(ordered: str, opened: str) -> int:
    """From the date of the order to that of the opening, of two moments as records give them."""
    return (date.fromisoformat(opened[:10]) - date.fromisoformat(ordered[:10])).days


def _breached(hearing: Hearing, days: int, search: Search, industry: Industry) -> Values:
    found = []
    for heard in hearing.concerns:
        why = f"The customer brings up {industry.topics[heard.issue]}; I need the rules about it."
        articles = search(why, wording(_NAME)["search"][heard.issue])
        article = next(each for each in articles if _is_about(each["text"], heard.issue, industry))
        if verdict(heard, read_rules(article["text"], industry), days):
            found.append(article["Id"])
    return tuple(dict.fromkeys(found)) or None


def _is_about(text: str, issue: str, industry: Industry) -> bool:
    return any(each.facts.get("topic") == industry.topics[issue] for each in industry.rules.read(text))


FAMILY: Family = PolicyViolationIdentification(_NAME, "pvi", "service_agent", frozenset())
