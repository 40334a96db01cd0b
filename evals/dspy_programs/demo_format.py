"""Demonstrations as plain data: the fields of a signature, and the harness's notes beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, Self

from pydantic import AfterValidator, JsonValue, TypeAdapter


@dataclass(frozen=True)
class DemoNotes:
    """Notes on a demonstration. They stand under these names beside the fields of its signature.

    Attributes:
        records: references (`source/key`) of the records that it quotes. A persona who may not read one of
            them is not shown the demonstration.
        redacted: its twin with made-up names and values, which such a persona is shown in its place.
        solves: the task that it solves, as `WORLD/ID`; that task is never shown it. Empty if not known.
    """

    records: Sequence[str] = ()
    redacted: Mapping[str, JsonValue] | None = None
    solves: str = ""

    @classmethod
    def of(cls, demo: Mapping[str, Any]) -> Self:
        """The notes of an example, a dict of its fields, or a `dspy.Example`."""
        return cls(**{name: note for name in NOTES if (note := demo.get(name)) is not None})

    def to_fields(self) -> dict[str, Any]:
        """The notes as fields of an example; records always, the others where there are such."""
        redacted = {"redacted": dict(self.redacted)} if self.redacted is not None else {}
        return {"records": list(self.records), **({"solves": self.solves} if self.solves else {}), **redacted}


NOTES = frozenset(field.name for field in fields(DemoNotes))
"""The names of the notes."""


def hides_nothing(demo: Mapping[str, Any]) -> bool:
    """Whether the calls that it shows depend on no record, so that every reader may be shown their names."""
    notes = DemoNotes.of(demo)
    return not notes.records or notes.redacted is not None


_NOTES = TypeAdapter(DemoNotes)
_PLAIN = TypeAdapter(dict[str, JsonValue])


def without_notes(demo: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an example's signature."""
    return {name: value for name, value in demo.items() if name not in NOTES}


def _checked(demo: dict[str, Any]) -> dict[str, Any]:
    _PLAIN.validate_python(demo)
    _NOTES.validate_python({name: demo[name] for name in NOTES if name in demo})
    return demo


ExampleFields = Annotated[dict[str, Any], AfterValidator(_checked)]
"""The fields of a demonstration as a file may hold them."""
