"""Demonstrations: whole trajectories of a teacher, with their origin and the records that they quote."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticSerializationError, to_jsonable_python

from worksmith.evals.dspy_programs.demo_format import DemoNotes, ExampleFields
from worksmith.evals.scoring.path_scores import records_seen
from worksmith.evals.tasks.repeats import request
from worksmith.tools.errors import InputError
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode_result import EpisodeResult

TraceStep = tuple["dspy.Predict", dict[str, Any], "dspy.Prediction"]
"""DSPy's note of one predictor call: the predictor, its inputs, its outputs."""


class LastCall(NamedTuple):
    """The fields of a predictor's last call in an episode."""

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
        world: digest of the world that it was run in; with it a task's id says which task it is.
        run: of the source, e.g. a run's label or its id in MLflow; empty where a model was asked afresh.
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
        parts: for each predictor's name, the fields of its last call in the episode. The last call has
            the whole trajectory among its inputs.
        provenance: None where a compile ran its own teacher.
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

    def example(self, predictor: str) -> dspy.Example | None:
        """The example for one predictor, as stock bootstrapping would store it; None if it was not called.

        It carries the records that it quotes, so that a program can keep it from personas that may not read
        them. From a prebuilt bank it also carries its task, so that this task is never shown it.
        """
        import dspy

        part = self.parts.get(predictor)
        if part is None:
            return None
        notes = DemoNotes(self.records, solves=self.solves)
        return dspy.Example(augmented=True, **{**notes.to_fields(), **part})

    @property
    def solves(self) -> str:
        """The task that it solves, in its world; empty if the world is not known."""
        world = self.provenance.world if self.provenance else ""
        return f"{world}/{self.task_id}" if world else ""


def last_calls(program: dspy.Module, trace: Iterable[TraceStep]) -> dict[str, LastCall]:
    """Each predictor's last call in `trace`, as plain data, by the predictor's name.

    Raises:
        InputError: if a field holds something that cannot be written to a file.
    """
    names = {id(predictor): name for name, predictor in program.named_predictors()}
    last = {
        names[id(predictor)]: LastCall(inputs, outputs.toDict())
        for predictor, inputs, outputs in trace
        if id(predictor) in names
    }
    return {name: LastCall(*_plain(name, last[name])) for name in names.values() if name in last}


def _plain(name: str, call: LastCall) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        return to_jsonable_python(call.inputs), to_jsonable_python(call.outputs)
    except PydanticSerializationError as error:
        raise InputError(
            f"a demonstration of {name} is not plain data: {error}",
            hint="give predictors text, numbers, lists and dicts only",
        ) from error


def quoted_records(episode: EpisodeResult) -> tuple[str, ...]:
    """References (`source/key`) of the records that an episode read or that its observations show, sorted."""
    read = {reference for call in episode.calls for reference in call.reads}
    return tuple(sorted(read | records_seen(episode.calls, episode.outcome.tables)))
