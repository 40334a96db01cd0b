from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.optimizers.shop import make_suite
from worksmith.cli.app import app
from worksmith.evals.rating.ratings import Rating, append_ratings
from worksmith.evals.rating.suite_sample import RATINGS_FILE, draw_texts, rated_tasks, ratings_of
from worksmith.evals.suite import Suite
from worksmith.tools.errors import InputError


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return make_suite(tmp_path / "suite")


def test_all_raters_see_the_same_texts_of_every_suite_in_an_order_of_their_own(suite: Suite) -> None:
    ann, bob = (draw_texts([suite, suite], "task", 6, rater=rater) for rater in ("ann", "bob"))
    assert ann != bob
    assert sorted(one.key for one in ann) == sorted(one.key for one in bob)
    assert Counter(one.suite for one in ann) == {0: 6, 1: 6}
    assert draw_texts([suite, suite], "task", 6, rater="ann") == ann


def test_records_show_their_cells(suite: Suite) -> None:
    shown = draw_texts([suite], "record", 4, rater="ann")
    assert len({one.key for one in shown}) == 4
    assert all(one.key.startswith("calendar/") for one in shown)
    assert all({"event_id", "event_name"} <= one.text.keys() for one in shown)


def rated(suite: Suite, levels: dict[str, int]) -> None:
    ratings = [
        Rating(key=key, task_id=key, rater="ann", scale="clarity", level=level)
        for key, level in levels.items()
    ]
    append_ratings(suite.path / RATINGS_FILE, ratings)


def test_ratings_filter_tasks(suite: Suite) -> None:
    first, second = (task.id for task in suite.select(split="test")[:2])
    with pytest.raises(InputError, match="its tasks have no ratings"):
        rated_tasks(suite, 4)
    rated(suite, {first: 5, second: 2})
    assert rated_tasks(suite, 4) == {first}
    with pytest.raises(InputError, match="none of 2 rated tasks"):
        rated_tasks(suite, 5.5)
    done = CliRunner().invoke(app, ["suite", "tasks", str(suite.path), "--rated", "4", "--json"])
    assert [task["id"] for task in json.loads(done.stdout)] == [first]


def asked(suite: Suite, *options: str, said: str) -> Any:
    command = ["rate", str(suite.path), "--rater", "ann", "--sample", "2", "--json", *options]
    return CliRunner().invoke(app, command, input=said)


def test_a_rating_is_asked_once(suite: Suite) -> None:
    pytest.importorskip("krippendorff")
    done = asked(suite, "--tasks", said="5 like ours\n4\nq\n")
    assert done.exit_code == 0, done.output
    assert [(each.scale, each.level, each.note) for each in ratings_of(suite.path)] == [
        ("realism", 5, "like ours"),
        ("clarity", 4, ""),
    ]
    again = asked(suite, "--tasks", said="1\n2\n")
    told = json.loads(again.stdout)["agreement"]
    assert {name: each["ratings"] for name, each in told.items()} == {"realism": 2, "clarity": 2}


def test_scales_are_those_of_what_is_rated(suite: Suite) -> None:
    for options in (["--records", "--scales", "clarity"], ["--tasks", "--records"]):
        done = CliRunner().invoke(app, ["rate", str(suite.path), "--rater", "ann", *options])
        assert isinstance(done.exception, InputError)
