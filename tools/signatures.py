"""What prompts show of a function: its types and its docstring."""

from __future__ import annotations

import inspect
import re
import textwrap
import types
import typing
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from pydantic import BaseModel
from typing_extensions import is_typeddict

_ARGUMENT = re.compile(r"^(\w+): (.*)$")


def written(annotation: Any) -> str:
    """A type as prompts show it: of an object its fields, of an enumeration its values."""
    fields: Mapping[str, Any] | None = None
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = {name: field.annotation for name, field in annotation.model_fields.items()}
    elif is_typeddict(annotation):
        fields = typing.get_type_hints(annotation)
    if fields is not None:
        return "{" + ", ".join(f'"{name}": {written(kind)}' for name, kind in fields.items()) + "}"
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return " | ".join(repr(each.value) for each in annotation)
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return written(parts[0])
    if any(map(_is_spelled_out, parts)):
        if origin in (typing.Union, types.UnionType):
            return " | ".join("None" if part is type(None) else written(part) for part in parts)
        return f"{getattr(origin, '__name__', origin)}[{', '.join(map(written, parts))}]"
    return inspect.formatannotation(annotation)


def _is_spelled_out(kind: Any) -> bool:
    """Whether prompts show more of a type than its name."""
    if isinstance(kind, type) and issubclass(kind, BaseModel | Enum):
        return True
    annotated = typing.get_origin(kind) is typing.Annotated
    return annotated or is_typeddict(kind) or any(map(_is_spelled_out, typing.get_args(kind)))


def read_docstring(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """The text before `Args:` on one line, and the note of each argument."""
    doc = inspect.cleandoc(function.__doc__ or "")
    if not doc:
        raise TypeError(f"{function.__qualname__} has no docstring to show to an agent")
    head, _, rest = doc.partition("\nArgs:\n")
    notes: dict[str, str] = {}
    last = ""
    for line in textwrap.dedent(rest).splitlines():
        found = _ARGUMENT.match(line)
        if found:
            last = found[1]
            notes[last] = found[2]
        elif last and line.startswith(" "):
            notes[last] += " " + line.strip()
        else:
            break
    return one_line(head), notes


def one_line(text: str) -> str:
    """A text without line breaks: in a prompt each line is a tool or an argument."""
    return " ".join(text.split())
