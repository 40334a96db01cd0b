"""Content addresses of programs, models and scorers."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from functools import cache, partial
from types import FunctionType, MethodType
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from weakref import WeakKeyDictionary

from worksmith.evals.dspy_programs.own_models import own_models
from worksmith.tools.canonical import canonical, path
from worksmith.tools.code import code_digest
from worksmith.tools.seeding import digest
from worksmith.tools.sub_modules import named_sub_modules

_ADDRESSES = (
    "_API_BASE",
    "_BASE_URL",
    "_API_URL",
    "_ENDPOINT",
    "_HOST",
    "_RESOURCE",
    "_REGION",
    "_REGION_NAME",
    "_LOCATION",
)
"""Endings of environment variables with a provider's address."""

_VARIABLES = {
    "BEDROCK": ("AWS",),
    "SAGEMAKER": ("AWS",),
    "VERTEX": ("VERTEXAI", "GOOGLE"),
    "GEMINI": ("GOOGLE",),
}
"""Further prefixes of a provider's variables."""

_URLS = ("api_base", "base_url")
"""Settings with a server's address."""

_SEEN: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""The attributes of users' programs, models, engines and metrics, which may count their calls in one."""

_SECRET_MARKS = ("key", "token", "secret", "password", "header", "auth", "authorization", "credential")


def program_digest(program: Any) -> str:
    """The content address of a program: of its code (see `worksmith.tools.code`) and its state."""
    return digest([state_digest(program), code_digest(program)])


def state_digest(program: Any) -> str:
    """The content address of a program's state: its own `digest`, else of class, settings and DSPy state."""
    if (own := _declared(program)) is not None:
        return str(own() if callable(own) else own)
    models = [model_digest(model) for _, _, model in own_models(program)]
    return digest([path(program), _content(_state(program)), _settings(program), *models])


def _declared(program: Any) -> Any:
    """The digest that a program has itself; it is not a predictor of that name."""
    import dspy

    own = getattr(program, "digest", None)
    return None if isinstance(own, dspy.Module) else own


def _settings(program: Any) -> Any:
    """The attributes of a program and its modules, such as a number of passages, when they are first seen."""
    import dspy

    if not isinstance(program, dspy.Module):
        return None if hasattr(program, "__qualname__") else _first_seen(program, ())
    left_out = {*vars(dspy.Module()), "_compiled", "compilation"}
    found = {}
    for name, part in named_sub_modules(program):
        if isinstance(part, dspy.Predict):
            # All else of a predictor is in the state, apart from a random number.
            found[name] = _content(part.config)
        elif _declared(part) is not None:
            found[name] = state_digest(part)
        elif not type(part).__module__.startswith("worksmith."):
            found[name] = _first_seen(part, left_out)
    return found


def _now(thing: Any, left_out: Collection[str]) -> Any:
    """The attributes of an object without secrets. A module of DSPy's among them counts by its class."""
    import dspy

    def served(value: Any) -> Any:
        return path(value) if isinstance(value, dspy.Module) else _served(value)

    attributes = list(getattr(thing, "__dict__", {}).items())
    kept = {name: each for name, each in attributes if name not in left_out and not _secret(name, each)}
    return canonical(kept, served)


def _state(program: Any) -> Any:
    """The program's DSPy state; models that DSPy cannot write down are left out, for they count anyway."""
    dump = getattr(program, "dump_state", None)
    if dump is None:
        return {}
    try:
        return dump()
    except TypeError:
        bare = program.deepcopy()
        for predictor in bare.predictors():
            predictor.lm = None
        return bare.dump_state()


def strategy_name(program: Any) -> str:
    """The planning strategy that a program declares, else its own name."""
    declared = getattr(program, "strategy", None)
    name = getattr(declared, "name", declared)
    return name if isinstance(name, str) and name else path(program).rsplit(".", 1)[-1]


def model_name(lm: Any) -> str:
    """The name of a model, e.g. `openai/gpt-4o-mini`; `none` without a model."""
    return str(getattr(lm, "model", lm)) if lm is not None else "none"


