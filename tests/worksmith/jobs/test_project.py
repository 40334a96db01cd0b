"""Projects of a user's own: made, opened, and what is said of mistakes in their files."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.suite import Suite
from tools.errors import InputError
from worksmith.jobs.project import new_project
from worksmith.jobs.settings.suites import NewSettings


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return new_project(NewSettings(folder="desk")).folder


def test_a_new_project_opens_from_anywhere(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = Suite.open(project)

    assert suite.path.name == "desk"
    assert suite.counts() == {"dev": 9, "test": 13, "train": 18}
    assert suite.env.persona("bela").department == "IT"
    monkeypatch.chdir(project)
    assert Suite.open(".").digest == suite.digest


def test_a_folder_that_is_there_is_not_written_to(project: Path) -> None:
    with pytest.raises(InputError, match="already there"):
        new_project(NewSettings(folder="desk"))


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("environment.py", "env = 3\n", "there is no environment 'env'"),
        ("environment.py", "import nothing_of_the_kind\n", "environment.py:1: .*nothing_of_the_kind"),
        ("environment.py", "x = 1\nx = = 2\n", "environment.py:2: .*SyntaxError"),
        ("environment.py", "x = 1\n1 / 0\n", "environment.py:2: .*ZeroDivisionError"),
        ("environment.py", "import sys\nsys.exit(3)\n", "environment.py.*ends"),
        ("worksmith.toml", "[environment]\nfile = 'none.py'\n", "none.py: no such Python file"),
        ("worksmith.toml", "[environment]\nfiles = 'environment.py'\n", "files"),
        ("worksmith.toml", "[environment]\ntasks = 'none.jsonl'\n", "there are no tasks"),
        ("tasks.jsonl", "{}\n", "tasks.jsonl:1"),
        ("policy.json", "{}\n", "policy.json"),
    ],
)
def test_a_mistake_is_told_with_its_place(project: Path, file: str, text: str, said: str) -> None:
    (project / file).write_text(text)
    with pytest.raises(InputError, match=said):
        Suite.open(project).env.check()
