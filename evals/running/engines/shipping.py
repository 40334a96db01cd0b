"""The work of episodes as bytes for another process: environments by folder or store, models by reference.

A model that runs here and has a digest answers by the request alone, so the other process gets a copy of it.
Any other one stays in the driver, where its requests are counted, limited and paid; the bytes have its name
and settings and no key.
"""

from __future__ import annotations

import io
import pickle
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import cloudpickle
import dspy
from dspy import lm15

from worksmith.evals.dspy_programs.digests import model_digest
from worksmith.evals.lm.lm_proxy import ProxyEngine, Sample
from worksmith.evals.lm.metering import MeteredEngine, count_reported, metered
from worksmith.evals.running.engines.store import Stored, SuiteStore
from worksmith.evals.running.episode_worker import EpisodeWorker
from worksmith.evals.suite import MANIFEST_FILE, Suite
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import Usage
from worksmith.tools.errors import InfrastructureError, InputError
from worksmith.tools.files import PROJECT_FILE
from worksmith.tools.files.secrets import described
from worksmith.tools.sub_modules import named_sub_modules
from worksmith.tools.world import World

_LOCKS = (type(threading.Lock()), type(threading.RLock()))

_INHERITED = ("adapter", "allow_tool_async_sync_conversion", "track_usage", "warn_on_type_mismatch")
"""DSPy's settings that a program may depend on."""


class ShippedAnswer(NamedTuple):
    """A reply of the driver, with its counts."""

    response: lm15.Response
    usage: Usage
    answers: int


AskDriver = Callable[[int, lm15.Request, Sample], ShippedAnswer]
"""Asks the model of that number; raises an `AnswerError`."""


class AnswerError(Exception):
    """A question without an answer of the driver, with its counts."""

    def __init__(self, error: Exception, usage: Usage) -> None:
        super().__init__(str(error))
        self.error = error
        self.usage = usage


@dataclass(frozen=True)
class Shipped:
    """Work as bytes, and the models that stay here, by number."""

    payload: bytes
    models: tuple[ProxyEngine, ...]


@dataclass(frozen=True)
class _Described:
    """A model that stays in the driver, as far as programs ask about it."""

    number: int
    model: str
    model_type: str
    cache: bool
    kwargs: dict[str, Any]
    digest: str
    supports_function_calling: bool
    supported_params: frozenset[str]
    use_developer_role: bool


def shipped(work: EpisodeWorker, store: SuiteStore | None = None) -> Shipped:
    """Work as bytes.

    Args:
        store: where the other process gets environments from; None for the folders that they have here.

    Raises:
        InputError: another process cannot open the environment, or the program cannot be sent.
        InfrastructureError: the store cannot be reached.
    """
    if work.env.backend is not None:
        raise InputError("tools of a live system work in one process only", hint="leave the engine out")
    inherited = {name: dspy.settings.get(name) for name in _INHERITED}
    target = io.BytesIO()
    pickler = _Pickler(target, store)
    try:
        pickler.dump((work, inherited, [name for name, part in _parts(work) if part.env is work.env]))
    except (InputError, InfrastructureError):
        raise
    except Exception as error:
        raise InputError(
            f"the program cannot be sent to another process: {described(error)}",
            hint="define it in a module, or run it in threads: leave the engine out",
        ) from error
    return Shipped(target.getvalue(), tuple(pickler.models))


def opened(payload: bytes, ask: AskDriver) -> tuple[EpisodeWorker, dict[str, Any]]:
    """The work of `payload` in this process, and DSPy's settings for it.

    Raises:
        InputError: the environment cannot be opened here, or it is another one.
        InfrastructureError: the store with the environment cannot be reached.
    """
    work, inherited, at_work = _Unpickler(io.BytesIO(payload), ask).load()
    for name, part in _parts(work):
        if name in at_work:
            part.env = work.env
    return work, inherited


def _parts(work: EpisodeWorker) -> list[tuple[str, Any]]:
    """The modules of the program with an environment, which agents leave out of their pickled state."""
    modules = named_sub_modules(work.program) if isinstance(work.program, dspy.Module) else ()
    return [(name, module) for name, module in modules if hasattr(module, "env")]


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    def __init__(self, target: io.BytesIO, store: SuiteStore | None) -> None:
        super().__init__(target)
        self._store = store
        self.models: list[ProxyEngine] = []

    def persistent_id(self, thing: Any) -> Any:
        if isinstance(thing, Environment):
            return "environment", *_reference(thing, self._store), thing.digest
        engine = getattr(thing, "engine", None) if isinstance(thing, dspy.BaseLM) else None
        if not isinstance(engine, ProxyEngine):
            return None
        if _portable(engine):
            kept = dspy.cache.enable_disk_cache or dspy.cache.enable_memory_cache  # off with --no-cache
            return "here", engine.innermost, thing.kwargs, thing.cache and kept
        known = [id(each) for each in self.models]
        if id(engine) not in known:
            self.models.append(engine)
            known.append(id(engine))
        return "driver", _Described(
            known.index(id(engine)),
            thing.model,
            thing.model_type,
            thing.cache,
            dict(thing.kwargs),
            model_digest(thing),
            engine.supports_function_calling,
            frozenset(engine.supported_params),
            bool(getattr(thing, "use_developer_role", False)),
        )

    def reducer_override(self, thing: Any) -> Any:
        if type(thing) is threading.local:  # caches of a thread are useless to another process
            return threading.local, ()
        if isinstance(thing, _LOCKS):
            return type(thing) if isinstance(thing, type) else _lock_like(thing), ()
        return super().reducer_override(thing)


