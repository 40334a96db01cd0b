"""Small generated offices for the tests."""

from __future__ import annotations

from pathlib import Path

from tools.kinds import world_kind
from tools.office.generate import DEFAULT_NOW, build
from tools.office.policy import SAM
from tools.world import World, write_world


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
