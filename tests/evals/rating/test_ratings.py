from __future__ import annotations

from pathlib import Path

import pytest

from worksmith.evals.rating.ratings import Rating, append_ratings, read_ratings
from worksmith.tools.errors import InputError


def rating(level: int, rater: str = "ann") -> Rating:
    return Rating(key="k", task_id="t", rater=rater, scale="correctness", level=level)


def test_the_last_word_of_each_rater_counts(tmp_path: Path) -> None:
    file = tmp_path / "log.ratings.jsonl"
    assert read_ratings(file) == []
    append_ratings(file, [rating(2), rating(4, "bob")])
    append_ratings(file, [rating(3)])
    assert sorted(read_ratings(file), key=lambda r: r.rater) == [rating(3), rating(4, "bob")]


def test_a_line_that_a_kill_tore_in_half_spoils_no_other(tmp_path: Path) -> None:
    file = tmp_path / "log.ratings.jsonl"
    append_ratings(file, [rating(2)])
    with file.open("ab") as stream:
        stream.write(b'{"key": "k", "ta')
    assert read_ratings(file) == [rating(2)]
    append_ratings(file, [rating(4, "bob")])
    assert read_ratings(file) == [rating(2), rating(4, "bob")]


@pytest.mark.parametrize("line", ["{}", "no json", rating(3).model_dump_json().replace("3", "6")])
def test_what_is_no_rating_is_named_by_its_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / "log.ratings.jsonl"
    append_ratings(file, [rating(2)])
    with file.open("a") as stream:
        stream.write(line + "\n")
    with pytest.raises(InputError) as error:
        read_ratings(file)
    assert str(error.value.where) == f"{file}:2"
