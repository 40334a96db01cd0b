"""The compose file of a team's stores runs the commands that the tests of the stores run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.shared_servers import LOG_IN, mlflow_command, users_file
from tests.retrievers.servers import chroma_command

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def compose() -> Any:
    return yaml.safe_load((ROOT / "examples" / "compose.yaml").read_text())


def test_commands_are_those_of_the_tests(compose: Any) -> None:
    services, database = compose["services"], "postgresql+psycopg2://team:${DB_PASSWORD:?}@db:5432"
    wanted = mlflow_command(f"{database}/mlflow", "s3://runs", "0.0.0.0", 5000, workers=4)
    assert services["mlflow"]["command"] == [*wanted, *LOG_IN]
    assert compose["configs"]["users"]["content"] == users_file(database)
    chroma = services["chroma"]
    assert chroma["entrypoint"] + chroma["command"] == chroma_command("/data", "0.0.0.0", 8000)


def test_its_parts_fit_together(compose: Any) -> None:
    services = compose["services"]
    for service in services.values():
        assert set(service.get("depends_on", ())) <= services.keys()
        assert {each["source"] for each in service.get("configs", ())} <= compose["configs"].keys()
        assert {each.partition(":")[0] for each in service.get("volumes", ())} <= compose["volumes"].keys()


def test_packages_are_those_of_the_lock_and_no_secret_is_in_it(compose: Any) -> None:
    lock = (ROOT / "requirements.lock").read_text().splitlines()
    recipe = compose["services"]["mlflow"]["build"]["dockerfile_inline"]
    pinned = re.findall(r"\S+==\S+", recipe)
    assert len(pinned) == 4
    assert set(pinned) <= set(lock)
    assert f"chromadb=={compose['services']['chroma']['image'].rpartition(':')[2]}" in lock
    text = (ROOT / "examples" / "compose.yaml").read_text()
    for name, value in re.findall(r"(\w*(?:PASSWORD|SECRET\w*|_KEY)): (\S+)", text):
        assert value.startswith("${"), name
