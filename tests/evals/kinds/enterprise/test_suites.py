"""What a generated enterprise suite consists of on disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import dspy
import pytest

from evals.building import build_suite
from evals.kinds.enterprise.generate import Sizes
from evals.kinds.enterprise.suites import BUILDER, EnterpriseOptions, build_world
from evals.suite import Suite
from tools.environment import Environment
from tools.errors import WorksmithError
from tools.generating.latent import Latent
from tools.kinds.enterprise.access import packaged_policy
from tools.world import World

SCALE = 0.02


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def silent(_step: str) -> None:
    pass


def test_the_same_seed_writes_the_same_bytes(tmp_path: Path) -> None:
    build_world(tmp_path / "one", 7, SCALE)
    build_world(tmp_path / "two", 7, SCALE)
    build_world(tmp_path / "other", 8, SCALE)

    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert World.open(tmp_path / "other").manifest.digest != World.open(tmp_path / "one").manifest.digest


def test_rules_documents_and_truths_lie_beside_the_world(tmp_path: Path) -> None:
    world, built = build_world(tmp_path, 7, SCALE)

    assert (tmp_path / "policy.json").read_text() == packaged_policy()
    assert len(list((tmp_path / "documents" / "policies").glob("*.pdf"))) == 24
    lines = (tmp_path / "latent.jsonl").read_text().splitlines()
    assert [Latent.from_json(line) for line in lines] == built.latents
    assert world.manifest.counts["employees"] == 83


def test_the_worlds_own_persona_is_somebody_of_it(tmp_path: Path) -> None:
    world, _built = build_world(tmp_path, 7, SCALE)
    persona = world.manifest.persona

    assert Environment(world, sandboxes=1).persona(persona.id) == persona
    assert (persona.department, persona.level) == ("SA", 10)


@pytest.mark.slow
def test_a_built_suite_opens_with_its_tasks(tmp_path: Path) -> None:
    suite = build_suite("enterprise", tmp_path, seed=7, scale=SCALE)

    assert Suite.open(tmp_path).digest == suite.digest
    assert set(suite.counts()) >= {"test", "train", "dev"}


@pytest.mark.slow
def test_hash_order_decides_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from evals.kinds.enterprise.suites import build_world; "
        f"build_world(Path(sys.argv[1]), 7, {SCALE})"
    )
    for number in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": number}
        subprocess.run([sys.executable, "-c", code, str(tmp_path / number)], env=environment, check=True)

    assert contents(tmp_path / "1") == contents(tmp_path / "2")


@pytest.mark.slow
def test_a_writer_that_does_not_reply_ends_the_build(tmp_path: Path) -> None:
    silent_model = dspy.LM("openai/none", api_base="http://localhost:9", api_key="none", num_retries=0)
    with pytest.raises(WorksmithError, match="the writer gave no reply"):
        build_suite("enterprise", tmp_path, scale=0.02, writer="silent", resolve=lambda _: silent_model)
    assert not (tmp_path / "manifest.json").exists()


def test_a_forecast_says_what_the_writer_would_be_asked() -> None:
    assert BUILDER.forecast(EnterpriseOptions())["model_calls_at_most"] == 0
    asked = BUILDER.forecast(EnterpriseOptions(writer="any"))
    assert asked["tasks"] == 1700
    assert asked["model_calls_at_most"] == 1700 * 9


def test_train_tasks_alone_can_be_more() -> None:
    usual, more = (BUILDER.forecast(EnterpriseOptions(scale=0.1, train=train)) for train in (None, 1600))
    assert more["tasks"] - usual["tasks"] == 1600 - Sizes.of_scale(0.1).train
