"""What do the knowledge articles say about this?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from random import Random

from worksmith.evals.kinds.crm.families.article_facts import (
    Fact,
    called,
    entity,
    facts,
    issues,
    read_subjects,
    read_value,
    subjects,
    true_article,
    true_value,
    under,
)
from worksmith.evals.kinds.crm.questions.family import Doubt, Family, Mode, Question, Truth, Values
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanRecorder
from worksmith.evals.kinds.crm.questions.wording import wording
from worksmith.tools.kinds.crm.generate.industry import Industry

_NAME = "knowledge_qa"
_BETWEEN = "; "
_RULES = "rules"
_UNKNOWN = 0.3
"""In clean mode so many questions are drawn about what no article has, as far as chance does not do so."""


class KnowledgeQa(Family):
    """See `Family`.

    Strata are `rules` and `advice`, one fact each; `pair`, two facts about one subject; and `across`, one of
    two subjects.
    """

    def nones(self, mode: Mode) -> float:
        return 0.1 if mode == "clean" else 0.0

    def strata(self, mode: Mode) -> Mapping[str, float]:
        strata: Mapping[str, float] = wording(_NAME)["strata"]
        return strata

    def candidates(
        self, org: OrgRecords, mode: Mode, stratum: str, random: Random
    ) -> Iterator[Question | Doubt]:
        while True:
            asked, about = _draw(self.industry, stratum, random, unknown=mode == "clean")
            slots = {"facts": _BETWEEN.join(asked), "about": _BETWEEN.join(about)}
            question = Question(slots, org.snapshot, None, stratum)
            truth = self.truth(org, mode, question)
            if isinstance(truth, Doubt) or (truth is None and mode == "faithful"):
                yield truth or Doubt("no article says it")
                continue
            articles = dict.fromkeys(true_article(org, key, each) for key, each in _parts(question))
            yield replace(
                question,
                answer=truth,
                reference=_reference(org, question) if truth else "",
                must_read=tuple(f"Knowledge__kav/{article}" for article in articles if truth and article),
            )

    def truth(self, org: OrgRecords, mode: Mode, question: Question) -> Truth:
        """See `Family`. The same in both modes."""
        found = [(key, true_value(org, key, about)) for key, about in _parts(question)]
        values = [value for _, value in found if value is not None]
        if not values:
            return None
        if len(values) < len(found):
            return Doubt("there is an answer to a part of it")
        if len(set(values)) < len(values):
            return Doubt("two answers are the same")
        return tuple(entity(key, value, org.built.industry) for key, value in found if value is not None)

    def phrase(self, question: Question, random: Random) -> str:
        asked, about = _slots(question)
        own = self.industry
        known = facts(own)
        given = {"first": known[asked[0]].tell}
        if len(about) > 1:
            one, other = random.sample(about, 2)
            template = random.choice(wording(_NAME)["templates"]["across"])
            given |= {"one": called(one, random, own), "other": called(other, random, own)}
        elif len(asked) > 1:
            one, other = random.sample(asked, 2)
            template = random.choice(wording(_NAME)["templates"]["pair"])
            given = {"first": known[one].tell, "second": known[other].tell}
            given["about"] = called(about[0], random, own)
        else:
            template = random.choice(known[asked[0]].ask)
            given |= {
                "about": about[0],
                "under": under(about[0], random, own) if about[0] in issues() else "",
            }
        text: str = template.format_map(given)
        return text[0].upper() + text[1:]

    def parse(self, text: str) -> Mapping[str, str] | None:
        about, rest = read_subjects(text, self.industry)
        of_rules = {each in issues() for each in about}
        asked = [
            fact.key
            for fact in facts(self.industry).values()
            if of_rules == {fact.of == _RULES} and re.search(fact.cue, rest, re.IGNORECASE)
        ]
        if not asked or len(asked) * len(about) > 2:
            return None
        return {"facts": _BETWEEN.join(asked), "about": _BETWEEN.join(about)}

    def solve(self, recorder: PlanRecorder, question: Question) -> Values:
        asked, about = _slots(question)
        words = " ".join([*(facts(self.industry)[key].search for key in asked), *map(_bare, about)])
        found = recorder.call(
            "functions.search_knowledge_articles",
            "I look for the words of the question in the articles.",
            search_term=words,
        )
        return _values(self.industry, question, ((each["Title"], each["Content"]) for each in found))

    def solve_by_queries(self, recorder: PlanRecorder, question: Question) -> Values:
        phrases = " OR ".join(f'"{_bare(each)}"' for each in _slots(question)[1])
        found = recorder.sosl(
            "I look for the articles on what the question is about.",
            f"FIND {{{phrases}}} IN ALL FIELDS RETURNING Knowledge__kav(Id, Title, FAQ_Answer__c "
            "WHERE PublishStatus = 'Online' AND Language = 'en_US')",
        )
        return _values(self.industry, question, ((each["Title"], each["FAQ_Answer__c"]) for each in found))


def _draw(industry: Industry, stratum: str, random: Random, *, unknown: bool) -> tuple[list[str], list[str]]:
    """Keys of facts and subjects to ask about; some facts are not stated about some subjects."""
    known = list(facts(industry).values())
    if stratum in (_RULES, "advice"):
        known = [fact for fact in known if (fact.of == _RULES) == (stratum == _RULES)]
    fact = random.choice(known)
    pool = subjects(fact, industry)
    if unknown and fact.of != _RULES and random.random() < _UNKNOWN:
        pool = tuple(industry.data.advice.unknown)
    about = random.sample(pool, 2 if stratum == "across" else 1)
    others = [each for each in known if each.of == fact.of and each is not fact]
    asked: list[Fact] = [fact, random.choice(others)] if stratum == "pair" else [fact]
    return [each.key for each in known if each in asked], sorted(about)


def _slots(question: Question) -> tuple[list[str], list[str]]:
    return question.slots["facts"].split(_BETWEEN), question.slots["about"].split(_BETWEEN)


def _parts(question: Question) -> list[tuple[str, str]]:
    asked, about = _slots(question)
    return [(key, each) for key in asked for each in about]


def _bare(subject: str) -> str:
    name: str = wording(_NAME)["short"].get(subject, subject)
    return name.removeprefix("the ")


def _reference(org: OrgRecords, question: Question) -> str:
    several = len(_slots(question)[1]) > 1
    sentences = []
    for key, about in _parts(question):
        text = facts(org.built.industry)[key].says.format(value=true_value(org, key, about))
        sentences.append(f"For {_bare(about)}: {text[0].lower()}{text[1:]}" if several else text)
    return " ".join(sentences)


def _values(industry: Industry, question: Question, articles: Iterable[tuple[str, str]]) -> Values:
    """What articles, by title and text, say to a question; None if nothing."""
    known = list(articles)
    found = []
    for key, about in _parts(question):
        said_of_it = (read_value(key, about, title, text, industry) for title, text in known)
        found.append(next((value for value in said_of_it if value is not None), None))
    values = tuple(value for value in found if value is not None)
    return values if len(values) == len(found) else None


FAMILY: Family = KnowledgeQa(_NAME, "kqa", "service_agent", frozenset({"facts", "about"}))