def model_digest(lm: Any) -> str:
    """The content address of a model with its settings and its server's address, without credentials.

    A custom engine counts by its own `digest` or `version`; a proxy, which has a `model_digest`, by the model
    behind it. A model or an engine of a user's class counts by its code and by its attributes, as they are
    when it is first seen.
    """
    if lm is None:
        return digest("none")
    engine, settings = getattr(lm, "engine", None), plain_settings(lm)
    of_proxy = getattr(engine, "model_digest", None)
    if of_proxy is not None:
        return str(of_proxy(settings))
    # The environment may have the address of a provider's model.
    address = addresses(model_name(lm)) if isinstance(engine, str | None) else {}
    return digest(
        [model_name(lm), getattr(lm, "model_type", ""), _own(lm), settings, address, _engine(engine)]
    )


def addresses(model: str) -> dict[str, str]:
    """The addresses of a model's provider in the environment, by variable, e.g. `OPENAI_BASE_URL`."""
    provider = model.partition("/")[0] if "/" in model else "openai"
    own = provider.upper().partition("_")[0]
    starts = (own, provider.upper(), *_VARIABLES.get(own, ()))
    return {
        name: _without_credentials(value)
        for name, value in sorted(os.environ.items())
        if value and name.startswith(starts) and name.endswith(_ADDRESSES)
    }


def plain_settings(lm: Any) -> dict[str, Any]:
    """A model's settings as JSON-able data, without credentials and time-outs; of headers the names."""
    given = getattr(lm, "kwargs", {})
    settings = {
        name: _without_credentials(str(value)) if name in _URLS and value else _content(value)
        for name, value in given.items()
        if not _secret(name, value) and name != "timeout"
    }
    headers = {name: sorted(given[name]) for name in ("headers", "extra_headers") if given.get(name)}
    held = getattr(lm, "constrained", None)
    return {**settings, **headers, **({} if held in (None, "auto") else {"constrained": held})}


def scorers_digest(scorers: Sequence[Any]) -> str:
    """The content address of scorers: of their code, and of their `digest` or their place in it."""
    return digest(
        [[str(getattr(scorer, "digest", "") or path(scorer)), code_digest(scorer)] for scorer in scorers]
    )


def callable_digest(function: Callable[..., Any]) -> str:
    """The content address of a user's function or callable object, such as a metric.

    An object counts by its code and its attributes, as they are when it is first seen, and a module of DSPy's
    by its state as well.
    """
    import dspy

    owner = function.__self__ if isinstance(function, MethodType) else function
    state = program_digest(owner) if isinstance(owner, dspy.Module) else ""
    own = "" if isinstance(owner, FunctionType | partial) else _of_object(owner, vars(dspy.Module()))
    return digest([path(function), code_digest(function), state, own])


def _engine(engine: Any) -> str:
    if engine is None or isinstance(engine, str):
        return engine or ""
    version = getattr(engine, "digest", None) or getattr(engine, "version", None) or _own(engine)
    return f"{path(engine)}:{version() if callable(version) else version}"


def _own(thing: Any) -> str:
    """The digest of code and attributes of an object; empty for classes of worksmith and DSPy."""
    known = type(thing).__module__.startswith(("dspy.", "worksmith.evals."))
    return "" if known else _of_object(thing, _dspys())


def _of_object(thing: Any, left_out: Collection[str]) -> str:
    return digest([path(type(thing)), code_digest(thing), _first_seen(thing, left_out)])


def _first_seen(thing: Any, left_out: Collection[str]) -> Any:
    try:
        if thing not in _SEEN:
            _SEEN[thing] = _now(thing, left_out)
        return _SEEN[thing]
    except TypeError:  # it cannot be hashed, or has no weak references
        return _now(thing, left_out)


@cache
def _dspys() -> frozenset[str]:
    """The attributes of DSPy's own models."""
    import dspy

    return frozenset(vars(dspy.LM("openai/none")))


def _without_credentials(address: str) -> str:
    """An address without user, password and query."""
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


def _secret(name: str, value: Any) -> bool:
    """Whether a setting may be a secret; `max_tokens` and `keywords` are not secret."""
    words = [word.removesuffix("s") for word in name.lower().split("_")]
    return not isinstance(value, int | float) and any(word.endswith(_SECRET_MARKS) for word in words)


def _content(value: Any) -> Any:
    return canonical(value, _served)


def _served(value: Any) -> Any:
    """The data of an object that does something: its own digest, a model's or a program's; else its class."""
    import dspy

    if isinstance(value, dspy.BaseLM):
        return model_digest(value)
    if isinstance(value, dspy.Module):
        return program_digest(value)
    own = getattr(value, "digest", None)
    return [path(value), own if isinstance(own, str) else ""]
