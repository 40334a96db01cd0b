"""How often the two modes disagree: the same questions, answered by the policies and as published."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from worksmith.evals.kinds.crm.answers import is_right
from worksmith.evals.kinds.crm.families.registry import FAMILIES
from worksmith.evals.kinds.crm.questions.family import Doubt, Question, Truth
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.tasks.task import Task


@dataclass(frozen=True)
class Difference:
    """What became of the questions of one family.

    Attributes:
        asked: how many there are.
        differ: to how many the answers differ; an answer and none are different.
        doubtful: how many have no single answer in the other mode, such as ties.
    """

    asked: int
    differ: int
    doubtful: int


def differences(org: OrgRecords, tasks: Iterable[Task]) -> dict[str, Difference]:
    """By family, for generated tasks of either mode, how often the truth is another in the other mode.

    Args:
        org: of the org that the tasks are about.
    """
    questions: dict[str, list[Question]] = {}
    for task in tasks:
        assert task.intent is not None, "generated tasks have a family"
        assert task.now is not None, "and a day"
        question = Question(task.slots, task.now.date(), None, stratum="")
        questions.setdefault(task.intent, []).append(question)
    found = {}
    for family in FAMILIES:
        asked = questions.get(family.name, [])
        pairs = [(family.truth(org, "clean", q), family.truth(org, "faithful", q)) for q in asked]
        doubtful = sum(isinstance(clean, Doubt) or isinstance(other, Doubt) for clean, other in pairs)
        same = sum(_same(clean, other) for clean, other in pairs)
        if asked:
            found[family.name] = Difference(len(asked), len(asked) - same - doubtful, doubtful)
    return found


def _same(clean: Truth, other: Truth) -> bool:
    """Whether two answers mean the same; a month of a year is the month of no year in particular."""
    if isinstance(clean, Doubt) or isinstance(other, Doubt):
        return False
    if not clean or not other:
        return not clean and not other
    if other[0].type == "month":
        return is_right(clean[0].value, other, "month")
    return {entity.value for entity in clean} == {entity.value for entity in other}
