"""Pages, examples and the projects and programs that worksmith writes import public modules only."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from docs.api_pages import MODULES
from docs.snippets import ROOT, blocks, pages
from tests.tables import each_row
from worksmith.jobs.project import new_project
from worksmith.jobs.settings.suites import NewSettings

PUBLIC = ("worksmith", *MODULES)
SHOWN = ("examples", "worksmith/templates", "tests/toy_kind")
IMPORT = re.compile(r"^ *((?:from|import) worksmith[^(\n]*(?:\([^)]*\))?)", re.MULTILINE)
NAMED = re.compile(r"`(worksmith(?:\.\w+)+)")
OF_THE_CODE = ("architecture.md", "fidelity.md")
"""Pages that describe the code itself."""


def faults(code: str) -> list[str]:
    """The imports of worksmith in a program that are of no public name."""
    found: list[str] = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
            found += [name for name in names if _is_ours(name) and name not in PUBLIC]
        elif isinstance(node, ast.ImportFrom) and not node.level and _is_ours(str(node.module)):
            names = [each.name for each in node.names]
            found += [f"{node.module}: {name}" for name in names if not _is_public(str(node.module), name)]
    return found


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in ("worksmith", "worksmith_suite")


def _is_public(module: str, name: str) -> bool:
    return f"{module}.{name}" in PUBLIC or (module in PUBLIC and name in import_module(module).__all__)


def programs() -> Iterator[tuple[str, str]]:
    """The Python of pages and examples, with its place."""
    for page in pages():
        for block in blocks(page):
            if block.language == "python":
                yield block.place, "\n".join(block.lines)
            elif block.language == "pycon":
                yield block.place, "\n".join(line[4:] for line in block.lines if line[:4] in (">>> ", "... "))
    for folder in SHOWN:
        for file in sorted((ROOT / folder).rglob("*.py")):
            yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")


def test_pages_and_examples_import_public_names() -> None:
    wrong = [f"{place}: {fault}" for place, code in programs() for fault in faults(code)]
    assert not wrong, "\n".join(wrong)


@each_row(
    "code",
    [
        "import worksmith.evals.suite",
        "from worksmith.evals.suite import Suite",
        "from worksmith.plugins.worlds import Suite",
        "from worksmith import evals",
        "def f():\n    import worksmith.jobs as jobs",
    ],
)
def test_an_internal_import_is_found(code: str) -> None:
    assert len(faults(code)) == 1


def test_new_projects_import_public_names(tmp_path: Path) -> None:
    first = new_project(NewSettings(folder=tmp_path / "desk")).folder
    own = new_project(NewSettings(folder=tmp_path / "own", source=first / "data")).folder
    files = sorted(tmp_path.rglob("*.py"))
    assert {file.relative_to(tmp_path).parts[0] for file in files} == {first.name, own.name}
    for file in files:
        code = file.read_text(encoding="utf-8")
        assert "import worksmith as ws" in code
        assert not faults(code), file


def test_exported_programs_import_public_names() -> None:
    texts = [
        node.value
        for file in (ROOT / "worksmith" / "exports").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    imports = [found for text in texts for found in IMPORT.findall(text)]
    assert len(imports) > 3
    assert [fault for each in imports for fault in faults(each)] == []


def test_a_kind_of_world_imports_nothing_heavy() -> None:
    code = "import sys, worksmith.plugins.worlds; print({'dspy', 'numpy', 'torch'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "set()", done.stderr


def test_pages_for_users_name_public_modules() -> None:
    groups = re.findall(r'entry-points\."(.+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wrong = []
    for page in pages():
        for name in NAMED.findall(page.read_text(encoding="utf-8")):
            module, _, attribute = name.rpartition(".")
            known = name in (*PUBLIC, *groups) or _is_public(module, attribute)
            if not known and page.name not in OF_THE_CODE and _is_module(name):
                wrong.append(f"{page.relative_to(ROOT)}: {name}")
    assert not wrong, "\n".join(wrong)


def _is_module(name: str) -> bool:
    """Whether the first two parts of a dotted name are a module."""
    place = ROOT / Path(*name.split(".")[:2])
    return place.is_dir() or place.with_suffix(".py").is_file()
