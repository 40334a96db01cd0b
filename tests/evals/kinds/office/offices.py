"""Small generated offices for the tests."""

from __future__ import annotations

from pathlib import Path

from worksmith.tools.kinds.office.generate import DEFAULT_NOW, build
from worksmith.tools.kinds.office.policy import SAM
from worksmith.tools.world import World, write_world
from worksmith.tools.world_kind import world_kind


def make_office(directory: Path, seed: int = 0, scale: float = 1.0) -> World:
    return write_world(
        directory,
        world_kind("office").tables,
        build(seed, scale, DEFAULT_NOW),
        kind="office",
        origin="generated",
        now=DEFAULT_NOW,
        persona=SAM,
        seed=seed,
        scale=scale,
    )
