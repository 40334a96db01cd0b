"""Demonstrations: whole trajectories of a teacher, with their origin and the records that they quote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field

from worksmith.evals.dspy_programs.demo_format import (
    NOTES,
    DemoNotes,
    ExampleFields,
    calls_in,
    public_form,
    without_notes,
)
from worksmith.evals.dspy_programs.field_texts import plain
from worksmith.evals.scoring.path_scores import records_seen
from worksmith.evals.tasks.repeats import request
from worksmith.tools.seeding import digest, rng

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.dspy_programs.traces import TraceStep
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode_result import EpisodeResult

TRAJECTORY: Final = "trajectory"
"""The input that has the steps before a call."""


class Call(NamedTuple):
    """The fields of a predictor's call in an episode."""

    inputs: dict[str, Any]
    outputs: dict[str, Any]

    @property
    def fields(self) -> dict[str, Any]:
        """Inputs and outputs together, as an example holds them."""
        return {**self.inputs, **self.outputs}


class Provenance(BaseModel):
    """Where a trajectory of a built bank comes from.

    Attributes:
        source: as it was named, e.g. `gold`, `log:react.jsonl` or `replay:results`.
        world: digest of the world that it was run in; it makes a task's id unique.
        run: of the source, e.g. a run's label or its id in MLflow; empty if a model was asked.
        episode: the record's key, or the file and row, in that run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    world: str = ""
    run: str = ""
    episode: str = ""


class Demonstration(BaseModel):
    """One teacher's trajectory, as the example that each predictor of the program shows.

    Attributes:
        request: content address of `worksmith.evals.tasks.repeats.request`; empty if unknown.
        tools: the tools called, in order.
        records: references (`source/key`) of the records that it quotes. It is not shown to a persona that
            may not read one of them.
        scores: of the teacher's episode.
        teacher: name of the model that produced it.
        parts: for each predictor's name, the fields of one call in the episode, see `example_calls`.
        provenance: None if a compile ran its own teacher.
        step: which step of the trajectory it shows, from 0; None for all of it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task_id: str
    query: str
    request: str = Field("", exclude_if=lambda request: not request)
    intent: str | None = None
    domains: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    scores: dict[str, float] = {}
    teacher: str
    parts: dict[str, ExampleFields]
    provenance: Provenance | None = None
    step: int | None = None

    @classmethod
    def of(cls, task: Task, **attributes: Any) -> Self:
        return cls(
            task_id=task.id,
            query=task.query,
            request=digest(request(task)),
            intent=task.intent,
            domains=task.domains,
            **attributes,
        )

    @cached_property
    def key(self) -> str:
        return digest(self.model_dump(mode="json"))

    @property
    def name(self) -> str:
        """Its name in a bank: the task, and after a `#` the step where it shows one alone."""
        return self.task_id if self.step is None else f"{self.task_id}#{self.step}"

    def example(self, predictor: str) -> dspy.Example | None:
        """The example for one predictor, as stock bootstrapping would store it; None if it was not called.

        It carries the records that it quotes, so that a program can keep it from personas that may not read
        them. From a prebuilt bank it also carries its task, so that this task is never shown it.
        """
        import dspy

        part = self.parts.get(predictor)
        if part is None:
            return None
        notes = DemoNotes.of(part) if NOTES in part else DemoNotes(self.records)
        return dspy.Example({"augmented": True, **part, **replace(notes, solves=self.solves).to_fields()})

    @property
    def way(self) -> tuple[str, ...]:
        """The tools called in its public form."""
        if not self.records:
            return self.tools
        made = (calls_in(public_form(part)) for part in self.parts.values())
        return tuple(tool for tool, _ in max(made, key=len, default=[]))

    @property
    def solves(self) -> str:
        """The task that it solves, in its world; empty if the world is not known."""
        world = self.provenance.world if self.provenance else ""
        return f"{world}/{self.task_id}" if world else ""


def example_calls(program: dspy.Module, trace: Iterable[TraceStep], seed: int, task: str) -> dict[str, Call]:
    """A call of each predictor in `trace`, as plain data, by the predictor's name.

    Of several calls it is as likely the last one as one before, drawn by the seed and the task: a loop must
        see its early steps too. A last call that has all steps before it among its inputs shows them itself.
    """
    names = _names(program)
    calls: dict[str, list[Call]] = {}
    for predictor, inputs, outputs in trace:
        name = names.get(id(predictor)) or names.get(predictor.stage)
        if name is not None:
            # `dspy.Refine` adds a hint, and a program may give more than the signature asks for.
            strange = without_notes(inputs).keys() - predictor.signature.input_fields.keys()
            shown = {field: value for field, value in inputs.items() if field not in strange}
            calls.setdefault(name, []).append(Call(shown, outputs.toDict()))
    drawn = {name: _drawn(calls[name], seed, task, name) for name in names.values() if name in calls}
    return {name: Call(*map(_plain, call)) for name, call in drawn.items()}


def _names(program: dspy.Module) -> dict[Any, str]:
    """The names of predictors by their identity, and by the mark that copies share where no two have one."""
    found = program.named_predictors()
    marks = Counter(predictor.stage for _, predictor in found)
    marked = {predictor.stage: name for name, predictor in found if marks[predictor.stage] == 1}
    return {**{id(predictor): name for name, predictor in found}, **marked}


def _drawn(calls: Sequence[Call], seed: int, *key: str) -> Call:
    if len(calls) == 1 or is_stepwise(calls[-1].fields):
        return calls[-1]
    random = rng(seed, "example call", *key)
    return calls[-1] if random.random() < 0.5 else random.choice(calls[:-1])


def is_stepwise(part: Mapping[str, Any]) -> bool:
    """Whether a call's fields have the calls before it as steps."""
    steps = part.get(TRAJECTORY)
    return isinstance(steps, list) and all("tool" in step for step in steps) and "tool" in part


def _plain(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: plain(value) for name, value in fields.items()}


def quoted_records(episode: EpisodeResult) -> tuple[str, ...]:
    """References (`source/key`) of the records that an episode read or that its observations show, sorted."""
    read = {reference for call in episode.calls for reference in call.reads}
    return tuple(sorted(read | records_seen(episode.calls, episode.outcome.tables)))
