"""Objects of the user's, by address."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from worksmith.evals.dspy_programs.own_code import own_object
from worksmith.tools.errors import InputError, Notice


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; sys.exit('no key')", r"cannot be imported \(SystemExit: no key\)"),
        ("def agent(task) return", r"cannot be imported \(SyntaxError"),
        ("other = 1", r"has no agent \(it is .*unusable_\w+\.py\)"),
    ],
)
def test_a_module_that_cannot_be_used_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, said: str
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    name = f"unusable_{abs(hash(code))}"
    (tmp_path / f"{name}.py").write_text(code)

    with pytest.raises(InputError, match=said) as error:
        own_object(f"{name}:agent", where="--agent")

    assert error.value.where == "--agent"


def test_the_current_directory_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed, here = tmp_path / "installed", tmp_path / "here"
    for folder in (installed, here):
        folder.mkdir()
        (folder / "found_twice.py").write_text(f"agent = {folder.name!r}")
    monkeypatch.chdir(here)
    monkeypatch.setattr(sys, "path", [str(installed), *sys.path, str(here)])

    with pytest.warns(Notice, match=r"^--agent: found_twice:agent is of found_twice\.py$"):
        assert own_object("found_twice:agent", where="--agent") == "here"


def test_a_projects_folder_comes_before_installed_packages_if_its_code_was_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, run in (("beside_run", True), ("beside_not_run", False)):
        installed, project = tmp_path / f"{name}_installed", tmp_path / f"{name}_project"
        for folder in (installed, project):
            folder.mkdir()
            (folder / f"{name}.py").write_text(f"agent = {folder.name!r}")
        monkeypatch.setattr(sys, "path", [*sys.path, str(installed), *([str(project)] if run else [])])
        found = own_object(f"{name}:agent", where="--agent", project=project)
        assert found == (project if run else installed).name
    (tmp_path / "pathlib.py").write_text("agent = 1")
    with pytest.raises(InputError, match=r"pathlib\.py cannot be imported: pathlib is .* .rename the file"):
        own_object("pathlib:agent", where="--agent")
