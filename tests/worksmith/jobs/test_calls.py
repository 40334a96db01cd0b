"""Toolsets by strategy and native calls from the command line, to programs in files and tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dspy
import pytest

from tests.chat_server import ChatServer, called, chat_server, said
from tests.programs.office import finish
from tests.programs.org import QUARTERS, make_org
from tests.worksmith.commands import shown
from worksmith.evals.records.run_card import CARD, beside, read_card
from worksmith.evals.suite import Suite, write_suite
from worksmith.jobs.opening.programs import load_program
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.tools.errors import InputError

pytestmark = pytest.mark.usefixtures("here")

MODEL = "openai/gpt-4o-mini"
OPTIMIZERS = ["knn", "bootstrap", "dspy:BootstrapFewShot"]


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    world = make_org(tmp_path_factory.mktemp("org")).world
    splits = ("train", "train", "dev", "test")
    tasks = [task.model_copy(update={"split": split}) for task, split in zip(QUARTERS, splits, strict=True)]
    return write_suite(world, tasks)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    # Not DSPy's own cache, which outlives the test.
    cache = dspy.clients.Cache(enable_disk_cache=False, enable_memory_cache=False, disk_cache_dir=None)
    monkeypatch.setattr(dspy, "cache", cache)
    with chat_server() as running:
        monkeypatch.setenv("OPENAI_API_BASE", running.url)
        yield running


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize(
    ("strategy", "tool"), [("act", "query.soql"), ("function_calling", "functions.get_period")]
)
def test_a_program_is_compiled_with_the_tools_of_its_strategy(
    suite: Suite, here: Path, strategy: str, tool: str, optimizer: str
) -> None:
    file = here / "program.json"
    options = ("--optimizer", optimizer, "--accept", "best", "--demos", 2, "--no-track", "--out", file)
    shown("compile", suite.path, "--strategy", strategy, *options)
    agent, manifest = load_program(file, suite.env), Artifact.read(file).manifest
    demos = agent.selector.predict.demos

    assert manifest.program["toolset"] == agent.toolset == tool.partition(".")[0]
    assert {demo["trajectory"][0]["tool"] for demo in demos} <= {tool}
    assert optimizer == "bootstrap" or len(demos) == 2
    assert all("\n" not in demo["context"] for demo in demos)


def test_what_calls_are_made_of_is_kept_in_the_file(suite: Suite, here: Path) -> None:
    options = ("--prompt", "text", "--toolset", "functions+query", "--no-track", "--optimizer", "none")
    shown("compile", suite.path, "--strategy", "function_calling", *options, "--out", here / "p.json")
    agent = load_program(here / "p.json", suite.env)

    assert (agent.prompt, agent.toolset, agent.strategy.prompt) == ("text", "functions+query", "native")
    assert agent.config == Artifact.read(here / "p.json").manifest.program


def test_each_strategy_of_a_comparison_has_its_own_tools(suite: Suite, here: Path) -> None:
    arguments = (
        "compare",
        suite.path,
        "--strategies",
        "act,react,function_calling",
        "--optimizers",
        "none,knn",
    )
    found = json.loads(shown(*arguments, "--lm", "gold", "--no-track", "--json"))
    tools = {row["label"]: row["settings"].get("toolset") for row in found["rows"] if not row["baseline"]}

    assert tools == {
        "act": "query",
        "act + knn": "query",
        "react": "query",
        "react + knn": "query",
        "function_calling": "functions",
        "function_calling + knn": "functions",
    }
    assert {row["scores"]["outcome"]["value"] for row in found["rows"] if not row["baseline"]} == {1.0}
    assert found["toolset"] == "function_calling: functions; query"


def test_the_table_says_which_tools_a_row_had_where_they_differ(suite: Suite, here: Path) -> None:
    arguments = ("compare", suite.path, "--optimizers", "none", "--lm", "gold", "--no-track", "--verbose")
    differ = shown(*arguments, "--strategies", "act,function_calling")
    same = shown(*arguments, "--strategies", "act,function_calling", "--toolset", "functions")

    assert "functions" in differ.partition("Reward")[0]
    assert "tools" in differ.partition("Reward")[0]
    assert "tools" not in same.partition("Reward")[0]


def test_an_unknown_toolset_or_way_is_named(suite: Suite) -> None:
    for command in ("run", "eval", "compare", "compile"):
        more: list[Any] = {"run": [QUARTERS[0].id], "compile": ["--out", "file"]}.get(command, [])
        for option, value in (("--toolset", "quarry"), ("--prompt", "loudly")):
            with pytest.raises(InputError, match=f"{option}: no .*{value}"):
                shown(command, suite.path, *more, option, value)


def test_what_a_task_tells_besides_is_shown(suite: Suite) -> None:
    said = " ".join(shown("run", suite.path, QUARTERS[0].id, "--lm", "gold", "--strategy", "act").split())

    assert QUARTERS[0].context in said


@pytest.mark.slow
def test_a_compiled_program_calls_natively_is_recorded_and_replayed(
    suite: Suite, here: Path, server: ChatServer
) -> None:
    shown(
        *("compile", suite.path, "--strategy", "function_calling", "--optimizer", "knn", "--accept", "best"),
        *("--out", here / "p.json", "--no-track"),
    )
    server.say(
        called(("functions__get_period", {"period_name": "Q4", "year": 2023})),
        said("Hm."),
        called(("finish", {"answer": "October"})),
    )
    arguments = ("eval", suite.path, "--program", here / "p.json", "--no-track", "--json")
    asked = json.loads(shown(*arguments, "--lm", MODEL, "--record", here / "record.jsonl"))
    again = json.loads(shown(*arguments, "--lm", f"replay:{here / 'record.jsonl'}"))
    bodies = server.bodies

    assert [body["tools"][-1]["function"]["name"] for body in bodies] == ["finish"] * 3
    assert [m["role"] for m in bodies[0]["messages"]].count("tool") == 2 * 4
    assert [row["correct"] for row in asked["rows"]] == [row["correct"] for row in again["rows"]] == [True]
    assert asked["rows"][0]["used_tokens"] == again["rows"][0]["used_tokens"] == 39


@pytest.mark.slow
def test_calls_are_made_in_the_way_that_was_asked_for(suite: Suite, server: ChatServer) -> None:
    arguments = ("run", suite.path, QUARTERS[3].id, "--strategy", "function_calling", "--lm", MODEL)
    server.say(said(finish("October")), called(("finish", {"answer": "October"})))
    for calls in ("text", "native"):
        shown(*arguments, "--prompt", calls)

    assert ["tools" in body for body in server.bodies] == [False, True]


@pytest.mark.slow
def test_models_without_tool_calls_are_refused_before_anything_is_paid(
    suite: Suite, server: ChatServer, here: Path
) -> None:
    listed_without, asked = "openai/gpt-3.5-turbo-16k", ("--no-track", "--prompt", "native")
    commands = [
        ("eval", suite.path, "--lm", listed_without, *asked),
        ("compile", suite.path, "--lm", MODEL, "--teacher", listed_without, *asked, "--out", here / "p.json"),
        ("compare", suite.path, "--lm", f"{MODEL},{listed_without}", *asked, "--optimizers", "none"),
        ("run", suite.path, QUARTERS[3].id, "--lm", listed_without, "--prompt", "native"),
    ]
    for command in commands:
        with pytest.raises(InputError, match="-16k has no native tool calls") as error:
            shown(*command)
        assert "--prompt text" in str(error.value.hint)
    assert server.bodies == []


@pytest.mark.slow
def test_a_model_that_lists_are_wrong_about_is_said_to_have_tool_calls(
    suite: Suite, server: ChatServer
) -> None:
    server.say(called(("finish", {"answer": "-"})))
    shown(
        *("run", suite.path, QUARTERS[3].id, "--lm", "openai/gpt-3.5-turbo-16k tool_calls=true"),
        *("--strategy", "react", "--prompt", "native"),
    )

    assert "tools" in server.bodies[0]


@pytest.mark.parametrize(
    ("strategy", "calls", "named"),
    [("react", "native", True), ("react", "auto", False), ("function_calling", "text", True)],
)
def test_the_command_that_runs_a_task_again_has_the_form_of_calls(
    suite: Suite, here: Path, strategy: str, calls: str, named: bool
) -> None:
    options = ("--strategy", strategy, "--prompt", calls, "--no-track", "--log", here / "log.jsonl")
    shown("eval", suite.path, "--lm", "gold", *options)
    card = read_card(beside(here / "log.jsonl", CARD))

    assert card.settings["prompt"] == calls
    assert ("--prompt" in card.rerun) is named
