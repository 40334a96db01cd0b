"""Kinds of world of other packages go through every command, and own data goes without them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mlflow import MlflowClient

from docs.snippets import blocks, pages
from tests import standin
from tests.stores import new_store

SOURCE = Path(__file__).parents[1] / "toy_kind" / "lending"
ENTRY_POINTS = """\
[worksmith.world_kinds]
lending = lending.world:LENDING

[worksmith.task_kinds]
lending = lending.tasks:LENDING
"""


def test_the_page_shows_the_source() -> None:
    page = next(each for each in pages() if each.name == "add-a-world.md")
    source = "\n".join(file.read_text(encoding="utf-8") for file in SOURCE.glob("*.py"))

    shown = [block for block in blocks(page) if block.language == "python"]
    assert len(shown) == 5
    for block in shown:
        for part in "\n".join(block.lines).split("\n\n\n"):
            assert part in source, block.place


def install(site: Path) -> None:
    """Put the package where an installer would, with what an installer writes about it."""
    shutil.copytree(SOURCE, site / "lending", ignore=shutil.ignore_patterns("__pycache__"))
    info = site / "lending-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lending\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)


TOGETHER = """
import json, sys
from typer.testing import CliRunner
from worksmith.cli.app import app
said = []
for words in json.loads(sys.argv[1]):
    done = CliRunner().invoke(app, words)
    said.append((done.stdout, str(done.exception or "")))
print(json.dumps(said))
"""
"""Runs several commands in one process."""


HIDDEN = ("crm", "enterprise", "office")
WITHOUT = f"""
import sys
class Finder:
    def find_spec(name, path=None, target=None):
        kind = name.partition(".kinds.")[2].partition(".")[0]
        if name.startswith("worksmith.") and kind in {HIDDEN}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Finder)
"""
"""Makes Python find no module of these kinds, as if their folders lay elsewhere."""


class Worksmith:
    """The command line in a folder of its own, with the package installed.

    Args:
        first: what its process runs before.
    """

    def __init__(self, folder: Path, *, first: str = "") -> None:
        self.folder, self.first = folder, first
        install(folder / "site")
        (folder / "worksmith.toml").write_text(f"[defaults]\nlm = '{standin.NAME}'\n")
        path = os.pathsep.join([str(folder / "site"), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.store = f"sqlite:///{folder / 'mlflow.db'}"
        self.environment = {**os.environ, "PYTHONPATH": path, "MLFLOW_TRACKING_URI": self.store}

    def __call__(self, *commands: str) -> list[list[str]]:
        """What each of several commands prints, and its error."""
        root = Path(__file__).parents[2]
        words = json.dumps([command.split() for command in commands])
        command = [sys.executable, "-P", "-c", self.first + TOGETHER, words]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={**self.environment, "PYTHONPATH": f"{self.environment['PYTHONPATH']}{os.pathsep}{root}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return list(json.loads(done.stdout))


@pytest.mark.slow
def test_it_goes_through_every_command(tmp_path: Path) -> None:
    worksmith = Worksmith(tmp_path)
    new_store(tmp_path / "mlflow.db")
    said = worksmith(
        "suite build lending --out shelf --books 24 --index static",
        "suite info shelf --json",
        "index shelf --check --json",
        "suite build --help",
        "eval shelf --log before.jsonl --no-track --json",
        "compile shelf --out p.json --optimizer knn --accept best --json",
        "eval shelf --program p.json --log after.jsonl --json",
        "compare shelf --strategies react --optimizers none,knn --limit 4 --no-track --json",
        "judge run after.jsonl --suite shelf --judge local/rubric",
        "report before.jsonl after.jsonl --out report.html",
    )
    assert [error for _, error in said] == [""] * len(said)
    _, info, checked, options, *others = [printed for printed, _ in said]

    facts = json.loads(info)
    assert (facts["kind"], facts["tasks"], facts["rows"]) == ("lending", 24, {"books": 24, "loans": 12})
    assert facts["search"] == "words and vectors (static)"
    assert json.loads(checked)["sound"] == 24
    assert "Books of the library." in options

    before, compiled, after, compared = map(json.loads, others[:4])
    outcomes = [each["runs"][0]["summary"]["scores"]["outcome"]["value"] for each in (before, after)]
    assert outcomes[0] < outcomes[1] == 1
    assert compiled["from_gold_plans"]
    assert [row["label"] for row in compared["rows"]] == ["react", "react + knn", "do_nothing"]
    record = json.loads((worksmith.folder / "after.jsonl").read_text().splitlines()[0])
    assert record["labels"]["kind"] == "lending"
    page = (worksmith.folder / "report.html").read_text()
    assert "lend-0" in page
    client = MlflowClient(tracking_uri=worksmith.store)
    experiments = [each.experiment_id for each in client.search_experiments()]
    runs = client.search_runs(experiments)
    assert any("outcome" in run.data.metrics for run in runs)


@pytest.mark.slow
def test_a_broken_package_is_named_and_breaks_nothing_else(tmp_path: Path) -> None:
    worksmith = Worksmith(tmp_path)
    (tmp_path / "site" / "lending" / "tasks.py").write_text("import no_such_module\n")

    (_, said), (shown, _), (kinds, _) = worksmith(
        "suite build lending --out shelf", "--help", "suite build --help"
    )

    assert "the task kind 'lending' cannot be imported" in said
    assert "uninstall the package lending" in said
    assert "Compile, compare and track" in shown
    assert "World kind: crm, enterprise or office." in kinds


@pytest.mark.slow
def test_own_data_needs_no_other_kind(tmp_path: Path) -> None:
    worksmith = Worksmith(tmp_path, first=WITHOUT)

    said = worksmith(
        "new desk",
        "eval desk --lm gold --limit 3 --no-track --json",
        "compile desk --lm gold --teacher gold --optimizer bootstrap --out p.json --no-track --json",
        f"suite build {HIDDEN[0]} --out suite",
    )

    assert [error for _, error in said[:3]] == [""] * 3
    assert "cannot be imported" in said[3][1]
    evaluated = json.loads(said[1][0])
    assert evaluated["runs"][0]["summary"]["scores"]["outcome"]["value"] == 1
    assert (tmp_path / "p.json").is_file()
