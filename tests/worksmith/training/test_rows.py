"""What is a line of training data, and what is said of one that is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.worksmith.training.tiny import dpo_rows, sft_rows, turn, write_rows
from worksmith.tools.errors import InputError
from worksmith.training.rows import read_data

_ASKED = [turn("user", "Who?")]
_SAID = [turn("assistant", "Ada")]
_SAME = {"chosen": _SAID, "rejected": _SAID}


def test_lines_of_both_forms_are_read(tmp_path: Path) -> None:
    rows = [*sft_rows(2), {"prompt": _ASKED, "completion": _SAID}]
    assert len(read_data(write_rows(tmp_path / "sft.jsonl", rows), preferences=False).rows) == 3
    assert len(read_data(write_rows(tmp_path / "dpo.jsonl", dpo_rows(2)), preferences=True).rows) == 2


@pytest.mark.parametrize(
    ("preferences", "row", "said"),
    [
        (False, {"messages": []}, "messages"),
        (False, {"messages": _ASKED}, "no turn of the assistant has a text"),
        (False, {"messages": [*_ASKED, turn("robot", "Ada")]}, "messages.1.role"),
        (False, {"messages": [*_ASKED, {"role": "assistant"}]}, "messages.1.content"),
        (False, {"messages": [*_ASKED, turn("assistant", "")]}, "no turn of the assistant has a text"),
        (False, {"messages": [*_ASKED, *_SAID], "weight": 2}, "weight"),
        (False, {"prompt": _SAID, "completion": _SAID}, "the prompt ends with a turn of the assistant"),
        (False, {"prompt": _ASKED, "completion": _ASKED}, "completion does not begin"),
        (False, {"prompt": "Who?", "completion": "Ada"}, "prompt"),
        (False, {**_SAME, "prompt": _ASKED}, "give this file to worksmith train dpo"),
        (False, ["Who?"], "an object is needed"),
        (True, {"messages": [*_ASKED, *_SAID]}, "give this file to worksmith train sft"),
        (True, {**_SAME, "prompt": _ASKED}, "chosen and rejected are the same"),
        (True, {"prompt": _ASKED, "chosen": _SAID}, "rejected"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_named(preferences: bool, row: Any, said: str, tmp_path: Path) -> None:
    good = dpo_rows(1) if preferences else sft_rows(1)
    file = write_rows(tmp_path / "data.jsonl", [*good, row])
    with pytest.raises(InputError) as raised:
        read_data(file, preferences=preferences)
    assert raised.value.where == f"{file}:2"
    assert said in str(raised.value)


def test_what_is_no_json_and_what_is_empty_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    file.write_text(json.dumps(sft_rows(1)[0]) + "\n\n{'messages'\n")
    with pytest.raises(InputError, match=r"data\.jsonl:3"):
        read_data(file, preferences=False)
    file.write_text("\n")
    with pytest.raises(InputError, match="no line"):
        read_data(file, preferences=False)
