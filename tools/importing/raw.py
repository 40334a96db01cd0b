"""One record as a file has it: whatever way its keys are written and nested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_WRAPPERS = ("metadata",)
"""Objects that only wrap fields which other versions of a file have at the top."""


def folded(name: str) -> str:
    """A name without case and separators: `Date_of_Purchase` and `date of purchase` are one."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


@dataclass
class RawRecord:
    """A record of a file.

    Attributes:
        file: where it stands, relative to the imported folder.
        position: its place in the file, from 1.
        value: the JSON object.
    """

    file: str
    position: int
    value: Mapping[str, Any]
    _paths: dict[str, Any] = field(init=False, repr=False)
    _folded: dict[str, str] = field(init=False, repr=False)
    _taken: set[str] = field(init=False, repr=False, default_factory=set)

    def __post_init__(self) -> None:
        self._paths = dict(_flattened(self.value))
        self._folded = {}
        for path in self._paths:
            self._folded.setdefault(folded(path), path)
            head, _, rest = path.partition(".")
            if rest and folded(head) in _WRAPPERS:
                self._folded.setdefault(folded(rest), path)

    @property
    def place(self) -> str:
        """How a report names it where it has no id."""
        return f"record {self.position}"

    def take(self, names: tuple[str, ...]) -> tuple[str, Any] | None:
        """The first of these fields that it has, with the field's own name; an exact name goes first.

        A field that is there without a value gives way to a later one that has one.
        """
        found: tuple[str, Any] | None = None
        for name in names:
            path = name if name in self._paths else self._folded.get(folded(name))
            if path is None or path in self._taken:
                continue
            if found is None or found[1] in (None, ""):
                found = (path, self._paths[path])
        if found is not None:
            self._taken.add(found[0])
        return found

    def rest(self) -> dict[str, Any]:
        """The fields that no column holds, by path; kept in `originals.jsonl`."""
        return {
            path: value
            for path, value in self._paths.items()
            if path not in self._taken and value not in (None, "") and _simple(value)
        }


def _flattened(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, item in value.items():
        if isinstance(item, dict) and folded(key) != "issues":
            for inner, cell in item.items():
                yield f"{key}.{inner}", cell
        else:
            yield key, item


def _simple(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return isinstance(value, str | bool)
