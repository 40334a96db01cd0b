"""Whatever decides a result is in the digest that every episode has of its world."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tools.kinds.enterprise.small_world import write_small_world
from worksmith.retrievers.index.building import build_index
from worksmith.retrievers.index.manifest import MANIFEST as INDEX_MANIFEST
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.enterprise.access import POLICY_FILE, packaged_policy
from worksmith.tools.kinds.enterprise.documents import open_library
from worksmith.tools.world import MANIFEST_FILE, World, WorldManifest


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    world = write_small_world(tmp_path_factory.mktemp("indexed"))
    (world.path / POLICY_FILE).write_text(packaged_policy())
    library = open_library(world)
    assert library.directory is not None
    build_index(library.directory, library.documents, embedder="static", version=world.manifest.digest)
    return world.path


def edit(file: Path, change: Callable[[Any], object]) -> None:
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


def other_vectors(directory: Path) -> None:
    edit(
        directory / "index" / INDEX_MANIFEST,
        lambda index: index["collections"]["mail"]["hashes"].update(npy="0" * 64),
    )


def other_rules(directory: Path) -> None:
    edit(directory / POLICY_FILE, lambda rules: rules["sources"]["mail"]["rules"].pop())


def no_index(directory: Path) -> None:
    shutil.rmtree(directory / "index")


def other_clock(directory: Path) -> None:
    manifest = World.open(directory).manifest
    edited = manifest.model_copy(update={"now": manifest.now.replace(year=2031)})
    sign(directory, edited)


def other_persona(directory: Path) -> None:
    manifest = World.open(directory).manifest
    persona = manifest.persona.model_copy(update={"department": "HR"})
    sign(directory, manifest.model_copy(update={"persona": persona}))


def sign(directory: Path, manifest: WorldManifest) -> None:
    """Write a manifest with the digest that it has to have; the index then is that of another world."""
    signed = manifest.model_copy(update={"digest": manifest.content_digest})
    (directory / MANIFEST_FILE).write_text(signed.model_dump_json())
    edit(directory / "index" / INDEX_MANIFEST, lambda index: index.update(version=signed.digest))


@pytest.mark.parametrize("change", [other_vectors, other_rules, no_index, other_clock, other_persona])
def test_a_change_of_what_decides_results_changes_the_digest(
    indexed: Path, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(indexed, copy)
    assert Environment.open(copy).digest == Environment.open(indexed).digest

    change(copy)

    assert Environment.open(copy).digest != Environment.open(indexed).digest
