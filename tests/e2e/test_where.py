"""Programs for a part of a suite: compiled, checked and measured on those tasks alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import standin
from tests.e2e.conftest import invoke
from worksmith.evals.suite import Suite

pytestmark = pytest.mark.slow


def test_a_program_for_one_domain_learns_from_it_alone_and_can_be_verified(office: Path, here: Path) -> None:
    mails = ("--where", "domain=email")
    small = ("--optimizer", "bootstrap", "--candidates", 1, "--demos", 4, "--no-track")
    made = invoke("compile", office, "--out", here / "mail.json", *mails, *small, "--constraint", "steps<=20")
    assert made.exit_code == 0, made.output

    manifest = json.loads((here / "mail.json").read_text())["manifest"]
    domains = {task.id: task.domains for task in Suite.open(office).tasks}
    assert manifest["where"] == ["domain=email"]
    assert manifest["settings"]["constraints"] == ["steps<=20"]
    assert all("email" in domains[task] for task in (*manifest["train"], *manifest["dev"]))
    assert manifest["front"]
    assert invoke("verify", here / "mail.json", "--lm", standin.NAME).exit_code == 0

    asked = ("--program", here / "mail.json", *mails, "--limit", 6, "--json", "--no-track")
    rows = json.loads(invoke("eval", office, *asked).stdout.splitlines()[-1])["rows"]
    assert len(rows) == 6
    assert all("email" in domains[row["task_id"]] for row in rows)


def test_a_comparison_on_a_part_of_a_suite(office: Path, here: Path) -> None:
    arms = ("--strategies", "act", "--optimizers", "none,knn", "--demos", 4, "--limit", 4, "--no-track")
    done = invoke(
        "compare", office, *arms, "--where", "domain=calendar", "--constraint", "model_calls<=30", "--json"
    )
    assert done.exit_code == 0, done.output
    assert [row["tasks"] for row in json.loads(done.stdout)["rows"] if not row["baseline"]] == [4, 4]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--where", "domain=weather"), "no task with domain=weather"),
        (("--where", "colour=red"), "tasks are not chosen by 'colour'"),
        (("--constraint", "leak"), "no constraint: 'leak'"),
    ],
)
def test_what_makes_no_sense_is_said(office: Path, here: Path, options: tuple[str, ...], said: str) -> None:
    result = invoke("compile", office, "--out", here / "a.json", *options)
    assert said in str(result.exception)
    assert not (here / "a.json").exists()
