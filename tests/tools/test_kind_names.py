"""No generic file names a kind of world or a published system: what is known of one lies with the kind."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tables import each_row

ROOT = Path(__file__).parents[2]
PACKAGES = ("worksmith", "optimizers", "programs", "evals", "tools", "retrievers")
ELSEWHERE = ("evals/kinds", "tools/kinds", "worksmith/__init__.py")
"""The kinds, and the public names, two of which are those of a kind."""

NAMED = re.compile(
    r"(?<![a-z])(?:office|dspy_examples|enterprise|crm|own_data|workbench|crmarena|enterprisebench)(?![a-z])"
)
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
DATA = {".toml", ".json", ".txt", ".html", ".css", ".js"}


def files(*endings: str) -> Iterator[Path]:
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*")):
            if file.suffix in endings and not file.relative_to(ROOT).as_posix().startswith(ELSEWHERE):
                yield file


def words_of(code: str) -> Iterator[str]:
    """Identifiers, imported modules and string literals, docstrings among them."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.alias(name=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.ImportFrom(module=str(name)) | ast.keyword(arg=str(name)):
                yield name


def named_in(text: str) -> list[str]:
    return NAMED.findall(f"{text.lower()} {CAMEL.sub('_', text).lower()}")


@each_row(
    "text",
    ["CrmScorer", "crm_world", "worksmith.evals.kinds.office.office_tasks", "a WorkBench file", "Enterprise"],
)
def test_a_name_is_found_however_it_is_written(text: str) -> None:
    assert named_in(text)


@pytest.mark.parametrize("text", ["officer", "enterprising", "scrm", "workbenches"])
def test_other_words_are_none(text: str) -> None:
    assert not named_in(text)


@pytest.mark.slow
def test_no_code_names_a_kind() -> None:
    found = [
        f"{file.relative_to(ROOT)}: {text[:60]}"
        for file in files(".py")
        for text in words_of(file.read_text(encoding="utf-8"))
        if named_in(text)
    ]
    assert not found


def test_no_data_names_a_kind() -> None:
    found = [
        f"{file.relative_to(ROOT)}: {line[:60]}"
        for file in files(*DATA)
        for line in file.read_text(encoding="utf-8").splitlines()
        if named_in(line)
    ]
    assert not found
