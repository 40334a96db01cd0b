"""Worlds on disk."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from tests.tools.notes import NOTES, SAM
from tools.errors import InputError
from tools.world import World, write_world


def make(directory: Path, text: str = "milk") -> World:
    return write_world(
        directory,
        [NOTES],
        {"notes": [("n0", "sam", text)]},
        kind="office",
        origin="generated",
        now=datetime(2024, 10, 17),
        persona=SAM,
        seed=7,
    )


def test_a_world_comes_back_as_it_was_written(tmp_path: Path) -> None:
    written = make(tmp_path)

    assert World.open(tmp_path) == written
    assert written.manifest.counts == {"notes": 1}


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    assert make(tmp_path / "a").image == make(tmp_path / "b").image
    assert make(tmp_path / "a").image != make(tmp_path / "c", "bread").image


@pytest.mark.parametrize("file", ["world.sqlite", "world.json"])
@pytest.mark.parametrize("damage", [b"", b"{}", b"\x00\xff" * 50, None])
def test_a_damaged_world_is_refused_by_name(tmp_path: Path, file: str, damage: bytes | None) -> None:
    make(tmp_path)
    if damage is None:
        (tmp_path / file).unlink()
    else:
        (tmp_path / file).write_bytes(damage)

    with pytest.raises(InputError) as error:
        World.open(tmp_path)

    assert error.value.where is not None
    assert str(tmp_path) in error.value.where


def test_an_unknown_table_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such table: ghosts"):
        write_world(
            tmp_path / "w",
            [NOTES],
            {"ghosts": []},
            kind="office",
            origin="x",
            now=datetime(2024, 1, 1),
            persona=SAM,
        )

    assert not (tmp_path / "w").exists()
