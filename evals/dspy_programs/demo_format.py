"""Demonstrations as plain data: the fields of a signature, and the harness's notes beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import AfterValidator, ConfigDict, JsonValue, TypeAdapter

NOTES: Final = "_worksmith"
"""The key of the notes among the fields of a demonstration; no signature can have a field of this name."""

AUGMENTED: Final = ("augmented", True)
"""The field with which DSPy marks an example from a program's call."""


@dataclass(frozen=True)
class DemoNotes:
    """Notes on a demonstration.

    Attributes:
        records: references (`source/key`) of the records that it quotes. A persona who may not read one of
            them is not shown the demonstration.
        redacted: its twin with made-up names and values, which such a persona is shown in its place.
        solves: the task that it solves, as `WORLD/ID`; that task is never shown it. Empty if not known.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    records: Sequence[str] = ()
    redacted: Mapping[str, JsonValue] | None = None
    solves: str = ""

    @classmethod
    def of(cls, demo: Mapping[str, Any]) -> Self:
        """The notes of an example, a dict of its fields, or a `dspy.Example`."""
        return cls(**(demo.get(NOTES) or {}))

    def to_fields(self) -> dict[str, Any]:
        """The notes as a field of an example; no field if there are none."""
        notes = {"records": list(self.records), "redacted": self.redacted, "solves": self.solves}
        kept = {name: note for name, note in notes.items() if note not in ([], None, "")}
        return {NOTES: kept} if kept else {}


_NOTES = TypeAdapter(DemoNotes)
_PLAIN = TypeAdapter(dict[str, JsonValue])


def without_notes(demo: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an example's signature."""
    return {name: value for name, value in demo.items() if name != NOTES}


def _checked(demo: dict[str, Any]) -> dict[str, Any]:
    _PLAIN.validate_python(demo)
    _NOTES.validate_python(demo.get(NOTES, {}))
    return demo


ExampleFields = Annotated[dict[str, Any], AfterValidator(_checked)]
"""The fields of a demonstration as a file may hold them."""
