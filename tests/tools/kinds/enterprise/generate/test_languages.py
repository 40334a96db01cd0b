"""Generated code is code, in each of its languages, and no slot is left in it."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from worksmith.tools.kinds.enterprise.generate.code.families.other_languages import draw_file
from worksmith.tools.kinds.enterprise.generate.code.patches.modules import draw_module
from worksmith.tools.kinds.enterprise.generate.code.subjects import prose, subject, topics

_SLOT = re.compile(
    r"@(?:one|many|measure|label|group|key)\b|<(?:one|many|measure|other|label|group|[abs]\d)>|"
    r"\{(?:test|tail|word|argument)\}|(?<![A-Za-z])(?:ONE|MANY|MEASURE|LABEL|NAME|DOC)(?![A-Za-z])"
)
_FILES = 240


def codes(language: str, count: int = _FILES) -> list[str]:
    """A file in a language for each of some topics."""
    found = []
    for number, topic in enumerate([*topics()][:count]):
        numbers, words, taken = random.Random(number), subject(topic), set[str]()
        if language == "Python":
            found.append(draw_module(numbers, '"""A header."""', words, 5, taken).text)
        else:
            file = draw_file(numbers, language, ["A header."], words, taken)
            assert file is not None
            found.append(file[0])
    return found


@pytest.mark.parametrize("language", ["Python", "JavaScript", "SQL", "Shell"])
def test_no_slot_is_left(language: str) -> None:
    assert [found[0] for code in codes(language, 60) if (found := _SLOT.search(code))] == []


def test_prose_has_the_right_article() -> None:
    words = subject("invoice numbering")
    assert prose("A <one> needs a <label>.", words) == "An invoice needs a series."
    assert prose("a <one>, <many>", subject("volume pricing")) == "a bracket, brackets"
    assert prose("a <measure>", {"measure": "units_sold"}) == "a units sold"


def test_python_compiles() -> None:
    for code in codes("Python", 60):
        compile(code, "file.py", "exec")


@pytest.mark.parametrize("files", [30, pytest.param(_FILES, marks=pytest.mark.slow)])
def test_sql_runs(files: int) -> None:
    for code in codes("SQL", files):
        base = sqlite3.connect(":memory:")
        base.executescript(code)
        for (view,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
            base.execute(f"SELECT * FROM {view}").fetchall()
        base.close()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_scripts_are_read_by_bash() -> None:
    script = "\n".join(codes("Shell"))
    done = subprocess.run(["bash", "-n"], input=script, text=True, check=False, capture_output=True)
    assert done.stderr == ""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_modules_are_read_by_node(tmp_path: Path) -> None:
    for number, code in enumerate(codes("JavaScript", 20)):
        file = tmp_path / f"{number}.mjs"
        file.write_text(code)
        assert subprocess.run(["node", "--check", str(file)], check=False).returncode == 0


def test_brackets_of_modules_match() -> None:
    for code in codes("JavaScript"):
        assert all(code.count(first) == code.count(last) for first, last in ("()", "[]", "{}"))
