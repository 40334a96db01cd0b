"""A generated enterprise with tokens planted in it, indexed, and a way to break its filter on purpose."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from unittest.mock import patch

from benchmarks.soundness.canary.plant import Planted, plant
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.enterprise.schema import TABLES
from worksmith.tools.persona import Persona
from worksmith.tools.world import write_world

NOW = datetime(2022, 12, 31, 18, 0)


def planted_env(directory: Path, *, seed: int, scale: float) -> tuple[Environment, Planted]:
    """A environment over a world full of tokens, written to `directory` and indexed with the static model."""
    from worksmith.retrievers.index.building import build_index
    from worksmith.tools.kinds.enterprise.documents import open_library
    from worksmith.tools.kinds.enterprise.generate import build

    planted = plant(build(seed, scale).rows)
    nobody = Persona(id="", name="")
    world = write_world(
        directory,
        TABLES,
        planted.rows,
        kind="enterprise",
        origin="canaries",
        now=NOW,
        persona=nobody,
        seed=seed,
        scale=scale,
    )
    library = open_library(world)
    assert library.directory is not None
    build_index(library.directory, library.documents, embedder="static", version=world.manifest.digest)
    return Environment(world), planted


@contextmanager
def broken_filter(env: Environment) -> Iterator[None]:
    """While this lasts, the policy takes every record for readable once a call is allowed at all."""
    with patch.object(type(env.policy), "condition", lambda *_: "1"):
        yield
