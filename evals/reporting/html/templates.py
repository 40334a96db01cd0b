"""The Jinja templates of pages. Every value that they show is escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache, partial
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from worksmith.evals.characters import harmless

_LINE_BREAK = re.compile(r"\s*\n\s*")


def render(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(values)


def macro(template: str, name: str) -> Callable[..., Markup]:
    """A macro of a template; its markup is escaped."""
    found: Callable[..., Markup] = getattr(_environment().get_template(template).module, name)
    return found


def asset(name: str) -> Markup:
    """A style sheet or script of the package, for insertion into a page."""
    return Markup(_source(name).strip())


def short(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


@cache
def _environment() -> Environment:
    # Line breaks and indentation order a template; the page leaves them out.
    loader = FunctionLoader(lambda name: _LINE_BREAK.sub("", _source(name)))
    environment = Environment(
        loader=loader, autoescape=True, finalize=_shown, auto_reload=False, undefined=StrictUndefined
    )
    environment.filters.update(
        short=short,
        words=lambda name: name.replace("_", " "),
        as_json=partial(json.dumps, ensure_ascii=False, default=str),
    )
    environment.globals["ticks"] = (0, 25, 50, 75, 100)
    return environment


def _source(name: str) -> str:
    return (files("worksmith.evals.reporting.html") / "pages" / name).read_text(encoding="utf-8")


def _shown(value: Any) -> Any:
    """A value without characters that no page may have."""
    return value if isinstance(value, Markup) else harmless(str(value))
