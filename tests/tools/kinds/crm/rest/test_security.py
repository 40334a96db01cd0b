"""What must not get in, and what must not get out."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.tables import each_row
from tests.tools.kinds.crm.generate.orgs import small
from tests.tools.kinds.crm.rest.running import TOKEN, Served, served
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.crm.access.policy import open_policy
from worksmith.tools.kinds.crm.rest.app import LONGEST_BODY, Api, App
from worksmith.tools.kinds.crm.rest.login import Sessions
from worksmith.tools.kinds.crm.rest.messages import Serving
from worksmith.tools.kinds.crm.rest.store import OrgStore
from worksmith.tools.kinds.crm.schema import crm_schema
from worksmith.tools.seeding import digest_bytes
from worksmith.tools.serving.application import is_loopback
from worksmith.tools.serving.server import Server
from worksmith.tools.world import WORLD_FILE, World

DATA = "/services/data/v59.0"
COUNT = f"{DATA}/query?q=SELECT+COUNT()+FROM+Case"


def works(org: Served) -> bool:
    return bool(org.get(COUNT).json()["totalSize"] == len(small().rows["Case"]))


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", f"Basic {TOKEN}", TOKEN, "Bearer wrong", f"Bearer {TOKEN}x"]
)
@pytest.mark.parametrize(
    "path", ["/", "/services/data", COUNT, f"{DATA}/sobjects/Case", "/nowhere", f"{DATA}/query/01g0-200"]
)
def test_nothing_is_said_without_the_token(org: Served, header: str | None, path: str) -> None:
    headers = {} if header is None else {"Authorization": header}

    reply = org.session().get(org.url + path, headers=headers, timeout=10)

    assert reply.status_code == 401
    assert reply.json() == [{"message": "Session expired or invalid", "errorCode": "INVALID_SESSION_ID"}]


def test_the_key_of_the_certificate_is_not_left_lying_about(org: Served) -> None:
    assert org.certificate is not None
    assert [file.name for file in org.certificate.parent.iterdir()] == ["certificate.pem"]
    assert "PRIVATE" not in org.certificate.read_text()


@each_row("host", ["evil.example", "evil.example:443", "127.0.0.1.evil.example", "", "[::2]"])
def test_another_name_for_this_machine_is_not_answered(org: Served, host: str) -> None:
    reply = org.get(COUNT, headers={"Host": host})

    assert reply.status_code in (400, 421)
    assert "totalSize" not in reply.text


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:99", "[::1]:7"])
def test_its_own_names_are(org: Served, host: str) -> None:
    assert org.get(COUNT, headers={"Host": host}).status_code == 200


WRITES: list[tuple[str, str, Any]] = [
    ("POST", f"{DATA}/sobjects/Account", {"LastName": "A"}),
    ("PATCH", f"{DATA}/sobjects/Account/{small().rows['Account'][0][0]}", {"LastName": "A"}),
    ("DELETE", f"{DATA}/sobjects/Account/{small().rows['Account'][0][0]}", None),
    ("POST", f"{DATA}/composite/sobjects", {"records": []}),
    ("PATCH", f"{DATA}/knowledgeManagement/articleVersions/masterVersions/x", {"publishStatus": "Draft"}),
]


@each_row(("method", "path", "body"), WRITES)
def test_a_read_only_org_takes_no_writes(org: Served, method: str, path: str, body: Any) -> None:
    reply = org.get(path, method=method, json=body)

    assert reply.status_code == 403
    assert reply.json()[0]["errorCode"] == "INSUFFICIENT_ACCESS_OR_READONLY"
    assert not org.store.changed


def test_nor_writes_in_disguise(org: Served) -> None:
    part = {"method": "DELETE", "url": WRITES[2][1], "referenceId": "x"}
    assert org.get(f"{DATA}/composite", method="POST", json={"compositeRequest": [part]}).status_code == 400
    hidden = {"X-HTTP-Method-Override": "DELETE"}
    account = WRITES[2][1]
    assert org.get(account, method="POST", headers=hidden).status_code == 405
    assert org.get(f"{account}?_HttpMethod=DELETE", method="POST").status_code == 405
    assert org.get(account).status_code == 200


def test_the_suite_stays_as_it_is_whatever_clients_write(world: World) -> None:
    before = digest_bytes((world.path / WORLD_FILE).read_bytes())
    with served(world, writable=True) as org:
        client = org.client()
        client.Account.create({"LastName": "A"})
        client.Case.update(small().rows["Case"][0][0], {"Subject": "changed"})
        assert org.store.changed

    assert (
        digest_bytes((world.path / WORLD_FILE).read_bytes())
        == before
        == World.open(world.path).manifest.database
    )


INJECTIONS: list[Callable[[str], str]] = [
    lambda known: f"{DATA}/sobjects/Account/{known}'%20OR%20Id%20!=%20'",
    lambda known: f"{DATA}/sobjects/Account/x'%20OR%20Name%20LIKE%20'%25",
    lambda known: f"{DATA}/sobjects/Account/{known}?fields=Id%20FROM%20Account%20--",
    lambda known: f"{DATA}/sobjects/Account/{known}?fields=(SELECT%20Id%20FROM%20Contacts)",
    lambda known: f"{DATA}/sobjects/Account/{known}?fields=PersonContact.Name",
    lambda known: f'{DATA}/sobjects/Account"%3BDROP%20TABLE%20"Account/{known}',
    lambda _: f"{DATA}/query?q=SELECT%20sql%20FROM%20sqlite_master",
    lambda _: f"{DATA}/query?q=SELECT%20_row%20FROM%20Account",
    lambda _: f"{DATA}/query?q=SELECT%20Id%20FROM%20search_Account",
    lambda _: f"{DATA}/query?q=SELECT%20Id%20FROM%20Account;DELETE%20FROM%20Account",
]


@each_row("path", INJECTIONS)
def test_an_address_is_no_way_around_the_query_language(org: Served, path: Callable[[str], str]) -> None:
    reply = org.get(path(str(small().rows["Account"][0][0])))

    assert reply.status_code in (400, 404)
    assert works(org)


@each_row(
    "path",
    [
        "/../../../../etc/passwd",
        "/services/data/v59.0/../../../etc/passwd",
        f"{DATA}/sobjects/..%2f..%2f..%2fetc%2fpasswd",
        f"{DATA}/sobjects/%2e%2e/describe",
        f"{DATA}/sobjects/Case/%00",
        f"{DATA}/sobjects/Case%0d%0aX-Evil:%201/describe",
        "//etc/passwd",
        f"{DATA}/%ff%fe",
    ],
)
def test_there_are_no_files_behind_it(org: Served, path: str) -> None:
    raw = _raw(
        org, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode()
    )

    head, _, body = raw.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 404")
    assert b"X-Evil" not in head
    assert b"root:" not in body
    assert works(org)


def test_a_body_that_is_too_long_is_refused(org: Served) -> None:
    reply = org.get(f"{DATA}/composite", method="POST", data=b"[" * (10 << 20))

    assert reply.status_code == 413
    assert reply.json()[0]["errorCode"] == "REQUEST_TOO_LARGE"
    almost = org.get(f"{DATA}/composite", method="POST", data=b"[" * LONGEST_BODY)
    assert (almost.status_code, almost.json()[0]["errorCode"]) == (400, "JSON_PARSER_ERROR")
    assert works(org)


def test_a_body_without_end_is_cut_off(world: World) -> None:
    sent = 0

    def endless() -> Any:
        nonlocal sent
        while True:
            sent += 1 << 16
            yield b"x" * (1 << 16)

    with served(world, secure=False) as org:
        with contextlib.suppress(requests.ConnectionError):  # it hangs up while the client is still talking
            assert org.get(f"{DATA}/composite", method="POST", data=endless()).status_code == 413
        assert works(org)

    assert sent < 64 << 20


def test_a_statement_is_bounded_though_the_body_is_not(org: Served) -> None:
    soql = "SELECT Id FROM Case WHERE Subject = '" + "x" * 200_000 + "'"
    body = {"compositeRequest": [{"method": "GET", "url": f"{DATA}/query?q={soql}", "referenceId": "x"}]}

    part = org.get(f"{DATA}/composite", method="POST", json=body).json()["compositeResponse"][0]

    assert part["httpStatusCode"] == 400
    assert len(json.dumps(part)) < 2_000


def test_addresses_are_bounded_as_on_the_platform(org: Served) -> None:
    soql = "SELECT Id FROM Case WHERE Subject = '" + "x" * 17_000 + "'"

    reply = org.get(f"{DATA}/query", params={"q": soql})

    assert (reply.status_code, reply.json()[0]["errorCode"]) == (414, "URI_TOO_LONG")


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    "<e><login><password>&b;</password></login></e>"
)


@each_row(
    "body",
    [
        b"",
        b"not xml",
        BOMB.encode(),
        b'<!DOCTYPE e SYSTEM "file:///etc/passwd"><e/>',
        b"<a>" * 100_000,
        "<e><login><password>\ufffe</password></login></e>".encode(),
        b"<login><password></password></login>",
        b"<login/>",
    ],
)
def test_a_login_that_is_none_is_a_fault(org: Served, body: bytes) -> None:
    reply = org.session().post(f"{org.url}/services/Soap/u/59.0", data=body, timeout=10)

    assert reply.status_code == 500
    assert "<sf:exceptionCode>" in reply.text
    assert "root:" not in reply.text


def test_a_role_sees_what_it_may_and_no_more(world: World, tmp_path: Path) -> None:
    document = open_policy(world).document.model_dump(mode="json")
    document["roles"]["service_agent"]["objects"] = ["User", "Case", "Contact"]
    document["roles"]["service_agent"]["hidden"] = {"Contact": ["Email"]}
    for name in ("world.sqlite", "world.json"):
        (tmp_path / name).write_bytes((world.path / name).read_bytes())
    (tmp_path / "policy.json").write_text(json.dumps(document))
    confined = World.open(tmp_path)
    schema = open_policy(confined).schema_for("service_agent")

    with served(confined, schema=schema, writable=True) as org:
        assert org.get(f"{DATA}/sobjects/Account/{small().rows['Account'][0][0]}").status_code == 404
        assert org.get(f"{DATA}/sobjects/Account/describe").status_code == 404
        listed = org.get(f"{DATA}/sobjects").json()["sobjects"]
        assert [each["name"] for each in listed] == ["User", "Contact", "Case"]
        contact = small().rows["Contact"][0][0]
        assert "Email" not in org.get(f"{DATA}/sobjects/Contact/{contact}").json()
        for soql in ("SELECT Email FROM Contact", "SELECT Id FROM Account", "SELECT Account.Name FROM Case"):
            assert org.get(f"{DATA}/query", params={"q": soql}).status_code == 400
        refused = org.get(f"{DATA}/sobjects/Contact/{contact}", method="PATCH", json={"Email": "a@b.example"})
        assert refused.json()[0]["errorCode"] == "INVALID_FIELD"
        used = org.get(f"{DATA}/sobjects/Contact/{contact}", method="DELETE").json()[0]
        assert used["errorCode"] == "DELETE_FAILED"
        assert "Account" not in used["message"]


def test_a_defect_of_the_server_tells_clients_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with served(world) as org:
        monkeypatch.setattr(org.store, "read", lambda _: 1 / 0)
        reply = org.get(COUNT)

    assert (reply.status_code, reply.json()[0]["errorCode"]) == (500, "UNKNOWN_EXCEPTION")
    assert "ZeroDivisionError" not in reply.text
    trace = capfd.readouterr().err
    assert "ZeroDivisionError" in trace
    assert TOKEN not in trace


@each_row(
    ("host", "own"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("example.com", False),
        ("localhost.example.com", False),
        ("", False),
    ],
)
def test_which_addresses_only_this_machine_can_reach(host: str, own: bool) -> None:
    assert is_loopback(host) is own


def test_a_port_that_is_taken_is_told(world: World) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        api = Api(OrgStore(world, 1), Serving(crm_schema()))
        server = Server(App(api, Sessions(TOKEN), host="127.0.0.1", secure=True), port=port)

        with pytest.raises(InputError, match=str(port)), server.listening():
            pass


def _raw(org: Served, request: bytes) -> bytes:
    """What the server answers to these very bytes."""
    context = ssl.create_default_context(cafile=str(org.certificate))
    host, _, port = org.url.removeprefix("https://").partition(":")
    with (
        socket.create_connection((host, int(port)), timeout=10) as plain,
        context.wrap_socket(plain, server_hostname=host) as sock,
    ):
        sock.sendall(request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
        chunks = []
        while chunk := sock.recv(65_536):
            chunks.append(chunk)
        return b"".join(chunks)
