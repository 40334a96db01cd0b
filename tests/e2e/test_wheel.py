"""The wheel: it has all files, and works beside a user's own folders or says why it does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("worksmith", "worksmith_suite", "optimizers", "programs", "evals", "tools", "retrievers")
SCRIPT = """
import worksmith
from worksmith.tools.environment import Environment
from worksmith.tools.world_kind import world_kind
print(worksmith.__file__)
print(world_kind("enterprise").finish.summary, worksmith.Agent.__name__)
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source, made = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    _pip("wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", made, source)
    (file,) = made.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    _pip("install", "--no-deps", "--no-index", "--target", folder, wheel)
    return folder


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A user's folder with a script and something that clashes with nothing: data under a common name."""
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "results.csv").write_text("task,score\n")
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "__init__.py").write_text("")
    return tmp_path


def python(site: Path, *arguments: str | Path, first: Path | None = None) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(map(str, (first, site) if first else (site,)))
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        cwd=first or site,
    )


def test_every_file_of_the_packages_is_in_the_wheel(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    files = (file for name in PACKAGES for file in (ROOT / name).rglob("*") if file.is_file())
    there = {str(file.relative_to(ROOT)) for file in files if "__pycache__" not in file.parts}

    assert len(there) > 500
    assert sorted(there - packed) == []


def test_a_script_beside_other_folders_works(site: Path, user: Path) -> None:
    done = python(site, user / "script.py")
    ran, said = done.stdout.splitlines()

    assert Path(ran).is_relative_to(site)
    assert said.startswith("End the task")
    assert said.endswith("Agent")


@pytest.mark.parametrize("name", ["optimizers", "programs", "evals", "tools", "retrievers"])
@pytest.mark.parametrize("file", ["{name}/__init__.py", "{name}.py"])
def test_a_folder_that_hides_a_package_is_named(name: str, file: str, site: Path, user: Path) -> None:
    shutil.rmtree(user / "evals")
    hiding = user / file.format(name=name)
    hiding.parent.mkdir(exist_ok=True)
    hiding.write_text("")
    done = python(site, user / "script.py")
    last = done.stderr.splitlines()[-1]

    assert done.returncode == 1
    assert last.startswith(f"ImportError: {hiding.parent if file.endswith('__init__.py') else hiding} hides")
    assert f"package '{name}': rename it" in last


def test_a_package_that_was_imported_before_is_named_too(site: Path, user: Path) -> None:
    (user / "tools").mkdir()
    (user / "tools" / "__init__.py").write_text("")
    (user / "script.py").write_text(
        "import sys\nimport tools\nsys.path.pop(0)\ntry:\n    import worksmith\n"
        "except ImportError as error:\n    print(error)\n"
    )

    assert f"{user / 'tools'} hides" in python(site, user / "script.py").stdout


def test_the_command_says_so_without_a_traceback(site: Path, user: Path) -> None:
    assert python(site, site / "bin" / "worksmith", "--version").stdout == "worksmith 0.1.0\n"
    (user / "tools").mkdir()
    (user / "tools" / "__init__.py").write_text("")
    for command in ((site / "bin" / "worksmith",), ("-m", "worksmith.cli")):
        done = python(site, *command, "--version", first=user)

        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"error: {user / 'tools'} hides worksmith's own package 'tools'")
        assert done.stderr.count("\n") == 1


def _pip(*arguments: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_a_new_project_is_checked_compiled_compared_and_tested_at_once(site: Path, tmp_path: Path) -> None:
    command = site / "bin" / "worksmith"
    made = python(site, command, "new", "helpdesk", first=tmp_path)
    assert made.returncode == 0, made.stderr
    folder = tmp_path / "helpdesk"
    for words in (["tasks", "check"], ["compare", ".", "--strategies", "react"]):
        done = python(site, command, *words, first=folder)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        if words[0] == "compare":
            assert "Compiling with bootstrap lifted react from 0.0 to" in done.stdout
    tested = python(site, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", first=folder)
    assert tested.returncode == 0, tested.stdout
