"""One draw of a goal, solved through the tools and checked against the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worksmith.evals.authoring.value_forms import tells
from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, UnfitError
from worksmith.evals.kinds.enterprise.goals.goal import Goal, Values
from worksmith.evals.kinds.enterprise.goals.plan_recorder import DeniedError, PlanRecorder
from worksmith.evals.tasks.task import Action, Answer, Step
from worksmith.tools.environment import Environment
from worksmith.tools.persona import Persona

FEWEST = 2

_ALIKE = {
    "employees": ("department", "level", "reports_to"),
    "conversations": ("sender_emp_id", "recipient_emp_id", "category"),
    "mail": ("sender_emp_id", "recipient_emp_id", "category"),
    "repositories": ("repo_name", "emp_id", "license"),
    "issues": ("repo_name", "status", "emp_id"),
    "tickets": ("category", "priority", "emp_id"),
    "products": ("category", "rating"),
    "customers": ("region",),
    "sales": ("product_id", "customer_id"),
    "sentiments": ("product_id", "customer_id"),
    "support_chats": ("product_id", "customer_id", "emp_id"),
    "orders": ("kind",),
    "overflow": ("post_type",),
    "posts": ("emp_id", "date"),
    "policies": ("policy_id",),
    "clients": ("industry", "emp_id"),
    "vendors": ("industry", "emp_id"),
    "resumes": ("category",),
}
"""The columns in which records of a source are easily mistaken for each other."""


def near_misses(facts: Facts, ref: str) -> int:
    """How many other records share something with this one; counted only as far as it matters."""
    source = ref.partition("/")[0]
    row = facts.at(ref)
    if row is None:
        return 0
    found = 0
    for column in _ALIKE[source]:
        found += len(facts.where(source, **{column: row[column]})) - 1
        if found >= FEWEST:
            break
    return found


_MOST_VALUES = 8


@dataclass(frozen=True)
class Solved:
    """A draw that makes a task: the request, the plan, and the found answer.

    Attributes:
        steps: the gold plan.
        writes: its changing calls.
        read: the records it needs.
        picked: those of them that no other split may have.
    """

    goal: Goal
    draw: Draw
    query: str
    phrasing: int
    me: Record
    steps: tuple[Step, ...]
    writes: tuple[Action, ...]
    read: tuple[str, ...]
    picked: tuple[str, ...]
    answer: Answer


def solve(
    goal: Goal, draw: Draw, query: str, phrasing: int, me: Record, env: Environment, facts: Facts
) -> Solved:
    """The task of a draw, with its gold plan executed.

    Raises:
        UnfitError: it cannot be asked; the message has the reason.
    """
    if draw.answer and all(tells(query, entity.value) for entity in draw.answer):
        raise UnfitError("the question tells the answer")
    persona = env.persona(me["emp_id"])
    episode = env.episode(persona=persona)
    script = PlanRecorder(episode, facts, query)
    try:
        values = goal.solve(draw.slots, script)
    except DeniedError as denial:
        raise UnfitError(str(denial)) from None
    script.answered(values)
    _check(goal, draw, script, values)
    _check_distractors(script, facts)
    _check_readings(goal, draw, query, persona, env, facts)
    if draw.actions and episode.outcome().empty:
        raise UnfitError("nothing changes")
    return Solved(
        goal=goal,
        draw=draw,
        query=query,
        phrasing=phrasing,
        me=me,
        steps=tuple(script.steps),
        writes=script.writes(),
        read=tuple(script.read_refs),
        picked=tuple(script.picked),
        answer=_answer(goal, draw),
    )


def tools_of(steps: Sequence[Step]) -> tuple[str, ...]:
    """The toolkits of a plan, in the order of their first use."""
    return tuple(dict.fromkeys(step.tool.partition(".")[0] for step in steps))


def _check(goal: Goal, draw: Draw, script: PlanRecorder, values: Values) -> None:
    """Whether the plan has the right length, needs each step, and found the truth."""
    truth = sorted(entity.value for entity in draw.answer)
    if sorted(values) != truth:
        raise UnfitError(f"the plan finds {values}, the truth is {truth}")
    if _as_set(script.writes()) != _as_set(draw.actions):
        raise UnfitError(f"the plan does {script.writes()}, asked is {draw.actions}")
    if len(script.steps) != goal.steps or len(values) > _MOST_VALUES:
        raise UnfitError(f"{len(script.steps)} steps, {len(values)} values")
    if idle := set(range(len(script.steps))) - script.used:
        raise UnfitError(f"steps {sorted(idle)} matter to nothing")
    told = " ".join(value for act in draw.actions for value in act.arguments.values())
    if missing := [mention for mention in draw.mentions if mention not in told]:
        raise UnfitError(f"nothing mentions {missing}")


def _check_readings(
    goal: Goal, draw: Draw, query: str, persona: Persona, env: Environment, facts: Facts
) -> None:
    """Whether all readings of the text give the same answer; one without an answer does not count."""
    for read in goal.readings:
        script = PlanRecorder(env.episode(persona=persona), facts, query)
        try:
            values = read(draw.slots, script)
        except (UnfitError, DeniedError):
            continue
        truth = sorted(entity.value for entity in draw.answer)
        if sorted(values) != truth or _as_set(script.writes()) != _as_set(draw.actions):
            raise UnfitError(f"another reading finds {values}, the truth is {truth}")


def _as_set(actions: Sequence[Action]) -> set[tuple[str, tuple[tuple[str, str], ...]]]:
    return {(act.tool, tuple(sorted(act.arguments.items()))) for act in actions}


def _check_distractors(script: PlanRecorder, facts: Facts) -> None:
    """Whether each record picked out could be mistaken for others."""
    for ref in script.picked:
        if near_misses(facts, ref) < FEWEST:
            raise UnfitError(f"nothing is like {ref}")


def _answer(goal: Goal, draw: Draw) -> Answer:
    values = [entity.value for entity in draw.answer]
    if draw.nothing:
        return Answer(kind="none", reference=goal.wording.empty.format_map(draw.slots))
    if not values:
        return Answer(kind="done", reference=goal.wording.says.format_map(draw.slots))
    reference = goal.wording.says.format(*values, **{**draw.slots, "all": ", ".join(values)})
    return Answer(kind="entities", required=draw.answer, reference=reference)
