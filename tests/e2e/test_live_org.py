"""Agents, checks and uploads on a live org, which our own server plays, through the real client."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import invoke
from tests.e2e.serving import SECONDS, Server, serving, worksmith
from tests.tools.kinds.crm.rest.running import empty_world
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.crm.live.ids import IdFile

pytestmark = pytest.mark.slow

CONSTANTS = (
    *("--set", "ProductCategory.CatalogId=0ZSwK0000000001AAA"),
    *("--set", "LiveChatTranscript.LiveChatVisitorId=571wK0000000001AAA"),
)


@pytest.fixture(scope="module")
def served(crm: Path) -> Iterator[Server]:
    """A server of the suite's world."""
    with serving(crm) as server:
        yield server


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Server]:
    """A server of an empty org that takes records with their dates."""
    world = empty_world(tmp_path / "empty")
    with serving(world.path, "--writable", "--audit-dates") as server:
        yield server


@pytest.fixture(autouse=True)
def no_org(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("INSTANCE_URL", "SESSION_ID", "USERNAME", "PASSWORD", "SECURITY_TOKEN"):
        monkeypatch.delenv(f"SALESFORCE_{name}", raising=False)


def name_org(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)


def evaluated(crm: Path, *options: object) -> dict[str, Any]:
    result = invoke(
        *("eval", crm, "--strategy", "gold", "--lm", "gold", "--limit", 18, "--no-track", "--json", *options)
    )
    document: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return document


def outcomes(document: dict[str, Any]) -> list[tuple[str, str, bool]]:
    return [(row["task_id"], row["status"], row["correct"]) for row in document["rows"]]


def test_the_same_tasks_are_solved_on_the_live_org(
    here: Path, crm: Path, served: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = evaluated(crm)
    name_org(monkeypatch, served)
    live = evaluated(crm, "--org", "salesforce")
    functions = evaluated(crm, "--org", "salesforce", "--toolset", "functions")

    assert outcomes(live) == outcomes(local) == outcomes(functions)
    assert all(correct for _, _, correct in outcomes(live))
    assert live["org"].startswith("Salesforce org at 127.0.0.1:")
    assert "org" not in local


def test_an_org_that_goes_away_is_nobodys_wrong_answer(
    here: Path, crm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    # What no test should wait for: the pauses between attempts.
    monkeypatch.setattr("worksmith.tools.kinds.crm.live.org._FIRST_WAIT", 0.01)
    monkeypatch.setattr("worksmith.tools.kinds.crm.live.org._LONGEST_WAIT", 0.02)
    with serving(crm) as server:
        name_org(monkeypatch, server)
        from worksmith.jobs.opening.suites import connect

        def connect_and_lose(*arguments: Any) -> None:
            connect(*arguments)
            server.stop()

        monkeypatch.setattr("worksmith.jobs.measuring.measurement.connect", connect_and_lose)
        document = evaluated(crm, "--org", "salesforce", "--limit", 3)  # nor is the certificate there now

    assert {row["status"] for row in document["rows"]} == {"harness_error"}
    assert document["runs"][0]["summary"]["graded"] == 0
    assert all("cannot be reached" in row["error"] for row in document["rows"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--org", "salesforce"], "no live org is named"),
        (["--org", "oracle"], "no live system 'oracle'"),
        (["--org-ids", "x"], "without another org"),
    ],
)
@pytest.mark.parametrize("command", ["eval", "compare", "run"])
def test_what_is_missing_is_told(here: Path, crm: Path, command: str, options: list[str], said: str) -> None:
    arguments = ["crm-htu-test-001"] if command == "run" else []

    result = invoke(command, crm, *arguments, *options)

    assert said in str(result.exception)


def test_what_an_org_lacks_is_told(served: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = invoke("org", "check")
    assert nobody.stdout == ""
    assert isinstance(nobody.exception, InputError)
    assert "no live org is named" in str(nobody.exception)

    name_org(monkeypatch, served)
    whole = invoke("org", "check", "--json")
    assert whole.exit_code == 0
    assert all(not each["missing"] and each["records"] for each in json.loads(whole.stdout)["objects"])


def test_a_world_goes_to_an_empty_org_and_its_tasks_with_it(
    here: Path, crm: Path, empty: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_org(monkeypatch, empty)
    refused = invoke("org", "upload", crm, "--dry-run", "--json")
    assert refused.exit_code == 1
    assert len(json.loads(refused.stdout)["obstacles"]) == 2
    assert invoke("org", "upload", crm).exit_code != 0
    dry = invoke("org", "upload", crm, "--dry-run", "--json", *CONSTANTS)
    assert dry.exit_code == 0
    assert json.loads(dry.stdout)["obstacles"] == []
    assert list(here.iterdir()) == [here / "empty"]

    done = invoke("org", "upload", crm, "--json", *CONSTANTS)

    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["records"]["Case"] == 49
    live = evaluated(crm, "--org", "salesforce", "--org-ids", "org-ids.jsonl")
    assert all(correct for _, _, correct in outcomes(live))
    again = invoke("org", "upload", crm, *CONSTANTS, "--ids", "other.jsonl")
    assert "already" in str(again.exception)


def test_an_upload_that_is_killed_is_gone_on_with(
    here: Path, crm: Path, empty: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = here / "ids.jsonl"
    command = ("org", "upload", crm, "--ids", ids, "--batch", 20, *CONSTANTS)
    running = worksmith(*command, environment=empty.environment)
    deadline = time.monotonic() + SECONDS
    while (not ids.exists() or ids.read_bytes().count(b"\n") < 60) and time.monotonic() < deadline:
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.communicate(timeout=SECONDS)
    part = len(IdFile.read(ids).theirs)
    assert 0 < part < 2000

    name_org(monkeypatch, empty)
    assert "--resume" in str(invoke(*command).exception)
    resumed = invoke(*command, "--resume", "--json")

    assert resumed.exit_code == 0, resumed.output
    looked = json.loads(invoke("org", "check", "--json").stdout)["objects"]
    assert {each["object"]: each["records"] for each in looked} == json.loads(resumed.stdout)["records"]
