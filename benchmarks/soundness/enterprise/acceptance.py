"""What is asked of the tasks of an enterprise suite, counted."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

from benchmarks.soundness.enterprise.plans import CarriedOut, Plans
from worksmith.evals.kinds.enterprise.filling.query_texts import NEAR, similarity, trigrams
from worksmith.evals.kinds.enterprise.filling.quotas import Cell, cells, denied_places, step_counts
from worksmith.evals.scoring.answer_scorer import AnswerScorer, leaks
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Answer, Task
from worksmith.tools.persona import Persona
from worksmith.tools.seeding import rng

PUBLIC = frozenset({"employee_data", "social_platform", "overflow", "document", "llm"})
"""Toolkits of sources that everybody may read, and of none."""

DRAWS = 5
"""So many other people are drawn for each task."""


def quotas(tasks: list[Task], size: int) -> dict[str, Any]:
    """How many cells of the quota table have just as many tasks as they should, and the calls of plans."""
    found = Counter(Cell(t.area, t.subarea, t.type) for t in tasks if t.type)
    wanted = Counter(cells(size)) + Counter(slot.cell for slot in denied_places(size))
    calls = Counter(len(task.gold_plan or ()) for task in tasks)
    reasons = Counter(task.origin.get("denial") for task in tasks if task.type == "unanswerable")
    return {
        "tasks": len(tasks),
        "by_type": dict(Counter(task.type for task in tasks)),
        "cells": len(wanted),
        "cells_exact": sum(found[cell] == count for cell, count in wanted.items()),
        "cells_off": {
            f"{cell.area}/{cell.subarea}/{cell.type}": [found[cell], wanted[cell]]
            for cell in sorted(found.keys() | wanted.keys())
            if found[cell] != wanted[cell]
        },
        "calls": dict(sorted(calls.items())),
        "calls_exact": calls == step_counts(size),
        "calls_mean": _round(sum(steps * count for steps, count in calls.items()), calls.total()),
        "denials_exact": reasons == Counter(slot.denial for slot in denied_places(size)),
    }


def gold(plans: Plans, tasks: list[Task]) -> dict[str, Any]:
    """Whether each plan, carried out as the persona, finds the answer and leaves the state that is scored."""
    scorer = AnswerScorer(plans.env)
    wrong = [task for task in tasks if not _comes_out(plans, scorer, task)]
    return {
        "tasks": len(tasks),
        "reproduced": len(tasks) - len(wrong),
        "test_tasks": sum(task.split == "test" for task in tasks),
        "test_reproduced": sum(task.split == "test" for task in tasks if task not in wrong),
        "wrong": [task.id for task in wrong[:10]],
    }


def others(plans: Plans, tasks: list[Task], seed: int = 0) -> dict[str, Any]:
    """How often somebody else who carries out the same plan does not get answer and state.

    For every task that can be done and needs a source that is not open to all, people who work there are
    drawn at random, from all departments, and once more from departments other than the asker's. It counts
    as reproduced if the plan is nowhere denied, finds the same values, and changes the same.
    Answers that there is nothing are counted apart: to see nothing is what is left to who may not look.
    """
    scorer = AnswerScorer(plans.env)
    asked = [t for t in tasks if t.type != "unanswerable" and not set(t.domains) <= PUBLIC]
    telling = [task for task in asked if task.answer and task.answer.kind != "none"]
    nothing = [task for task in asked if task.answer and task.answer.kind == "none"]
    staff = [plans.env.persona(row["emp_id"]) for row in plans.facts.active]
    figures: dict[str, Any] = {"tasks": len(telling), "tasks_none": len(nothing), "draws_per_task": DRAWS}
    for name, elsewhere, chosen in (
        ("anybody", False, telling),
        ("other_department", True, telling),
        ("anybody_none", False, nothing),
    ):
        same: Counter[str] = Counter()
        for task in chosen:
            for other in _drawn(task, staff, seed, elsewhere=elsewhere):
                same[task.area] += _same(scorer, task, plans.carry_out(task, other))
        figures[f"{name}_cannot"] = _round(DRAWS * len(chosen) - same.total(), DRAWS * len(chosen))
        figures[f"{name}_reproduced"] = {area: count for area, count in sorted(same.items()) if count}
    return figures


def floors(suite: Suite) -> dict[str, float]:
    """The outcome of what needs no model, on the test split."""
    from worksmith.evals.running.baseline_program import BaselineProgram, baselines_for
    from worksmith.evals.running.runner import evaluate
    from worksmith.evals.running.settings import EvalSettings

    tasks = suite.select(split="test")
    return {
        name: round(
            evaluate(BaselineProgram(name, suite.env), tasks, EvalSettings(env=suite.env, workers=1))
            .summary.scores["outcome"]
            .value,
            4,
        )
        for name in baselines_for(suite.env)
    }


def unanswerable(plans: Plans, tasks: list[Task]) -> dict[str, Any]:
    """What a naive executor does for who may not, without the policy and with it.

    It carries out the plan of the allowed twin; with the policy also all its calls in spite of denials, with
    the twin's own arguments, which nobody else could know.
    """
    twins = {task.twin: task for task in tasks if task.split == "paired"}
    counts: Counter[str] = Counter()
    for task in tasks:
        twin = twins.get(task.id)
        if task.type != "unanswerable" or twin is None or task.persona is None or task.answer is None:
            continue
        # Who has left may do nothing under any rules: only the policy knows that they have.
        naive = plans.carry_out(twin, task.persona.model_copy(update={"active": True}), plans.without_policy)
        obedient, insisting = plans.carry_out(twin, task.persona), plans.insist(twin, task.persona)
        counts["tasks"] += 1
        counts["forbidding"] += bool(task.answer.forbidden)
        counts["asking_for_changes"] += bool(twin.expected)
        counts["disclosed_without_policy"] += _discloses(naive, task.answer)
        counts["changed_without_policy"] += bool(twin.expected) and not naive.episode.outcome().empty
        counts["disclosed_with_policy"] += _discloses(obedient, task.answer) or leaks(
            task, task.answer, insisting.result("denied")
        )
        counts["changed_with_policy"] += not obedient.episode.outcome().empty
        counts["done_with_policy"] += obedient.values is not None
    return dict(counts)


def near_duplicates(tasks: list[Task]) -> dict[str, Any]:
    """The share of questions of which another one says almost the same."""
    texts = [trigrams(task.query) for task in tasks]
    near = {
        place
        for (one, first), (other, second) in combinations(enumerate(texts), 2)
        if similarity(first, second) > NEAR
        for place in (one, other)
    }
    return {"questions": len(texts), "near_duplicate_share": _round(len(near), len(texts))}


def _comes_out(plans: Plans, scorer: AnswerScorer, task: Task) -> bool:
    assert task.persona is not None
    assert task.answer is not None
    done = plans.carry_out(task, task.persona)
    if task.type == "unanswerable":
        return done.denied == task.answer.rule and scorer(task, done.result("denied"))["outcome"] == 1
    return _same(scorer, task, done)


def _same(scorer: AnswerScorer, task: Task, done: CarriedOut) -> bool:
    """Whether a plan came to the values and the state that the task is scored by."""
    if done.values is None or task.answer is None:
        return False
    if sorted(done.values) != sorted(entity.value for entity in task.answer.required):
        return False
    return scorer(task, done.result(task.answer.status))["outcome"] == 1


def _drawn(task: Task, staff: list[Persona], seed: int, *, elsewhere: bool) -> list[Persona]:
    assert task.persona is not None
    mine = task.persona
    able = [p for p in staff if p.id != mine.id and not (elsewhere and p.department == mine.department)]
    return rng(seed, "others", task.id, elsewhere).sample(able, DRAWS)


def _discloses(done: CarriedOut, answer: Answer) -> bool:
    return any(done.told(value) for value in answer.forbidden)


def _round(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 0.0
