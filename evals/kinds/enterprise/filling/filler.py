"""Filling places with tasks: goals are drawn, solved and checked until one fits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.evals.kinds.enterprise.filling import denials
from worksmith.evals.kinds.enterprise.filling.claims import Claims, claimed
from worksmith.evals.kinds.enterprise.filling.query_texts import Texts, query_text
from worksmith.evals.kinds.enterprise.filling.quotas import Place, wanted_tasks
from worksmith.evals.kinds.enterprise.filling.refused import refuse
from worksmith.evals.kinds.enterprise.filling.solved import Solved, solve, tools_of
from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, UnfitError, attempt
from worksmith.evals.kinds.enterprise.goals.goal import Goal
from worksmith.evals.tasks.task import Difficulty, Split, Task, TaskType
from worksmith.tools.access.access_policy import AccessPolicy
from worksmith.tools.environment import Environment
from worksmith.tools.seeding import digest, rng

_DRAWS = 60
"""So often a goal is drawn for one place before another goal is tried."""

_SWAPS = 40
"""So many people are tried as the one who is denied."""

_ROUNDS = 8
"""The draws of a goal for a persona who is denied it."""

_EASY = 2
"""The most steps of an easy task."""

_HELD_OUT: tuple[tuple[int, Split], ...] = ((12, "train"), (15, "dev"), (20, "test"))
"""When whole goals are held out, these parts of twenty go to each split."""


class Filler:
    """Makes the tasks of one suite, one after the other.

    Attributes:
        unfit: for each goal, why draws of it were not accepted, and how often; to be looked at when a goal
            does not come out.
    """

    def __init__(
        self, env: Environment, facts: Facts, seed: int, claims: Claims, goals: tuple[Goal, ...]
    ) -> None:
        self.goals = goals
        self.unfit: dict[str, Counter[str]] = defaultdict(Counter)
        self._env = env
        self._facts = facts
        self._seed = seed
        self._claims = claims
        self._texts = Texts()
        self._taken: Counter[tuple[Split, str]] = Counter()
        self._denied: Counter[Split] = Counter()
        self._tried: Counter[tuple[Split, str]] = Counter()
        self._pools: dict[tuple[object, ...], list[Record]] = {}
        self._used: Counter[tuple[Split, str]] = Counter()

    def fill(self, split: Split, place: Place) -> Task | None:
        """A task for this place; None if the world has none."""
        cell = place.cell
        here = [g for g in self.goals if (g.area, g.subarea, g.type) == (cell.area, cell.subarea, cell.type)]
        exact = [g for g in here if g.steps == place.steps]
        able = [g for g in exact if g.empty] if place.empty else exact
        # First what the place asks for, then the same without its special wish, then any number of steps.
        rounds = [(able, place.empty), (exact, False), (here, False)]
        for chosen, empty in rounds:
            for goal in self._in_turn(split, chosen):
                solved = self._solved(split, goal, empty=empty)
                if solved is not None:
                    self._used.update((split, step.tool) for step in solved.steps)
                    return self._task(split, solved)
        return None

    def denied(self, split: Split, place: Place) -> list[Task]:
        """A task that its persona may not do, with the allowed twin of one in the test split."""
        cell = place.cell
        kind: TaskType = "crud" if place.writes else "search"
        chosen = [
            goal
            for goal in self.goals
            if (goal.area, goal.subarea, goal.type) == (cell.area, cell.subarea, kind)
            and place.denial in goal.denials
        ]
        self._denied[split] += 1
        late = self._denied[split] % 2 == 0
        # Every second one is denied only after something was served, if any goal comes out so.
        for wish in (True, False) if late else (False,):
            for goal in self._in_turn(split, chosen):
                found = self._denied_task(split, place, goal, late=wish)
                if found:
                    return found
        return []

    def _denied_task(self, split: Split, place: Place, goal: Goal, *, late: bool) -> list[Task]:
        if late and goal.steps == 1:
            return []
        for _ in range(_ROUNDS):
            solved = self._solved(split, goal, empty=False)
            found = self._swapped(split, place, solved, late=late) if solved else None
            if solved is None or found:
                return found or []
        return []

    def _solved(self, split: Split, goal: Goal, *, empty: bool) -> Solved | None:
        """A checked draw of a goal that fits the split."""
        pool = self._pool(split, goal)
        if not pool:
            return None
        self._tried[split, goal.id] += 1
        random = rng(self._seed, "enterprise", split, goal.id, self._tried[split, goal.id])
        for _ in range(_DRAWS):
            ctx = DrawContext(
                facts=self._facts,
                rng=random,
                me=random.choice(pool),
                empty=empty,
                free=lambda ref: self._claims.free(split, ref),
            )
            draw = attempt(goal.draw, ctx)
            if draw is None or not self._claims.all_free(split, draw.about):
                continue
            phrasing, query = query_text(goal.wording.phrasings[split], draw, ctx.me, random)
            if ctx.me["name"] in query or not self._texts.new(split, goal, query):
                continue
            try:
                solved = solve(goal, draw, query, phrasing, ctx.me, self._env, self._facts)
            except UnfitError as why:
                self.unfit[goal.id][str(why)] += 1
                continue
            if self._claims.all_free(split, claimed(draw.about, solved.picked)):
                return solved
        return None

    def _pool(self, split: Split, goal: Goal) -> list[Record]:
        """The personas of a split who may ask a goal."""
        key = (split, goal.departments, goal.levels, goal.needs, goal.who)
        found = self._pools.get(key)
        if found is None:
            found = self._pools[key] = [
                row
                for row in self._claims.personas(split)
                if row["emp_id"] in self._active
                and (not goal.departments or row["department"] in goal.departments)
                and (not goal.levels or row["level"] in goal.levels)
                and self._may(row, goal.needs)
                and (goal.who is None or goal.who(self._facts, row))
            ]
        return found

    @cached_property
    def _active(self) -> frozenset[str]:
        return frozenset(row["emp_id"] for row in self._facts.active)

    def _may(self, row: Record, needs: Iterable[tuple[str, str]]) -> bool:
        persona = self._env.persona(row["emp_id"])
        policy = self._env.policy
        assert isinstance(policy, AccessPolicy)
        return all(policy.possible(persona, source, operation).allow for operation, source in needs)

    def _in_turn(self, split: Split, goals: Sequence[Goal]) -> list[Goal]:
        """The goal whose tools are wanted most comes first, then the one used least."""
        return sorted(
            goals,
            key=lambda goal: (
                *self._wanting(split, goal),
                self._taken[split, goal.id],
                digest([self._seed, goal.id]),
            ),
        )

    def _wanting(self, split: Split, goal: Goal) -> tuple[float, float]:
        """How much the tools of a goal are wanted, as negative numbers: published ones, then added ones."""
        lack = [0.0, 0.0]
        for tool in sorted(self._wanted[goal.id]):
            wanted, added = wanted_tasks(tool)
            lack[added] -= max(0, wanted - self._used[split, tool]) / self._offers[tool] ** 0.5
        return lack[0], lack[1]

    @cached_property
    def _offers(self) -> Counter[str]:
        """How many goals use a tool that is wanted."""
        return Counter(tool for tools in self._wanted.values() for tool in tools)

    @cached_property
    def _wanted(self) -> dict[str, frozenset[str]]:
        """The tools of each goal that it names, and with which it changes something, as a draw of it says."""
        return {goal.id: frozenset(goal.uses) | self._changes(goal) for goal in self.goals}

    def _changes(self, goal: Goal) -> frozenset[str]:
        random = rng(self._seed, "enterprise", "changes", goal.id)
        pool = self._pool(next(iter(self._claims.splits)), goal) if goal.type == "crud" else []
        for _ in range(_DRAWS if pool else 0):
            ctx = DrawContext(self._facts, random, random.choice(pool), empty=False, free=bool)
            if (drawn := attempt(goal.draw, ctx)) is not None:
                return frozenset(act.tool for act in drawn.actions)
        return frozenset()

    def _swapped(self, split: Split, place: Place, solved: Solved, *, late: bool) -> list[Task] | None:
        """The solved draw given to a denied persona, and itself as the twin."""
        pool = denials.to_deny(place.denial, self._facts, solved.me, solved.draw.subject)
        here = {row["emp_id"] for row in self._claims.personas(split)}
        pool = [row for row in pool if row["emp_id"] in here]
        if place.denial != "left_company":
            rng(self._seed, "enterprise", "denied", solved.query).shuffle(pool)
        for row in pool[:_SWAPS]:
            said = self._in_the_mouth_of(row, split, solved)
            refused = said and refuse(said, row, place.denial, self._env, self._facts)
            if not refused or (late and len(refused.steps) == 1):
                continue
            task = self._task(split, solved)
            self._texts.add(split, solved.goal, refused.solved.query)
            number = task.id.rpartition(".")[2]
            name = f"{solved.goal.id}.denied.{split}.{number}"
            denied = refused.task(
                name, split, area=place.cell.area, subarea=place.cell.subarea, reason=place.denial
            ).model_copy(
                update={"difficulty": _difficulty(len(refused.steps)), "held_out_split": task.held_out_split}
            )
            if split != "test":
                return [denied]
            twin = task.model_copy(
                update={"split": "paired", "held_out_split": "paired", "id": f"{name}.twin", "twin": name}
            )
            return [denied.model_copy(update={"twin": twin.id}), twin]
        return None

    def _in_the_mouth_of(self, row: Record, split: Split, solved: Solved) -> Solved | None:
        """The same in the words of another persona, who does not use their own name."""
        if row["name"] not in solved.query:
            return solved
        own = solved.goal.wording.own.get(split)
        if own is None or row["emp_id"] != solved.draw.subject:
            return None
        random = rng(self._seed, "enterprise", "own", solved.query)
        phrasing, query = query_text(own, solved.draw, row, random)
        if not self._texts.new(split, solved.goal, query):
            return None
        return replace(solved, phrasing=phrasing, query=query)

    def _task(self, split: Split, solved: Solved) -> Task:
        goal = solved.goal
        self._taken[split, goal.id] += 1
        self._claims.take(split, claimed(solved.draw.about, solved.picked))
        self._texts.add(split, goal, solved.query)
        return Task(
            id=f"{goal.id}.{split}.{self._taken[split, goal.id]:03}",
            query=solved.query,
            domains=tools_of(solved.steps),
            area=goal.area,
            subarea=goal.subarea,
            type=goal.type,
            difficulty=_difficulty(len(solved.steps)),
            persona=self._env.persona(solved.me["emp_id"]),
            intent=goal.id,
            slots=dict(solved.draw.slots),
            phrasing=solved.phrasing,
            split=split,
            held_out_split=_held_out(goal),
            gold_plan=solved.steps,
            expected=solved.writes,
            answer=solved.answer,
            must_read=tuple(solved.read),
            mentions=solved.draw.mentions,
            hidden_tests=solved.draw.hidden_tests,
            origin={"system": "generated"},
        )


def _difficulty(steps: int) -> Difficulty:
    return "easy" if steps <= _EASY else "hard"


def _held_out(goal: Goal) -> Split:
    place = int(digest(["held out", goal.id]), 16) % 20
    return next(split for limit, split in _HELD_OUT if place < limit)
