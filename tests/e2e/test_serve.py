"""`worksmith serve crm`: it starts, answers, saves and stops."""

from __future__ import annotations

import signal
import stat
from pathlib import Path

import pytest
import requests
from simple_salesforce import Salesforce, SalesforceLogin

from tests.e2e.conftest import invoke
from tests.e2e.serving import Server, serving
from tests.tools.kinds.crm.rest.running import small_world
from worksmith.tools.seeding import digest_bytes
from worksmith.tools.world import WORLD_FILE, World

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a CRM world."""
    return small_world(tmp_path_factory.mktemp("served") / "crm").path


def client(server: Server) -> Salesforce:
    """simple-salesforce as its users have it, but for the address of the login server."""
    session = requests.Session()
    session.trust_env = False
    session.verify = server.line["certificate"]
    session_id, instance = SalesforceLogin(
        username="ann@example.com",
        password="pw",
        security_token=server.line["token"],
        scratch_url=server.line["url"],
        session=session,
    )
    return Salesforce(session_id=session_id, instance=instance, session=session)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_starts_answers_and_stops(suite: Path, how: signal.Signals) -> None:
    with serving(suite) as server:
        assert server.line["rights"] == "read-only"
        assert server.line["url"].startswith("https://127.0.0.1:")
        found = client(server).query("SELECT COUNT() FROM Case")["totalSize"]
        code, said = server.stop(how)

    assert found == World.open(suite).manifest.counts["Case"]
    assert (code, said) == (0, "")
    assert not Path(server.line["certificate"]).exists()


def test_what_was_changed_is_saved_when_it_stops(suite: Path, tmp_path: Path) -> None:
    before = digest_bytes((suite / WORLD_FILE).read_bytes())
    with serving(suite, "--writable", "--save", str(tmp_path / "new")) as server:
        made = client(server).Issue__c.create({"Name": "Zorble"})["id"]
        code, said = server.stop()

    assert code == 0
    assert "Saved the org" in said
    assert digest_bytes((suite / WORLD_FILE).read_bytes()) == before
    with serving(tmp_path / "new") as again:
        assert client(again).Issue__c.get(made)["Name"] == "Zorble"
        found = client(again).search("FIND {zorble} RETURNING Issue__c(Id)")["searchRecords"]
        assert [each["Id"] for each in found] == [made]


def test_or_is_gone_as_it_says(suite: Path) -> None:
    with serving(suite, "--writable") as server:
        client(server).Issue__c.create({"Name": "Zorble"})
        code, said = server.stop()

    assert code == 0
    assert "gone" in said
    with serving(suite) as again:
        assert client(again).query("SELECT COUNT() FROM Issue__c WHERE Name = 'Zorble'")["totalSize"] == 0


def test_a_role_limits_what_clients_see(suite: Path) -> None:
    with serving(suite, "--as", "service_analyst") as server:
        listed = client(server).describe()
    result = invoke("serve", "crm", suite, "--as", "nobody")

    assert listed is not None
    assert listed["sobjects"]
    assert result.exit_code != 0
    assert "no role 'nobody'" in str(result.exception)


def test_plain_http_is_there_for_clients_that_want_it(suite: Path) -> None:
    with serving(suite, "--no-tls") as server:
        headers = {"Authorization": f"Bearer {server.line['token']}"}
        session = requests.Session()
        session.trust_env = False
        reply = session.get(f"{server.line['url']}/services/data", headers=headers, timeout=10)

    assert server.line["url"].startswith("http://")
    assert server.line["certificate"] is None
    assert reply.status_code == 200


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "0.0.0.0"], "other machines could reach"),
        (["--host", "0.0.0.0", "--allow-remote", "--no-tls"], "over TLS only"),
        (["--save", "x"], "nothing can change"),
        (["--token", "short"], "fewer than 16"),
        (["--host", "host.invalid", "--allow-remote"], "cannot listen"),
    ],
)
def test_what_makes_no_sense_is_refused(here: Path, suite: Path, options: list[str], said: str) -> None:
    result = invoke("serve", "crm", suite, "--port", 0, *options)

    assert result.exit_code != 0
    assert said in str(result.exception)
    assert list(here.iterdir()) == []


def test_only_crm_worlds_are_served(here: Path, office: Path) -> None:
    result = invoke("serve", "crm", office)

    assert "is no CRM org" in str(result.exception)
    assert "no world here" in str(invoke("serve", "crm", here).exception)


def test_a_place_that_is_taken_is_refused_before_it_starts(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")

    result = invoke("serve", "crm", suite, "--writable", "--save", tmp_path)

    assert "there is something already" in str(result.exception)
    assert stat.S_ISREG((tmp_path / "mine").stat().st_mode)
