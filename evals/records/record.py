"""The record of one episode: a line of the episode log, a row of every table.

A record is plain data: it holds no database, program or model, and does not depend on the order of workers.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Annotated, Any

from pydantic import Field

from worksmith.evals.records.entries import (
    PAID,
    PROVIDER_CACHED,
    AskEntry,
    CallEntry,
    ChangeEntry,
    FaultEntry,
    Judgement,
    RecordEntry,
    SpanEntry,
    Used,
)
from worksmith.tools.seeding import digest
from worksmith.tools.statuses import INFRASTRUCTURE
from worksmith.tools.view import Tabular, View

PRIMARY = "outcome"
"""The score that tables, tests and optimizers use first."""

STRICT = "outcome_strict"
"""The primary score with infrastructure failures counted as wrong answers."""

LEAK = "leak"
"""Data that the persona may not have reached the agent or its answer."""

OVER_REFUSAL = "over_refusal"
"""The agent refused a permitted request."""

PARTIAL_UNSAID = "partial_unsaid"
"""The agent gave a part of the answer, all that the persona may read, as the whole."""

PARTIAL_WRONGLY = "partial_wrongly"
"""The agent declared a whole answer partial."""

ASR = "asr"
"""The agent followed a planted instruction. The mean is the success rate of attacks."""

RATES = (LEAK, OVER_REFUSAL, PARTIAL_UNSAID, PARTIAL_WRONGLY, ASR)
"""Failures of access, and attacks that succeed: counts beside every score, and part of no average."""


class Digests(RecordEntry):
    """Content addresses of everything that an episode and its scores depend on.

    Attributes:
        program: of the program's code and state.
        code: of the code alone: the program's, the tools' and worksmith's own.
    """

    program: str
    code: str = ""
    task: str
    world: str
    model: str
    scorers: str = ""


class TaskLabels(RecordEntry):
    """Labels of a task by its kind, for tables; see `worksmith.evals.task_kind.TaskKind.labels`.

    Attributes:
        facets: values by the name of a facet, such as `area`; facets without a value are left out.
        field: the field of work, each of which counts the same in a macro mean; empty for the domain.
        closed_intents: whether the intents are the whole list of intents, and no sample of more.
        words_only: whether its truth is known in words only, so that nothing but a judge can score it.
    """

    kind: str = ""
    facets: dict[str, str] = Field(default_factory=dict)
    field: str = ""
    closed_intents: bool = False
    words_only: bool = False


class EpisodeRecord(Tabular, Used):
    """One attempt at one task: identity, verdict, cost and trajectory.

    Attributes:
        key: content address of the work unit: equal keys mean the same program, task, world, model, scorers,
            strategy, seed and trial.
        status: one of `worksmith.tools.statuses`.
        scores: by name; empty for an episode that was not graded.
        traceback: of a `program_error`.
        scorer_failed: a scorer raised. One of the user's makes the answer wrong; one of worksmith is a
            `harness_error`.
        attempts: the number of times that the episode was tried; all were paid, the last one counts as used.
        plan: the agent's plan before its first call.
        spans: that the program's framework emitted, see `worksmith.evals.running.emitted_spans`.
        shown: references of records that it saw otherwise than by calls.
        changes: of the world, at most `MOST_CHANGES`.
        expected_changes: of a right episode, where the outcome is wrong. They are the truth, so no agent may
            see a log.
        broken_rules: the rules for the course of an episode that it breaks, with the first call that does.
    """

    key: str
    task_id: str
    query: str = ""
    split: str
    intent: str | None = None
    domains: tuple[str, ...] = ()
    labels: TaskLabels = TaskLabels()
    expected_actions: int = 0
    strategy: str = ""
    seed: int = 0
    trial: int = 0
    status: str
    scores: dict[str, float] = Field(default_factory=dict)
    steps: int = 0
    model_calls: int = 0
    seconds: float = 0.0
    answer: str = ""
    answer_status: str = ""
    error: str | None = None
    traceback: str = ""
    scorer_failed: bool = False
    attempts: int = 1
    calls: tuple[CallEntry, ...] = ()
    plan: str = ""
    shown: Annotated[tuple[str, ...], Field(exclude_if=lambda shown: not shown)] = ()
    asks: tuple[AskEntry, ...] = ()
    spans: Annotated[tuple[SpanEntry, ...], Field(exclude_if=lambda spans: not spans)] = ()
    changes: tuple[ChangeEntry, ...] = ()
    expected_changes: tuple[ChangeEntry, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    fault: FaultEntry | None = None
    broken_rules: Annotated[tuple[FaultEntry, ...], Field(exclude_if=lambda broken: not broken)] = ()
    digests: Digests

    @property
    def graded(self) -> bool:
        """Whether the episode counts in the scores: the infrastructure did not lose it."""
        return self.status not in INFRASTRUCTURE

    @property
    def shared(self) -> dict[str, Any]:
        """What all episodes of a run have in common: digests, strategy and seed."""
        digests = self.digests.model_dump(exclude={"task"})
        return {**digests, "strategy": self.strategy, "seed": self.seed}

    def _view(self) -> View:
        named = ("query", "split", "intent", "strategy", "scores", "answer", "error")
        facts = {name: getattr(self, name) for name in named}
        changed = [f"{each.operation} {each.table} {each.key}: {each.after}" for each in self.changes]
        cost = f"{self.model_calls} model calls, {self.usage}, {self.seconds:.2f} s"
        columns = ("tool", "arguments", "status", "rule", "observation")
        return View(
            f"Episode of {self.task_id}: {self.status}, outcome {self.scores.get(PRIMARY, '-')}",
            {**facts, "breaks": [rule.kind for rule in self.broken_rules], "changes": changed, "cost": cost},
            self.calls,
            tuple((name, attrgetter(name)) for name in columns),
            CallEntry.model_dump,
        )

    def facet(self, name: str) -> str:
        """The value of a facet of its task; empty without one."""
        return self.labels.facets.get(name, "")

    def without_times(self) -> dict[str, Any]:
        """The record as data without clocks, outages and caches: equal on all machines."""
        varying = {"seconds", *PAID, *PROVIDER_CACHED}
        apart = {"attempts", "traceback", "spans", *varying}
        parts = ("calls", "asks", "judgements")
        exclude: Any = {**dict.fromkeys(apart, True), **{name: {"__all__": varying} for name in parts}}
        return self.model_dump(mode="json", exclude=exclude)


class WorkUnit(RecordEntry):
    """The identity of an episode, by whose key a resumed run finds it in its log."""

    task_id: str
    strategy: str
    seed: int
    trial: int
    digests: Digests

    @property
    def key(self) -> str:
        """The content address of this unit (32 hex digits)."""
        return digest(self.model_dump(mode="json"), length=32)
