"""The fields of a demonstration, as a file may hold them: plain data, and the harness's notes on it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, JsonValue, TypeAdapter
from typing_extensions import TypedDict


class Notes(TypedDict, total=False):
    """What the harness reads in an example besides the fields of a signature.

    Attributes:
        records: references of the records that it quotes.
        redacted: its twin, with made-up names and values.
        solves: the task that it solves.
    """

    records: list[str]
    redacted: dict[str, JsonValue]
    solves: str


NOTES = frozenset(Notes.__annotations__)
_NOTES = TypeAdapter(Notes)
_PLAIN = TypeAdapter(dict[str, JsonValue])


def _checked(fields: dict[str, Any]) -> dict[str, Any]:
    _PLAIN.validate_python(fields)
    _NOTES.validate_python({name: fields[name] for name in NOTES if name in fields})
    return fields


ExampleFields = Annotated[dict[str, Any], AfterValidator(_checked)]
