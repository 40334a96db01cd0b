"""A workshop: a world with its sandboxes, from which episodes are opened."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from tools.episode import Episode
from tools.kinds import WorldKind, world_kind
from tools.persona import Persona
from tools.sandbox import SandboxPool
from tools.toolkit import toolset
from tools.world import World


class Workshop:
    """Opens episodes over one world. Thread-safe, shared by reference, never copied.

    A program holds its workshop by reference: a deep copy of the program shares it, and a pickle of
    it is the path of its world.
    """

    def __init__(self, world: World, sandboxes: int | None = None) -> None:
        self.world = world
        self.kind: WorldKind = world_kind(world.manifest.kind)
        self._pool = SandboxPool(world.image, self.kind.tables, sandboxes)

    @classmethod
    def open(cls, directory: Path | str) -> Workshop:
        """The workshop over the world in `directory`.

        Raises:
            InputError: if there is no sound world.
        """
        return cls(World.open(directory))

    def episode(
        self,
        toolkits: Iterable[str] | None = None,
        *,
        persona: Persona | None = None,
        now: datetime | None = None,
    ) -> Episode:
        """A fresh episode.

        Args:
            toolkits: names of the toolkits to supply, shared ones are added; None supplies all.
            persona: default is the world's own.
            now: default is the world's clock.
        """
        names = None if toolkits is None else (*toolkits, *self.kind.shared_toolkits)
        manifest = self.world.manifest
        return Episode(
            self._pool,
            self.kind,
            persona or manifest.persona,
            now or manifest.now,
            toolset(self.kind.toolkits, names),
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Workshop:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (Workshop.open, (str(self.world.path),))
