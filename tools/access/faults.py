"""A fault of a policy document, and where in it that is."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from worksmith.tools.access.predicates import PREDICATE_KEYS


class FaultError(Exception):
    """Something wrong at one place of a document.

    Attributes:
        path: the place, e.g. `sources.mail.rules[2].when.any[0]`.
    """

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


def validation_fault(error: ValidationError, raw: Any) -> FaultError:
    """The first fault of shape, at its place in the document."""
    first = error.errors(include_url=False)[0]
    shapeless = first["type"] in ("model_type", "model_attributes_type")  # pydantic names worksmith's classes
    message = "an object is needed" if shapeless else first["msg"].removeprefix("Value error, ")
    return FaultError(
        _path_in(raw, first["loc"], first["type"] == "missing"), message[0].lower() + message[1:]
    )


def _path_in(raw: Any, location: tuple[int | str, ...], missing: bool) -> str:
    """A location as a path, without the parts that name a type of value."""
    path, here = "", raw
    for index, part in enumerate(location):
        if part in PREDICATE_KEYS and location[index + 1 : index + 2] == (part,):
            continue  # the kind of a predicate, which is also its only key
        inside = isinstance(here, list) and isinstance(part, int) and part < len(here)
        if inside or (isinstance(here, dict) and part in here):
            here = here[part]
        elif not missing or index + 1 < len(location):
            continue
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return path.lstrip(".")
