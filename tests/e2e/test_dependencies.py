"""Packages that are imported are declared, pinned and explained."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from worksmith.evals.rating import agreement
from worksmith.retrievers.extras import install_line
from worksmith.tools.errors import InputError

ROOT = Path(__file__).parents[2]
OURS = {"worksmith", "worksmith_suite", "optimizers", "programs", "evals", "tools", "retrievers"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXAMPLES = {file.stem for file in (ROOT / "examples").glob("*.py")}
BROUGHT = {"openai"}
"""Packages of examples that DSPy brings."""
ELSEWHERE = {"agents": ["openai-agents"], "pydantic_ai": ["pydantic-ai-slim"]}
"""The packages of modules that need not be installed, where they have another name."""
EXTRAS = {name: packages for name, packages in PROJECT["optional-dependencies"].items() if name != "dev"}


def names(requirements: list[str]) -> set[str]:
    """The packages of requirements, as indexes spell them."""
    return {_plain(re.split(r"[^\w.-]", each, maxsplit=1)[0]) for each in requirements}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported() -> Iterator[tuple[str, str]]:
    """The top-level modules that our files import, each with the file."""
    for package in (*OURS, "examples"):
        for file in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_bytes())):
                found = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and not node.level:
                    found = [node.module or ""]
                yield from ((name.partition(".")[0], str(file.relative_to(ROOT))) for name in found)


@pytest.mark.slow
def test_imported_packages_are_declared_pinned_and_explained_and_no_others() -> None:
    declared = names(PROJECT["dependencies"]).union(*map(names, EXTRAS.values()))
    installed = {**ELSEWHERE, **packages_distributions()}
    modules = dict(imported())
    missing = {
        module: file
        for module, file in modules.items()
        if module not in OURS | sys.stdlib_module_names | BROUGHT | EXAMPLES
        and declared.isdisjoint(map(_plain, installed.get(module, [module])))
    }

    assert missing == {}

    used = {_plain(each) for module in modules for each in installed.get(module, [module])}
    pinned = names((ROOT / "requirements.lock").read_text().splitlines())
    text = (ROOT / "docs" / "dependencies.md").read_text()

    assert declared - used - {"gguf", "mkdocs-material"} == set()  # transformers and mkdocs use them
    assert names(PROJECT["dependencies"]) - pinned == set()
    assert {each for each in declared if not re.search(rf"\b{each}\b", text, re.IGNORECASE)} == set()
    assert {extra for extra in EXTRAS if f"`{extra}`" not in text} == set()


def test_pages_examples_and_messages_name_extras_that_there_are() -> None:
    files = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.py"), ROOT / "README.md"]
    text = "\n".join(file.read_text() for file in files)
    # As `worksmith[x]`, or as docs/install.md says: `'.[x]'` from the checkout, `….whl[x]` from a wheel.
    named = re.findall(r"(?:worksmith|[\s'\"`]\.|\.whl)\[([a-z][\w,-]*)\]", text)
    ours = "\n".join(file.read_text() for name in OURS for file in (ROOT / name).rglob("*.py"))
    said = re.findall(r"(?:(?:missing_extra|needing)\([^)\n]*, |install_line\()['\"]([^'\"]*)['\"]\)", ours)
    assert {"vectors", "ray"} <= set(named)
    assert {"train", "langgraph", "vectors"} <= set(said)
    assert set(",".join([*named, *said]).split(",")) <= set(EXTRAS)


def test_a_missing_extra_says_how_to_get_it() -> None:
    with patch.dict(sys.modules, {"krippendorff": None}), pytest.raises(InputError) as error:
        agreement._alpha(np.array([[1, 2, 0, 0, 0], [0, 1, 1, 0, 0]]))

    assert error.value.hint == install_line("rating")
