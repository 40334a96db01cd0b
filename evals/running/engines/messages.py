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
class RunEpisode:
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
class AskModel:
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
        usage, answers: the counts of the question.
    """

    session: int
    number: int
    usage: Usage
    answers: int
    response: lm15.Response | None = None
    failure: Exception | Failure | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """From a worker: the record of an episode, or the error that it ended with."""

    session: int
    record: EpisodeRecord | None = None
    failure: Exception | Failure | None = None


def sendable(error: BaseException) -> Exception | Failure:
    """An exception for another process, where it is raised as its own type or as a `RuntimeError`."""
    for each in chain(error):
        if isinstance(each, InputError):
            return InputError(each.message, where=each.where, hint=each.hint)
        if isinstance(each, InfrastructureError):
            return InfrastructureError(str(each))
        if isinstance(each, AdmissionError):
            return AdmissionError(str(each))
    if isinstance(error, LMError):
        return Failure.of(error)
    return RuntimeError(f"a worker process failed: {type(error).__name__}: {error}")


def raisable(failure: Exception | Failure) -> Exception:
    """The exception that `sendable` was given."""
    return failure.error() if isinstance(failure, Failure) else failure


ToWorker = Load | Forget | RunEpisode | Reply
FromWorker = Ready | AskModel | Done


def packed(message: ToWorker | FromWorker) -> bytes:
    """A message as bytes; classes of a script, which another process cannot import, go along."""
    made: bytes = cloudpickle.dumps(message)
    return made


def unpacked(data: bytes) -> Any:
    """A message; only of a process that the driver has started, for a pickle can run code."""
    return pickle.loads(data)
