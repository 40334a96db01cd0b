"""Scoring by outcome: whether an agent left the world as the task wants it.

The expected calls are executed by the same tools as the agent's, and the two outcomes are compared; the way
there does not matter. Order and generated ids of new rows do not count; the original benchmark compares them
too, but none of its recorded verdicts depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from worksmith.evals.scoring.actions import (
    Call,
    UnreadableActionError,
    action_name,
    format_action,
    parse_action,
)
from worksmith.evals.scoring.answers.values import says_all
from worksmith.evals.scoring.hidden_tests.checking import same_but_code
from worksmith.evals.tasks.task import Action, Task
from worksmith.tools.environment import Environment
from worksmith.tools.persona import Persona
from worksmith.tools.sqlite.outcome import Outcome

GroundTruth = Literal["published", "corrected"]

_Work = tuple[Persona | None, datetime | None, tuple[str, ...]]
"""Persona, time and calls; equal work is done once."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on an outcome.

    Attributes:
        correct: the outcome is an accepted one, with the required texts, of a run without an error.
        unwanted_side_effects: something changed, and not as the task wants it.
    """

    correct: bool
    unwanted_side_effects: bool


@dataclass(frozen=True, slots=True)
class PlanEffect:
    """The effect of a list of actions.

    Attributes:
        malformed: an action would have changed the shape of a table; no accepted outcome does.
    """

    outcome: Outcome
    malformed: bool = False


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expectation of a task.

    Attributes:
        outcomes: each of them counts as right.
        texts: the published calls in the notation of predictions.
        folded: the same, sorted and in lower case, as exact match compares them.
        actions: the number of calls of the right answer; of the first, if there are several.
    """

    outcomes: tuple[Outcome, ...]
    texts: tuple[str, ...]
    folded: tuple[str, ...]
    actions: int


class OutcomeScorer:
    """Judges outcomes against what tasks expect. Thread-safe; expected outcomes are computed once.

    Args:
        ground_truth: `published` takes each task's expected calls as they are; `corrected` replaces
            answers that contradict their task and accepts the alternatives of ambiguous ones.

    Attributes:
        writing_tools: names of the tools that change the world.
    """

    def __init__(self, env: Environment, ground_truth: GroundTruth = "published") -> None:
        self.ground_truth = ground_truth
        self.env = env
        toolset = env.episode(rehearsal=True).toolset
        self.writing_tools = frozenset(name for name, tool in toolset.items() if tool.writes)
        self._free = {table.name: table.free for table in env.kind.tables if table.free}
        self._executed: dict[_Work, PlanEffect] = {}
        self._expected: dict[str, Expectation] = {}

    def expectation(self, task: Task) -> Expectation:
        """The expectation of the task, computed once for each task."""
        found = self._expected.get(task.id)
        if found is None:
            found = self._expected[task.id] = self._expectation(task)
        return found

    def judge(
        self, task: Task, outcome: Outcome, *, failed: bool = False, malformed: bool = False
    ) -> Verdict:
        """The verdict on an outcome.

        Args:
            failed: the run ended in an error, so it is not correct; reaching the right state is not a side
                effect either.
            malformed: the outcome cannot show all changes (see `PlanEffect`).

        Raises:
            SandboxError: code cannot be tested here; see `worksmith.evals.scoring.hidden_tests`.
        """
        if malformed:
            return Verdict(correct=False, unwanted_side_effects=True)
        right = any(_accepted(task, outcome, one) for one in self.expectation(task).outcomes)
        right = right and (not task.mentions or says_all(self._written(outcome), task.mentions))
        return Verdict(correct=right and not failed, unwanted_side_effects=not outcome.empty and not right)

    def nearest(self, task: Task, outcome: Outcome) -> Outcome:
        """Of the accepted outcomes, the one that has most changes in common with `outcome`."""
        made = set(outcome.key)
        return max(self.expectation(task).outcomes, key=lambda accepted: len(made & set(accepted.key)))

    def execute(self, actions: Sequence[str], task: Task | None = None) -> PlanEffect:
        """Execute actions written as text; unreadable, failing and reading ones change nothing.

        Args:
            task: its persona makes the calls at its time; None for the world's own.
        """
        writing = self.writing(actions)
        persona, now = (task.persona, task.now) if task else (None, None)
        found = self._executed.get((persona, now, writing))
        if found is None:
            found = self._execute(_readable(writing), persona, now)
            self._executed[persona, now, writing] = found
        return found

    def changed_a_table(self, tool: str, observation: str) -> bool:
        """Whether the call changes the shape of a table in the published benchmark.

        Our tool refuses it and changes nothing. On the published tasks the published verdict stands;
        elsewhere a refused call is not a side effect.
        """
        known = self.env.kind.table_changes.get(self.env.world.manifest.origin)
        return (tool, observation) == known

    def writing(self, actions: Sequence[str]) -> tuple[str, ...]:
        """The actions whose tool changes the world."""
        return tuple(action for action in actions if action_name(action) in self.writing_tools)

    def exact_match(self, task: Task, actions: Sequence[str]) -> bool:
        """Whether the writing actions, as texts in any order and letter case, are the expected ones."""
        found = (action.replace("\n", "\\n").lower() for action in self.writing(actions))
        return tuple(sorted(found)) == self.expectation(task).folded

    def _expectation(self, task: Task) -> Expectation:
        answers = accepted_actions(task, self.ground_truth)
        texts = _as_texts(task.expected)
        return Expectation(
            # Executed from their texts, so that a run with the very same calls finds them done already.
            outcomes=tuple(self.execute(_as_texts(answer), task).outcome for answer in answers),
            texts=texts,
            folded=tuple(sorted(text.lower() for text in texts)),
            actions=len(answers[0]),
        )

    def _written(self, outcome: Outcome) -> str:
        """The free text of all rows that are new or changed."""
        cells = (
            cell
            for change in outcome.changes
            for column, cell in change.after.items()
            if isinstance(cell, str) and column in self._free.get(change.table, ())
        )
        return "\n".join(cells)

    def _execute(self, calls: Sequence[Call], persona: Persona | None, now: datetime | None) -> PlanEffect:
        episode = self.env.episode(persona=persona, now=now, rehearsal=True)
        if not calls:
            return PlanEffect(episode.outcome())
        observations = episode.call_all(calls)
        malformed = any(
            self.changed_a_table(name, observation.text)
            for (name, _), observation in zip(calls, observations, strict=True)
        )
        return PlanEffect(episode.outcome(), malformed)


def accepted_actions(task: Task, ground_truth: GroundTruth) -> tuple[tuple[Action, ...], ...]:
    """The sets of writing calls that count as right answers."""
    if ground_truth == "published":
        return (task.expected,)
    main = task.expected if task.corrected is None else task.corrected
    return (main, *task.alternatives)


def _accepted(task: Task, outcome: Outcome, accepted: Outcome) -> bool:
    if outcome.matches(accepted):
        return True
    return task.hidden_tests is not None and same_but_code(outcome, accepted, task.hidden_tests)


def _as_texts(actions: Iterable[Action]) -> tuple[str, ...]:
    """Expected calls in the notation of predictions."""
    return tuple(format_action(action.tool, action.arguments) for action in actions)


def _readable(actions: Iterable[str]) -> list[Call]:
    calls = []
    for action in actions:
        try:
            calls.append(parse_action(action))
        except UnreadableActionError:
            continue
    return calls
