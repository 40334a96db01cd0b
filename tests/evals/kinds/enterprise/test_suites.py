"""What a generated enterprise suite consists of on disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import dspy
import pytest

from worksmith.evals.authoring.suite_building import build_suite
from worksmith.evals.kinds.enterprise.generate import Sizes
from worksmith.evals.kinds.enterprise.suites import BUILDER, EnterpriseOptions, build_world
from worksmith.tools.environment import Environment
from worksmith.tools.errors import WorksmithError
from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.access import packaged_policy
from worksmith.tools.kinds.enterprise.generate import Built
from worksmith.tools.world import World

SEED, SCALE = 7, 0.02


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Built]:
    return build_world(tmp_path_factory.mktemp("made"), SEED, SCALE)


def test_rules_documents_and_truths_lie_beside_the_world(made: tuple[World, Built]) -> None:
    world, built = made

    assert (world.path / "policy.json").read_text() == packaged_policy()
    assert len(list((world.path / "documents" / "policies").glob("*.pdf"))) == 24
    lines = (world.path / "latent.jsonl").read_text().splitlines()
    assert [Latent.from_json(line) for line in lines] == built.latents
    assert world.manifest.counts["employees"] == 83


def test_the_worlds_own_persona_is_somebody_of_it(made: tuple[World, Built]) -> None:
    world, _ = made
    persona = world.manifest.persona

    assert Environment(world, sandboxes=1).persona(persona.id) == persona
    assert (persona.department, persona.level) == ("SA", 10)


@pytest.mark.slow
def test_the_same_seed_writes_the_same_bytes_whatever_the_hash_order(
    made: tuple[World, Built], tmp_path: Path
) -> None:
    code = (
        "import sys; from pathlib import Path; "
        "from worksmith.evals.kinds.enterprise.suites import build_world; "
        f"build_world(Path(sys.argv[1]), {SEED}, {SCALE})"
    )
    number = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": number}
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], env=environment, check=True)

    assert contents(tmp_path) == contents(made[0].path)


@pytest.mark.slow
def test_a_writer_that_does_not_reply_ends_the_build(tmp_path: Path) -> None:
    silent_model = dspy.LM("openai/none", api_base="http://localhost:9", api_key="none", num_retries=0)
    with pytest.raises(WorksmithError, match="the writer gave no reply"):
        build_suite(
            "enterprise", tmp_path, scale=0.02, train=1, writer="silent", resolve=lambda _: silent_model
        )
    assert not (tmp_path / "manifest.json").exists()


def test_a_forecast_says_what_the_writer_would_be_asked() -> None:
    assert BUILDER.forecast(EnterpriseOptions())["model_calls_at_most"] == 0
    asked = BUILDER.forecast(EnterpriseOptions(writer="any"))
    assert asked["tasks"] == 1700
    assert asked["model_calls_at_most"] == 1700 * 9


def test_train_tasks_alone_can_be_more() -> None:
    usual, more = (BUILDER.forecast(EnterpriseOptions(scale=0.1, train=train)) for train in (None, 1600))
    assert more["tasks"] - usual["tasks"] == 1600 - Sizes.of_scale(0.1).train
