"""The conditions under which programs are measured, as keyword arguments of public functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast

from worksmith.api.data import measurement
from worksmith.jobs.settings.groups.measuring import MeasureSettings
from worksmith.optimizers.wording import errors_in_python
from worksmith.tools.errors import InputError, names_instead

if TYPE_CHECKING:
    from worksmith.optimizers.cost.budget import Budget

F = TypeVar("F", bound=Callable[..., Any])


class Conditions(TypedDict, total=False):
    """See `worksmith.api.measuring.evaluate`. The defaults are those of `measurement` and of the settings."""

    metric: Callable[..., Any] | None
    judge: str | Sequence[str]
    rubric: Path | str | None
    trials: int
    seed: int
    workers: int
    engine: str | None
    processes: int | None
    suite_store: str | None
    budget: Budget | None
    live: bool
    track: bool | str
    resume: bool
    attack: bool
    intent: str | None
    progress: bool | None


def takes_conditions(function: F) -> F:
    """A function whose last parameter is `**conditions`, with each of them in its signature."""
    signature = inspect.signature(function)
    *own, _ = signature.parameters.values()
    known = inspect.signature(measurement).parameters
    conditions = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=known[name].default if name in known else MeasureSettings.model_fields[name].default,
            annotation=getattr(kind, "__forward_arg__", kind),
        )
        for name, kind in Conditions.__annotations__.items()
    ]
    names = [each.name for each in (*own, *conditions)]

    @wraps(function)
    @errors_in_python()
    def run(*given: Any, **named: Any) -> Any:
        for name in named:
            if name not in names:
                hint = names_instead(name, names)
                raise InputError(f"{function.__name__} has no argument {name!r}", where=name, hint=hint)
        return function(*given, **named)

    run.__signature__ = signature.replace(parameters=[*own, *conditions])  # type: ignore[attr-defined]
    return cast(F, run)
