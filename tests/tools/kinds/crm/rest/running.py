"""A world on a real socket in this process, and the real client at it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from simple_salesforce import Salesforce, SalesforceLogin

from tests.tools.kinds.crm.generate.orgs import small
from worksmith.tools.kinds.crm.access.policy import persona_of
from worksmith.tools.kinds.crm.generate import DEFAULT_NOW
from worksmith.tools.kinds.crm.ids import make_id
from worksmith.tools.kinds.crm.orgs.org import WorldOrg
from worksmith.tools.kinds.crm.rest.app import Api, App
from worksmith.tools.kinds.crm.rest.login import Sessions
from worksmith.tools.kinds.crm.rest.messages import Serving
from worksmith.tools.kinds.crm.rest.store import OrgStore
from worksmith.tools.kinds.crm.schema import OBJECTS, TABLES, Schema, crm_schema
from worksmith.tools.kinds.crm.sosl.tables import SEARCH_TABLES, search_rows
from worksmith.tools.serving.server import Server
from worksmith.tools.sqlite.sandbox import Sandbox
from worksmith.tools.world import World, write_world

TOKEN = "a-token-for-tests-only"

Rows = dict[str, list[Any]]


def local(world: World) -> WorldOrg:
    """The org of a world without a network."""
    found: list[WorldOrg] = []
    Sandbox(world.image, ()).read(
        b"", lambda connection: found.append(WorldOrg(connection, world.manifest.now.date()))
    )
    return found[0]


@dataclass(frozen=True)
class Served:
    """A running server."""

    url: str
    certificate: Path | None
    store: OrgStore
    server: Server

    def session(self) -> requests.Session:
        """A session that trusts the server and goes through no proxy."""
        session = requests.Session()
        session.trust_env = False
        session.verify = str(self.certificate) if self.certificate else False
        return session

    def client(self) -> Salesforce:
        """simple-salesforce, logged in over SOAP as at Salesforce's own servers."""
        session = self.session()
        session_id, instance = SalesforceLogin(
            username="ann@example.com",
            password="whatever",
            security_token=TOKEN,
            scratch_url=self.url,
            session=session,
        )
        return Salesforce(session_id=session_id, instance=instance, session=session)

    def get(self, path: str, **options: Any) -> requests.Response:
        """One request with the token, by no client's conventions."""
        headers = {"Authorization": f"Bearer {TOKEN}", **options.pop("headers", {})}
        method = options.pop("method", "GET")
        return self.session().request(method, self.url + path, headers=headers, timeout=20, **options)


@contextmanager
def served(
    world: World,
    *,
    schema: Schema | None = None,
    writable: bool = False,
    audit: bool = False,
    secure: bool = True,
) -> Iterator[Served]:
    """A server for the duration of the block."""
    store = OrgStore(world, 4)
    api = Api(store, Serving(schema or crm_schema(), writable, audit))
    server = Server(App(api, Sessions(TOKEN), host="127.0.0.1", secure=secure), secure=secure)
    with server.listening() as at:
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            yield Served(at.url, at.certificate, store, server)
        finally:
            server.stop()
            thread.join()


def small_world(directory: Path) -> World:
    """A generated world, as a suite has it."""
    return world_of(directory, dict(small().rows))


def empty_world(directory: Path) -> World:
    """An org as it comes: nothing in it but the standard price book."""
    cells = {"Id": make_id("01s", 1), "Name": "Standard Price Book", "IsActive": "true", "IsStandard": "true"}
    return world_of(
        directory, {"Pricebook2": [tuple(cells.get(name) for name in OBJECTS["Pricebook2"].columns)]}
    )


def world_of(directory: Path, rows: Rows) -> World:
    """A world with these rows."""
    return write_world(
        directory,
        [*TABLES, *SEARCH_TABLES],
        {**rows, **search_rows(rows)},
        kind="crm",
        origin="generated",
        now=DEFAULT_NOW,
        persona=persona_of("service_manager"),
    )
