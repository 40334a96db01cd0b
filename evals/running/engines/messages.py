"""The messages between a driver and its workers."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cloudpickle
from dspy.utils.exceptions import LMError

from worksmith.evals.lm.failures import chain
from worksmith.evals.lm.payer import AdmissionError
from worksmith.evals.lm.replies.store import Failure
from worksmith.tools.errors import InfrastructureError, InputError

if TYPE_CHECKING:
    from dspy import lm15

    from worksmith.evals.lm.lm_proxy import Sample
    from worksmith.evals.records.record import EpisodeRecord, WorkUnit
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode_result import Usage


@dataclass(frozen=True, slots=True)
class Load:
    """To a worker: a program that will run, see `shipping`."""

    work: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Forget:
    work: int


@dataclass(frozen=True, slots=True)
class Run:
    """To a worker: run an episode.

    Attributes:
        session: identifies the attempt in messages about it.
        paid: usage that earlier tries of the attempt paid.
    """

    session: int
    work: int
    unit: WorkUnit
    task: Task
    paid: Usage


@dataclass(frozen=True, slots=True)
class Ready:
    """From a worker: it has started."""


@dataclass(frozen=True, slots=True)
class Ask:
    """From a worker: a question to a model of the driver.

    Attributes:
        number: of the question in its session.
        model: its place among the models of the work.
    """

    session: int
    number: int
    model: int
    request: lm15.Request
    sample: Sample


@dataclass(frozen=True, slots=True)
class Reply:
    """To a worker: the reply to a question, or its failure.

    Attributes:
        usage, answers: what the question counts.
    """

    session: int
    number: int
    usage: Usage
    answers: int
    response: lm15.Response | None = None
    failure: Trouble | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """From a worker: the record of an episode, or the error that it ended with."""

    session: int
    record: EpisodeRecord | None = None
    failure: Trouble | None = None


@dataclass(frozen=True, slots=True)
class Trouble:
    """An exception as data."""

    kind: str
    said: tuple[Any, ...]

    @classmethod
    def of(cls, error: BaseException) -> Trouble:
        """An exception that can be raised again as its own type, or as a `RuntimeError`."""
        for each in chain(error):
            if isinstance(each, InputError):
                return cls("input", (each.message, each.where, each.hint))
            if isinstance(each, InfrastructureError):
                return cls("infrastructure", (str(each),))
            if isinstance(each, AdmissionError):
                return cls("admission", (str(each),))
        if isinstance(error, LMError):
            return cls("model", (Failure.of(error),))
        return cls("defect", (f"{type(error).__name__}: {error}",))

    def error(self) -> Exception:
        if self.kind == "input":
            message, where, hint = self.said
            return InputError(message, where=where, hint=hint)
        if self.kind == "infrastructure":
            return InfrastructureError(*self.said)
        if self.kind == "admission":
            return AdmissionError(*self.said)
        if self.kind == "model":
            return self.said[0].error()  # type: ignore[no-any-return]
        return RuntimeError(f"a worker process failed: {self.said[0]}")


ToWorker = Load | Forget | Run | Reply
FromWorker = Ready | Ask | Done


def packed(message: ToWorker | FromWorker) -> bytes:
    """A message as bytes; classes of a script, which another process cannot import, go along."""
    made: bytes = cloudpickle.dumps(message)
    return made


def unpacked(data: bytes) -> Any:
    """A message; only of a process that the driver has started, for a pickle can run code."""
    return pickle.loads(data)
