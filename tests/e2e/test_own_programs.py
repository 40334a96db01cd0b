"""Programs of a user's own module, and compiles that start from a compiled program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import standin
from tests.e2e.conftest import invoke
from worksmith.evals.suite import Suite
from worksmith.jobs.opening.own_programs import own_name
from worksmith.jobs.opening.programs import load_program, named_program
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.optimizers.search.few_shot import Bootstrap
from worksmith.programs.agent import Agent
from worksmith.tools.errors import InputError

MINE = """
import dspy
from worksmith.programs.agent import Agent


class Wrapped(dspy.Module):
    def __init__(self, env):
        super().__init__()
        self.agent = Agent("react", env=env)

    def forward(self, task):
        return self.agent(task=task)


def broken(env):
    raise ValueError("no luck")


def nothing():
    return 7


number = 7
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module in the current directory."""
    name = f"mine_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def test_the_name_of_a_file_is_no_address(tmp_path: Path) -> None:
    assert own_name("build/agent.json") is None
    assert own_name("a.b:make") == ("a.b:make", None)
    assert own_name("a.b:make@x/y.json") == ("a.b:make", Path("x/y.json"))


@pytest.mark.parametrize("named", ["mine.py", "agents/mine.py:make"])
def test_a_python_file_is_named_by_its_module(office: Path, named: str) -> None:
    with pytest.raises(InputError, match=r"Python code is not a compiled program .*package.module:factory"):
        named_program(named, Suite.open(office).env)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("broken", "failed: ValueError: no luck"),
        ("nothing", "made a int, which takes no task"),
        ("number", "is not a factory"),
        ("absent", "has no absent"),
    ],
)
def test_a_module_without_a_program_is_told(office: Path, mine: str, what: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        named_program(f"{mine}:{what}", Suite.open(office).env)


@pytest.mark.slow
def test_a_program_of_ones_own_is_compiled_and_measured(office: Path, mine: str) -> None:
    few = ["--train-limit", "4", "--dev-limit", "4", "--demos", "2", "--no-track", "--accept", "best"]
    made = invoke("compile", str(office), "--program", f"{mine}:Wrapped", "-o", "own.json", *few)
    assert made.exit_code == 0, made.output
    assert Artifact.read("own.json").manifest.program == {"own": f"{mine}:Wrapped"}
    alone = invoke("eval", str(office), "--program", "own.json", "--no-track")
    assert "name the module that makes it" in str(alone.exception)
    loaded = invoke(
        "eval", str(office), "--program", f"{mine}:Wrapped@own.json", "--limit", "4", "--no-track", "--json"
    )
    assert json.loads(loaded.stdout)["program"] == "own.json"
    compared = invoke(
        "compare", str(office), "--program", f"{mine}:Wrapped", "--program", f"{mine}:Wrapped@own.json",
        "--optimizers", "none", "--limit", "4", "--no-track",
    )  # fmt: skip
    assert compared.exit_code == 0, compared.output


@pytest.mark.slow
def test_a_compile_starts_from_a_compiled_program_and_is_verified(office: Path, tmp_path: Path) -> None:
    few = ["--train-limit", "4", "--dev-limit", "4", "--demos", "2", "--no-track"]
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    assert invoke("compile", str(office), "--optimizer", "knn", "--accept", "best", "-o", str(first), *few)
    again = invoke(
        "compile", str(office), "--program", str(first), "--optimizer", "race", "-o", str(second), *few
    )
    assert again.exit_code == 0, again.output
    trials = {trial["name"]: trial for trial in Artifact.read(second).manifest.trials}
    before = {trial["name"]: trial for trial in Artifact.read(first).manifest.trials}
    assert trials["uncompiled"]["program"] == before["nearest"]["program"]
    assert invoke("verify", str(second), "--lm", standin.NAME).exit_code == 0


@pytest.mark.slow
def test_python_and_the_command_make_the_same_program(office: Path, tmp_path: Path) -> None:
    suite, file = Suite.open(office), tmp_path / "command.json"
    made = invoke(
        "compile", str(office), "--optimizer", "bootstrap", "--demos", "2", "-o", str(file), "--no-track",
        "--train-limit", "6", "--dev-limit", "6",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    agent = load_program(file, suite.env)
    compiled = Bootstrap(lm=standin.NAME, demos=2).compile(
        Agent("react", toolset=agent.toolset, env=suite.env),
        trainset=suite.examples("train", limit=6),
        valset=suite.examples("dev", limit=6),
    )
    assert type(compiled) is Agent
    assert compiled.dump_state() == agent.dump_state()
    ours, theirs = compiled.compilation.artifact.manifest, Artifact.read(file).manifest
    assert ours.trials == theirs.trials
    compiled.compilation.save(tmp_path / "python.json")
    assert load_program(tmp_path / "python.json", suite.env).dump_state() == agent.dump_state()
