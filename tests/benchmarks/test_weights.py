"""The study of trained weights runs from end to end on a tiny model, and does no stage twice."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.weights import page, smallest, study
from benchmarks.weights.figures import goals
from benchmarks.weights.forms import WHOLE


def test_the_plan_of_a_part_of_the_study_has_what_it_needs(tmp_path: Path) -> None:
    planned = study(WHOLE, tmp_path, plan=True, only="cell/office/sft/office-8")
    names = [each["stage"] for each in planned["stages"]]
    assert names[0] == "base"
    assert (
        names.index("data/office-8") < names.index("sft/office-8") < names.index("cell/office/sft/office-8")
    )
    assert not any(name.startswith("dpo") for name in names)


@pytest.mark.slow
def test_the_study_runs_from_end_to_end(tmp_path: Path) -> None:
    figures = smallest(tmp_path)
    assert figures["not_measured"] == []
    arms = {cell["arm"]: cell for cell in figures["cells"]}
    assert arms.keys() >= {"do_nothing", "local/analogy, knn", "base, few-shot", "SFT", "SFT+DPO"}
    assert {each["method"] for each in figures["training"]} == {"sft", "dpo"}
    assert all(each["tokens_per_second"] > 0 for each in figures["training"])
    against = arms["SFT+DPO"]["differences"]
    assert against["before DPO"]["outcome_strict"]["n"] == arms["SFT"]["tasks"]
    ((same, of),) = [(each["worded_alike"], each["tasks"]) for each in figures["worded_alike"]]
    assert 0 < same < of
    shown = page.text(json.loads(json.dumps(figures, allow_nan=False)), None)
    assert "SFT+DPO" in shown
    assert "random weights" in shown


def test_no_goal_is_missed_before_its_program_was_measured() -> None:
    share = {"value": 0.2, "low": 0.1, "high": 0.3, "n": 9}
    values = {"outcome_strict": {"a": [0.0]}, "unwanted_side_effects": {"a": [0.0]}}
    of = {"model": "", "score": share, "side_effects": share, "values": values, "intents": {}}
    cells = [
        {"test": test, "arm": arm, **of}
        for test in ("office", "workbench", "held-out intents")
        for arm in ("local/analogy, knn", "do_nothing")
    ]
    found = goals(cells)
    assert len(found) == 4
    assert [each["reached"] for each in found] == [None] * 4


def test_the_picture_has_a_mark_for_each_size_and_none_is_drawn_for_one_size() -> None:
    share = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 9}
    models = {"sft/office-5": 150_000, "sft/office-9": 300_000, "sft/office-36": 1_200_000}
    cells = [
        {"test": "office", "arm": "SFT", "model": model, "score": share, "side_effects": None}
        for model in models
    ]
    figures = {"cells": cells, "training": [{"model": name, "tokens": models[name]} for name in models]}
    drawn = page.curves(figures)
    assert drawn is not None
    picture = ElementTree.fromstring(drawn)
    assert len(picture.findall("{http://www.w3.org/2000/svg}circle")) == 3
    assert page.curves({**figures, "cells": cells[:1]}) is None
