"""Worlds on disk."""

from __future__ import annotations

import json
import mmap
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.optimizers.shop import make_suite
from tests.tools.notes import NOTES, SAM
from worksmith.tools import world
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError
from worksmith.tools.persona import Persona
from worksmith.tools.seeding import digest_bytes
from worksmith.tools.world import MANIFEST_FILE, World, write_world


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


@pytest.mark.parametrize(
    "edited",
    [
        {"now": "2025-10-17T00:00:00"},
        {"persona": {**SAM.model_dump(mode="json"), "level": 14}},
        {"elsewhere": "http://127.0.0.1"},
        {"kind": "crm"},
        {"origin": "workbench"},
        {"counts": {"notes": 2}},
        {"digest": "0" * 16},
    ],
    ids=lambda edited: next(iter(edited)),
)
def test_an_edited_manifest_is_noticed_with_what_to_do(tmp_path: Path, edited: dict[str, Any]) -> None:
    make(tmp_path)
    file = tmp_path / MANIFEST_FILE
    file.write_text(json.dumps({**json.loads(file.read_text()), **edited}))

    with pytest.raises(InputError, match="the world's manifest does not fit its digest") as error:
        World.open(tmp_path)

    assert error.value.where == str(file)
    assert "build or import the suite again" in (error.value.hint or "")


def test_what_decides_results_is_in_the_digest_and_the_licence_is_not(tmp_path: Path) -> None:
    def digest(name: str, **other: Any) -> str:
        given = {"now": datetime(2024, 10, 17), "persona": SAM, "licence": "MIT", **other}
        return write_world(
            tmp_path / name, [NOTES], {"notes": []}, kind="office", origin="x", **given
        ).manifest.digest

    plain = digest("plain")
    assert digest("licence", licence="Apache-2.0") == plain
    assert digest("clock", now=datetime(2024, 10, 18)) != plain
    assert digest("persona", persona=Persona(id="sam", name="Sam", level=14)) != plain
    assert digest("elsewhere", elsewhere="an org") != plain
    assert digest("writer", writer="openai/gpt-4o-mini") != plain


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


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "CREATE TRIGGER evil AFTER INSERT ON calendar BEGIN DELETE FROM calendar; END",
            "has evil, which its kind has not",
        ),
        ("CREATE VIEW evil AS SELECT 1", "has evil, which its kind has not"),
        ("DROP TABLE calendar", r"has no calendar\w* as its kind has"),
        ("ALTER TABLE calendar ADD COLUMN more TEXT", r"has no calendar\w* as its kind has"),
    ],
)
def test_a_world_runs_nothing_of_its_own(tmp_path: Path, statement: str, said: str) -> None:
    """With digests that fit, as anybody can write them."""
    honest = make_suite(tmp_path).world
    connection = apsw.Connection(":memory:")
    connection.deserialize("main", honest.image)
    connection.execute(statement)
    image = connection.serialize("main")
    manifest = honest.manifest.model_copy(update={"database": digest_bytes(image)})
    manifest = manifest.model_copy(update={"digest": manifest.content_digest})
    (tmp_path / "world.sqlite").write_bytes(image)
    (tmp_path / MANIFEST_FILE).write_text(manifest.model_dump_json())

    with pytest.raises(InputError, match=f"the world {said}"):
        Environment.open(tmp_path)


def test_a_large_world_is_mapped_and_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = make(tmp_path)
    monkeypatch.setattr(world, "MAPPED", 1)
    mapped = World.open(tmp_path)

    assert isinstance(mapped.image, mmap.mmap)
    assert mapped.image[:] == small.image
    assert list(mapped.rows("notes", ["id", "text"])) == list(small.rows("notes", ["id", "text"]))
