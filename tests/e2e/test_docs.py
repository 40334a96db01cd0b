"""What the documentation says a command prints, it prints; its programs run and its links lead somewhere."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer.main

from docs.pages import INDEX, LLMS, llms_txt, on_page_markdown
from docs.snippets import (
    NEEDS,
    REASONS,
    ROOT,
    Block,
    ToolContext,
    blocks,
    difference,
    is_run,
    needs,
    pages,
    refreshed,
)
from tests.made_once import shared
from tests.stores import new_store
from worksmith.cli.app import app
from worksmith.models.named import read_models
from worksmith.tools.files.project_file import read_project

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SHELL = ("console", "sh", "bash")
KNOWN = {*SHELL, "python", "pycon", "text", "csv", "json", "toml", "yaml", "nginx", "mermaid"}
PART = "a part of a program"
PROJECT = {"suite": ".", "out": "compiled.json"}
"""Settings that a page's project file may hold, so that its commands leave them out."""

WORKSMITH = re.compile(r"(?:\$ )?(?:\w+=\S+ )*(?:\.venv/bin/)?worksmith ((?!--)\w.*)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def all_blocks() -> list[Block]:
    return [block for page in pages() for block in blocks(page)]


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in pages() if any(map(is_run, blocks(page)))], ids=name)
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    missing = [need for need in needs(page) if not NEEDS[need].exists()]
    if missing:
        pytest.skip(f"{', '.join(missing)}: data of another project, not at hand")
    new_store(tmp_path / "mlruns" / "mlflow.db")
    ctx = ToolContext(tmp_path, page, shared("pages"))
    wrong = []

    for block in filter(is_run, blocks(page)):
        for command, real in ctx.run(block):
            left = difference(command.shown, real) if command.shown else None
            if left is not None:
                wrong.append(f"{block.place}: $ {command.text}\nshown: {left}\nreal:\n" + "\n".join(real))

    assert not wrong, "\n\n".join([*wrong, "`python -m docs.snippets` puts the new output into the pages"])


def test_blocks_are_left_out_for_few_reasons() -> None:
    given = {
        (block.place, block.directives["not run"]) for block in all_blocks() if "not run" in block.directives
    }

    assert [entry for entry in sorted(given) if entry[1] not in REASONS] == []


def test_programs_and_commands_are_run_or_say_why_not() -> None:
    silent = [
        block.place
        for block in all_blocks()
        if block.language in ("python", *SHELL) and not is_run(block) and not block.directives
    ]
    assert silent == []
    assert {block.language for block in all_blocks()} <= KNOWN


def test_parts_stand_in_the_programs_that_they_are_of() -> None:
    parts = [block for block in all_blocks() if "part of" in block.directives]
    assert len(parts) >= 5
    for block in parts:
        whole = (ROOT / block.directives["part of"]).read_text()
        for statement in "\n".join(block.lines).split("\n\n\n"):
            assert statement in whole, f"{block.place}: {statement}"


