"""The project file: defaults of commands, named models, prices, and where each value comes from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.worksmith.commands import called, printed
from worksmith.models.named import use_models
from worksmith.models.resolve import resolve
from worksmith.tools.errors import InputError

PROJECT = """
[models.student]
model = "openai/gpt-4o-mini"
temperature = 0.25
api_key_env = "STUDENT_KEY"

[prices."openai/gpt-4o-mini"]
input = 0.1
output = 0.5

[defaults]
workers = 3

[defaults.compile]
workers = 5
out = "agent.json"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "worksmith.toml").write_text(PROJECT)
    yield tmp_path
    use_models({})


def shown(*words: str) -> dict[str, tuple[object, str]]:
    said = printed("config", "show", *words)
    return {row["setting"]: (row["value"], row["source"]) for row in said["settings"]}


def refused(*words: str) -> InputError:
    with pytest.raises(InputError) as caught:
        called(*words)
    return caught.value


def test_a_command_has_its_own_defaults_before_those_of_all() -> None:
    assert shown("eval")["--workers"] == (3, "worksmith.toml")
    assert shown("compile")["--workers"] == (5, "worksmith.toml")
    assert shown("compile")["--out"] == ("agent.json", "worksmith.toml")
    assert shown("compile")["--seed"] == (0, "default")
    assert shown("eval")["--prices"] == ("worksmith.toml", "worksmith.toml")


def test_the_environment_comes_before_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "sqlite:///elsewhere.db")
    (folder / "worksmith.toml").write_text('[defaults]\ntracking_uri = "sqlite:///here.db"\n')

    value, source = shown("eval")["--tracking-uri"]
    assert (value, source) == ("sqlite:///elsewhere.db", "environment: MLFLOW_TRACKING_URI")


def test_an_option_comes_before_the_file(folder: Path) -> None:
    (folder / "worksmith.toml").write_text('[defaults]\nsuite = "nowhere"\nworkers = 0\n')
    assert refused("eval").where == "worksmith.toml: defaults: workers"
    assert refused("eval", "elsewhere", "--workers", "2").where == "elsewhere"


def test_one_argument_beside_the_projects_suite_is_the_task(folder: Path) -> None:
    (folder / "worksmith.toml").write_text('[defaults]\nsuite = "nowhere"\n')
    assert refused("run", "t1").where == "nowhere"
    assert refused("run", "elsewhere", "t1").where == "elsewhere"
    assert called("run").exit_code == 2


def test_a_named_model_has_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    shown()  # any command reads the file
    with pytest.raises(InputError, match="STUDENT_KEY is not set"):
        resolve("student")
    monkeypatch.setenv("STUDENT_KEY", "sk-test")
    lm = resolve("student")

    assert lm.model == "openai/gpt-4o-mini"
    assert lm.kwargs["temperature"] == 0.25


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[defaults]\nwrkers = 3\n", "did you mean 'workers'"),
        ("[defaults.complie]\nout = 'x'\n", "did you mean 'compile'"),
        ("[defaults.compile]\nouts = 'x'\n", "did you mean 'out'"),
        ("[modles.x]\nmodel = 'openai/x'\n", "modles"),
        ("[models.x]\nmodel = 'openai/x'\ntemperture = 1\n", "temperture"),
        ("[models.'openai/x']\nmodel = 'openai/x'\n", "choose a plain name"),
        ("[models.x]\ntemperature = 1\n", "model"),
        ("defaults = 3\n", "defaults"),
        ("[defaults\n", "not a project file"),
    ],
)
def test_mistakes_in_the_file_are_named(folder: Path, text: str, said: str) -> None:
    (folder / "worksmith.toml").write_text(text)
    error = str(refused("eval", "suite"))
    assert said in error
    assert "worksmith.toml" in error


def test_a_file_of_a_folder_above_or_of_a_suite_does_not_count(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "below").mkdir()
    (folder / "suite").mkdir()
    (folder / "suite" / "worksmith.toml").write_text("[defaults]\nworkers = 7\n")
    assert shown("eval")["--workers"] == (3, "worksmith.toml")

    monkeypatch.chdir(folder / "below")
    assert shown("eval")["--workers"] == (8, "default")
