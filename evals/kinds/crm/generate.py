"""Generating the tasks of a CRM suite: questions with their truths, in words, solved by tools in two ways.

Every truth is found three times: by plain Python over the generated records, by the functions that agents
call, and by queries alone. Where they differ something is broken, and generating stops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, time

from worksmith.evals.authoring.sizes import SplitSizes
from worksmith.evals.kinds.crm.families.registry import FAMILIES, held_out_split
from worksmith.evals.kinds.crm.questions.family import Family, Mode, Question, Values
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanRecorder
from worksmith.evals.kinds.crm.sampling import Place, Sampler
from worksmith.evals.tasks.task import Answer, Split, Step, Task
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError, WorksmithError
from worksmith.tools.kinds.crm.generate.draft import Built
from worksmith.tools.seeding import rng
from worksmith.tools.world import World

_REPLACEMENTS = 4
"""So many questions are tried for one place when no wording of them fits."""

_WORDINGS = 12


class TruthError(WorksmithError):
    """Two ways to find the answer of a question differ; a defect of a family, a function, or an engine."""


@dataclass(frozen=True)
class Sizes(SplitSizes):
    """How many tasks of each family a split is to have."""

    test: int = 130
    train: int = 60
    dev: int = 30
    growth = 0.7


@dataclass
class Generated:
    """The tasks of a suite, and what did not come out.

    Attributes:
        drops: by family why draws were not asked, and how often.
        unfilled: by family how many places stayed empty.
    """

    tasks: list[Task] = field(default_factory=list)
    drops: dict[str, Counter[str]] = field(default_factory=dict)
    unfilled: dict[str, int] = field(default_factory=dict)


def generate(
    world: World,
    built: Built,
    mode: Mode,
    seed: int,
    *,
    sizes: Sizes | None = None,
    only: Sequence[Family] | None = None,
) -> Generated:
    """The tasks of a suite over `world`. Splits share no question and no text.

    Args:
        built: what the world was written from.
        mode: the world's own, see `worksmith.tools.kinds.crm.settings`.
        seed: decides everything, together with the world.
        sizes: by default what the world's scale can carry.
        only: the families to use; all by default.

    Raises:
        InputError: not one task fits the world.
        TruthError: the ways to find a truth differ.
        PlanError: a tool refuses a call of a gold plan.
    """
    sizes = sizes or Sizes.of_scale(world.manifest.scale or 1.0)
    wanted = {split: size for split, size in sizes.by_split().items() if size}
    org, env = OrgRecords(built), Environment(world, sandboxes=1)
    result = Generated()
    for each in FAMILIES if only is None else only:
        family = replace(each, industry=built.industry)
        writer = _Writer(family, mode, env)
        sampler = Sampler(family, org, mode, seed, wanted)
        for place in sampler.places():
            task = writer.fill(place, sampler, seed)
            if task is None:
                result.unfilled[family.name] = result.unfilled.get(family.name, 0) + 1
            else:
                result.tasks.append(task)
        result.drops[family.name] = sampler.drops
    if not result.tasks:
        raise InputError("no task fits this world", where="world", hint="build a larger one")
    result.tasks.sort(key=lambda task: (list(wanted).index(task.split), task.id))
    return result


class _Writer:
    def __init__(self, family: Family, mode: Mode, env: Environment) -> None:
        self._family = family
        self._mode: Mode = mode
        self._env = env
        self._texts: set[str] = set()
        self._numbers: Counter[Split] = Counter()

    def fill(self, place: Place, sampler: Sampler, seed: int) -> Task | None:
        """A task for a place; None if no question is left."""
        for _ in range(_REPLACEMENTS):
            question = sampler.take(place)
            if question is None:
                return None
            text = self._text(question, seed, sampler.drops)
            if text is not None:
                return self._task(place, question, text)
        return None

    def _text(self, question: Question, seed: int, drops: Counter[str]) -> str | None:
        """A new text that says what the question asks, with its ids and the form of the answer."""
        key = sorted(question.slots.items())
        random = rng(seed, "crm", self._family.name, "wording", *(f"{k}={v}" for k, v in key))
        expected = {name: question.slots[name] for name in self._family.worded}
        for _ in range(_WORDINGS):
            words = self._family.phrase(question, random)
            if self._family.parse(words) != expected:
                drops["wording says something else"] += 1
                continue
            shown = [f"{label}: {value}" for label, value in question.shown.items()]
            text = "\n".join([words, *shown, self._family.answer_format(self._mode)])
            if text not in self._texts:
                self._texts.add(text)
                return text
        drops["no new wording"] += 1
        return None

    def _task(self, place: Place, question: Question, text: str) -> Task:
        family = self._family
        gold, other = self._solve(question, by_queries=False), self._solve(question, by_queries=True)
        self._numbers[place.split] += 1
        return Task(
            id=f"crm-{family.code}-{place.split}-{self._numbers[place.split]:03}",
            query=text,
            context=family.context(self._mode),
            domains=tuple(dict.fromkeys(step.tool.partition(".")[0] for step in gold)),
            persona=self._env.persona(family.persona),
            now=_midnight(question),
            intent=family.name,
            slots=dict(question.slots),
            split=place.split,
            held_out_split=held_out_split(family.name),
            gold_plan=gold,
            other_plans=(other,),
            answer=_answer(question),
            must_read=question.must_read,
            origin={"system": "generated"},
        )

    def _solve(self, question: Question, *, by_queries: bool) -> tuple[Step, ...]:
        """The plan that finds the answer.

        Raises:
            TruthError: it finds another one.
        """
        episode = self._env.episode(
            ["query" if by_queries else "functions"],
            persona=self._env.persona(self._family.persona),
            now=_midnight(question),
        )
        recorder = PlanRecorder(episode, self._mode)
        program = self._family.solve_by_queries if by_queries else self._family.solve
        found = program(recorder, question)
        truth = None if question.answer is None else tuple(entity.value for entity in question.answer)
        if _sorted(found) != _sorted(truth):
            way = "queries" if by_queries else "functions"
            raise TruthError(f"{self._family.name} {dict(question.slots)}: {way} find {found}, not {truth}")
        return tuple(recorder.steps)


def _midnight(question: Question) -> datetime:
    return datetime.combine(question.today, time())


def _sorted(values: Values) -> list[str] | None:
    return sorted(values) if values else None


def _answer(question: Question) -> Answer:
    if question.answer is None:
        return Answer(kind="none", reference=question.reference)
    wanted = Answer(kind="entities", required=question.answer, reference=question.reference)
    # What has a reference is answered by a sentence.
    return wanted.model_copy(update={"wording": "sentence"}) if wanted.reference else wanted