def test_programs_that_are_not_run_define_their_names(tmp_path: Path) -> None:
    for number, block in enumerate(all_blocks()):
        if block.language == "python" and block.directives.get("not run", PART) != PART:
            (tmp_path / f"block{number}.py").write_text("\n".join([f"# {block.place}", *block.lines]))
    check = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821", str(tmp_path)]
    found = subprocess.run(check, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout


def test_data_that_is_only_shown_is_read_by_what_it_is_for(tmp_path: Path) -> None:
    file = tmp_path / "worksmith.toml"
    for block in all_blocks():
        text = "\n".join(block.lines)
        try:
            if block.language == "toml" and (
                "models" in tomllib.loads(text) or "prices" in tomllib.loads(text)
            ):
                file.write_text(text)
                read_models(read_project(file).models, where=block.place)
            elif block.language == "json":
                json.loads(text) if text.startswith("{\n") else [*map(json.loads, block.lines)]
        except Exception as error:
            raise AssertionError(f"{block.place}: {error}") from error


def test_commands_that_are_only_shown_have_the_options_they_show() -> None:
    worksmith = typer.main.get_command(app)
    for block in (each for each in all_blocks() if each.language in SHELL):
        for line in "\n".join(block.lines).replace("\\\n", " ").split("\n"):
            if not (found := WORKSMITH.match(line)):
                continue
            command, arguments = worksmith, shlex.split(found[1], comments=True)
            while (commands := getattr(command, "commands", None)) is not None:
                if (default := getattr(command, "default", None)) and arguments[0] not in commands:
                    arguments.insert(0, default)  # a word that may be left out
                command = commands[arguments.pop(0)]
            try:
                command.make_context("worksmith", arguments, default_map=PROJECT)
            except Exception as error:
                raise AssertionError(f"{block.place}: {line}") from error


def test_addresses_on_this_machine_have_the_ports_of_our_commands() -> None:
    text = "\n".join(page.read_text() for page in pages() if page.name != "cli.md")
    ports = set(re.findall(r"127\.0\.0\.1:(\d+)", text)) - {"5001"}  # of `mlflow models serve`
    ours = set(re.findall(r"`--port`.*?(\d{4})", (ROOT / "docs/cli.md").read_text()))
    assert {"8440", "8450"} <= ports <= ours


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        f"{name(page)}: {target}"
        for page in pages()
        for target in LINK.findall(page.read_text())
        if not target.startswith(("http://", "https://", "mailto:")) and not leads_somewhere(page, target)
    ]

    assert broken == []


def test_every_page_is_in_the_index() -> None:
    listed = {
        (index.parent / target.partition("#")[0]).resolve()
        for index in (INDEX, ROOT / "docs/api/README.md")
        for target in LINK.findall(index.read_text())
    }

    assert [name(page) for page in pages()[1:] if page.name != "README.md" and page not in listed] == []
    assert llms_txt() == LLMS.read_text(), "`make docs` writes it"


def test_pages_are_short_and_begin_with_their_use() -> None:
    written = [
        page
        for page in pages()[2:]
        if page.name not in ("cli.md", "results.md") and page.parent.name != "api"
    ]
    lines = {name(page): page.read_text().split("\n") for page in written}

    assert [page for page, text in lines.items() if not text[2].startswith("After this page ")] == []
    assert [page for page, text in lines.items() if len(text) > 251] == []


@pytest.mark.parametrize(
    ("page", "link", "in_the_site"),
    [
        ("README.md", "../SECURITY.md#limits", "repository/SECURITY.md#limits"),
        ("how-to/judge.md", "../concepts.md", "../concepts.md"),
        ("how-to/judge.md", "../../examples", "../repository/examples/README.md"),
        ("repository/SECURITY.md", "docs/how-to/mcp.md#over-http", "../how-to/mcp.md#over-http"),
        ("README.md", "https://dspy.ai", "https://dspy.ai"),
    ],
)
def test_links_lead_to_where_the_site_has_their_targets(page: str, link: str, in_the_site: str) -> None:
    place = SimpleNamespace(file=SimpleNamespace(src_uri=page))

    assert on_page_markdown(f"[there]({link})", place) == f"[there]({in_the_site})"


@pytest.mark.parametrize(
    ("shown", "real", "left"),
    [
        (["a  1"], ["a 1", ""], None),
        (["a 1"], ["a 2"], "a 1"),
        (["a …"], ["a 2.5"], None),
        (["b"], ["a", "b"], "b"),
        (["...", "b"], ["a", "b"], None),
        (["a"], ["a", "b"], "(nothing more, but the output goes on: b)"),
        (["b", "...", "a"], ["b", "c", "b"], "a"),
    ],
)
def test_shown_output_is_compared_strictly(shown: list[str], real: list[str], left: str | None) -> None:
    assert difference(shown, real) == left


def test_refreshing_takes_new_figures_and_keeps_what_was_left_open() -> None:
    shown = ["...", "react   10.0   …", "..."]
    real = ["program  outcome  seconds", "react   12.5   0.31", "plan    9.0   0.4"]

    assert refreshed(shown, real) == ["...", "react   12.5      …", "..."]


def leads_somewhere(page: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    there = (page.parent / path).resolve() if path else page
    if not there.exists():
        return False
    return not anchor or anchor in {slug(heading) for heading in HEADING.findall(there.read_text())}


def slug(heading: str) -> str:
    """The anchor that code hosts give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
