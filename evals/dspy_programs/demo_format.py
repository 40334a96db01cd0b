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
        """The notes as a field of an example; empty without notes."""
        notes = {"records": list(self.records), "redacted": self.redacted, "solves": self.solves}
        kept = {name: note for name, note in notes.items() if note not in ([], None, "")}
        return {NOTES: kept} if kept else {}


def public_form(demo: Mapping[str, Any]) -> Mapping[str, Any]:
    """The form of a demonstration that depends on no record: its twin, or itself if it quotes no record.

    What a choice of demonstrations looks at has to be of this form. It is empty without one.
    """
    notes = DemoNotes.of(demo)
    return notes.redacted or ({} if notes.records else demo)


def calls_in(fields: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The tools and arguments of the calls in a demonstration, with the one that ends it."""
    steps = [step for step in fields.get("trajectory") or () if isinstance(step, Mapping)]
    made = [call for step in steps for call in step.get("calls", [step])]
    if "verdict" not in fields:
        made += fields.get("calls") or ([fields] if "tool" in fields else [])
    return [(call.get("tool", ""), call.get("arguments")) for call in made]


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