def _lock_like(lock: Any) -> Callable[[], Any]:
    return threading.Lock if isinstance(lock, _LOCKS[0]) else threading.RLock


def _portable(engine: ProxyEngine) -> bool:
    """Whether a copy of the model gives the same replies, and no budget counts its requests."""
    inner = getattr(engine.innermost, "engine", None)
    plain = type(engine) is MeteredEngine and engine.payer is None and engine.original is engine.innermost
    return plain and not isinstance(inner, str) and bool(getattr(inner, "digest", ""))


def _reference(env: Environment, store: SuiteStore | None) -> tuple[str, str | Stored | World]:
    """What opens an environment again, and from where; a world that lies nowhere goes along.

    Raises:
        InputError: it lies in no folder, or in one that has no place in a store.
        InfrastructureError: the store cannot be reached.
    """
    folder = env.folder.absolute()
    built = (folder / MANIFEST_FILE).is_file()
    if not built and (folder / PROJECT_FILE).is_file():
        if store is not None:
            raise InputError(
                "a store has suites that were built or imported, and this is a project with code",
                where=str(folder),
                hint="leave --suite-store out, and put the project where all machines see it",
            )
        return "suite", str(folder)
    stored = store is not None and store.holds(env.world.path.absolute())
    if type(env) is Environment and not stored and not env.world.at_rest:
        return "image", env.world
    if built or type(env) is Environment:
        place = folder if built else env.world.path.absolute()
        return "suite" if built else "world", store.put(place) if store is not None else str(place)
    raise InputError(
        "another process cannot open this environment again",
        where=str(folder),
        hint="put it into a project folder (worksmith new), or leave the engine out",
    )


_OPENED: dict[tuple[str, str | Stored], Environment] = {}
_OPENING = threading.Lock()


def _environment(form: str, place: str | Stored | World, expected: str) -> Environment:
    """The environment of a folder or of a store; a process has one copy of each."""
    if isinstance(place, World):
        return Environment(place)
    with _OPENING:
        env = _OPENED.get((form, place))
        if env is None or env.digest != expected:
            folder = SuiteStore(place.url).get(place.sha256) if isinstance(place, Stored) else place
            env = Suite.open(folder).env if form == "suite" else Environment.open(folder)
            _OPENED[form, place] = env
    if env.digest != expected:
        raise InputError(
            "a worker process finds another environment there than the driver",
            where=str(env.folder),
            hint="give all machines the same folder and the same version of worksmith",
        )
    return env


class _Unpickler(pickle.Unpickler):
    def __init__(self, source: io.BytesIO, ask: AskDriver) -> None:
        super().__init__(source)
        self._ask = ask

    def persistent_load(self, reference: Any) -> Any:
        kind, *of = reference
        if kind == "environment":
            return _environment(*of)
        if kind == "here":
            original, kwargs, cache = of
            lm = metered(original)
        else:
            described = of[0]
            original = dspy.LM(described.model, described.model_type, engine=_Elsewhere(described))
            lm = _DriversEngine(original, described.number, self._ask).installed()
            lm.use_developer_role = described.use_developer_role
            kwargs, cache = described.kwargs, described.cache
        lm.kwargs, lm.cache = dict(kwargs), cache
        return lm


class _Elsewhere:
    """The engine of a model that another process asks."""

    def __init__(self, described: _Described) -> None:
        self._described = described
        self.digest = described.digest
        self.supports_function_calling = described.supports_function_calling
        self.supported_params = set(described.supported_params)

    def model_digest(self, settings: dict[str, Any]) -> str:
        return self._described.digest

    def complete(self, request: lm15.Request) -> lm15.Response:
        raise NotImplementedError("the driver asks this model")


class _DriversEngine(ProxyEngine):
    """Asks the driver, and takes over its counts."""

    counts = True

    def __init__(self, original: dspy.BaseLM, number: int, ask: AskDriver) -> None:
        super().__init__(original)
        self._number = number
        self._driver = ask

    def reply(self, request: lm15.Request, sample: Sample) -> lm15.Response:
        try:
            response, usage, answers = self._driver(self._number, request, sample)
        except AnswerError as failed:
            count_reported(failed.usage, 0)
            raise failed.error from None
        count_reported(usage, answers)
        return response
