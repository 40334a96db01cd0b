"""Industries: the packaged ones hang together, and files that are none are refused with what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tables import each_row, tables_of
from tests.tools.kinds.crm.generate.checks.verify import verify
from tests.tools.kinds.crm.generate.orgs import small
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.crm.generate import build
from worksmith.tools.kinds.crm.generate.industry import (
    DEFAULT_INDUSTRY,
    industry_file,
    industry_names,
    open_industry,
    packaged,
)

TABLES = tables_of(__file__)

FURNITURE = industry_file("furniture").read_text(encoding="utf-8")
SHOES = packaged()


def own(place: Path, text: str = FURNITURE) -> str:
    file = place / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_two_industries_come_with_the_package() -> None:
    assert industry_names() == ["furniture", "shoes"]
    assert DEFAULT_INDUSTRY == "shoes"


def test_the_default_is_shoes() -> None:
    assert build(7, 0.02) == build(7, 0.02, industry=SHOES)


def test_labels_name_the_contents_but_of_the_default() -> None:
    assert SHOES.label == ""
    assert packaged("furniture").label == f"furniture {packaged('furniture').digest}"


@pytest.mark.parametrize("seed", [7, 8])
def test_furniture_has_no_problems(seed: int) -> None:
    assert verify(small(seed, "furniture")) == []


def test_nothing_of_one_industry_is_in_the_other() -> None:
    for one, words in (
        ("furniture", ("Larkfoot", "larkfoot", "sole ", "Corvane")),
        ("shoes", ("Oakmere", "sofa")),
    ):
        cells = {cell for rows in small(7, one).rows.values() for row in rows for cell in row if cell}
        assert not [cell for cell in cells if any(word in cell for word in words)]


def test_a_file_of_ones_own_is_an_industry(tmp_path: Path) -> None:
    mine = open_industry(own(tmp_path, FURNITURE.replace("Oakmere", "Elmgate")))
    assert mine.name == "mine"
    assert mine.digest != packaged("furniture").digest
    assert verify(build(7, 0.02, industry=mine)) == []


def test_the_same_file_under_another_name_has_the_same_digest(tmp_path: Path) -> None:
    assert open_industry(own(tmp_path)).digest == packaged("furniture").digest


BROKEN = TABLES["broken"]  # fmt: skip


@each_row("said", BROKEN)
def test_what_is_no_industry_is_refused(tmp_path: Path, said: str) -> None:
    old, new = BROKEN[said]
    assert old in FURNITURE
    text = FURNITURE.replace(old, new)
    with pytest.raises(InputError) as refused:
        open_industry(own(tmp_path, text))
    assert said in str(refused.value)
    assert "mine.toml" in str(refused.value)


@pytest.mark.parametrize("choice", ["ships", "../shoes", "nowhere.toml", ""])
def test_names_and_files_that_there_are_not_are_refused(choice: str) -> None:
    with pytest.raises(InputError):
        open_industry(choice)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        open_industry(str(file))
