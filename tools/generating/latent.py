"""The facts behind generated records: kept beside a world, never in it."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Latent:
    """The facts of one record that its text states in words only, or not at all.

    Attributes:
        ref: the record, `source/key`.
        kind: what sort of truth: the intent of a chat, the skills of an agent, ...
        facts: latent variables by name, all text. Those that a text renders can be read back from it.
        refs: other records that it is about, as `source/key`.
    """

    ref: str
    kind: str
    facts: dict[str, str]
    refs: tuple[str, ...] = ()

    def to_json(self) -> str:
        value = {"ref": self.ref, "kind": self.kind, "facts": self.facts, "refs": self.refs}
        return json.dumps(value, ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> Latent:
        value = json.loads(line)
        return cls(value["ref"], value["kind"], value["facts"], tuple(value["refs"]))
