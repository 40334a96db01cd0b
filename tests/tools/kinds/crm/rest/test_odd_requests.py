"""Whatever is asked, the server answers that something is wrong with it, and has no defect itself."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from tests.tables import each_row
from tests.tools.kinds.crm.generate.orgs import small
from tests.tools.serving.odd_bodies import odd_bodies
from worksmith.tools.kinds.crm.rest.app import Api
from worksmith.tools.kinds.crm.rest.messages import Request, Serving
from worksmith.tools.kinds.crm.rest.store import OrgStore
from worksmith.tools.kinds.crm.schema import crm_schema
from worksmith.tools.world import World

DATA = "/services/data/v59.0"
VALUES: list[Any] = [None, True, 0, -1, 10**30, 1.5, 1e308, "", " ", "\x00", "\U0010ffff", "x" * 3_000]
VALUES += ["2024-02-31", "9" * 400, "'; DROP TABLE Case; --", "Case", "Id", "NaN"]
VALUES += [[], {}, [[]], {"a": {}}, ["Id"], {"attributes": {"type": "Case"}}]
CROWDED = f"{DATA}/query?" + "&".join(f"a{number}=1" for number in range(21))
URLS = ["//[", "http://[::1", "//[x]/", CROWDED, "", "?", "#", "\x00", "x" * 9_000, "http://a:b@c:99999999/"]
URLS += [
    f"{DATA}/{path}"
    for path in (
        "query?q=%ff%fe",
        f"query?q={'(' * 5_000}",
        "query/01g-99999999999999999999",
        "search?q=FIND {a\x00} RETURNING Case",
        "sobjects/Case/\U0010ffff",
        "composite",
    )
]


@pytest.fixture
def api(world: World) -> Api:
    return Api(OrgStore(world, 1), Serving(crm_schema(), True, True))


def ask(api: Api, method: str, path: str, body: Any = None, **params: str) -> int:
    data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else b""
    path = "/" + "/".join(filter(None, path.split("/")))
    reply = api.answer(Request(method, path, params, {}, data, "session", "https://localhost"))
    if reply.body is not None:
        json.dumps(reply.body, allow_nan=False)
    return reply.status


def composite(url: Any) -> dict[str, Any]:
    return {"compositeRequest": [{"method": "GET", "url": url, "referenceId": "x"}]}


@each_row("url", URLS)
def test_no_address_within_a_request_is_a_defect(api: Api, url: str) -> None:
    assert ask(api, "POST", f"{DATA}/composite", composite(url)) in (200, 400)


@each_row(
    "body",
    [
        b"[" * 100_000,
        b'{"a": 1e999}',
        b'{"a": "\\ud800"}',
        b'{"a": NaN}',
        b'{"a": 1, "a": 2}',
        b"\xff",
        b"9" * 9_999,
        *odd_bodies(b'{"a": "x"}', b'"x"'),
    ],
)
def test_no_body_is_a_defect(api: Api, body: bytes) -> None:
    for method, path in (
        ("POST", "composite"),
        ("POST", "sobjects/Case"),
        ("PATCH", f"sobjects/Case/{case_id()}"),
        ("POST", "composite/sobjects"),
    ):
        assert ask(api, method, f"{DATA}/{path}", body) == 400


@pytest.mark.slow
def test_no_request_is_a_defect(api: Api) -> None:
    """A few thousand drawn by lot; a defect raises here."""
    lot = random.Random(1)
    names = ["Case", "Account", "Contact", "Knowledge__kav", "Nothing", "case", "\x00"]
    fields = [
        "Id",
        "Subject",
        "Priority",
        "CreatedDate",
        "OwnerId",
        "ContactId",
        "IsActive",
        "attributes",
        "",
        "id",
    ]
    records = [case_id(), case_id()[:15], "500", "", "x" * 500, "\x00"]
    for _ in range(4_000):
        record = {lot.choice(fields): lot.choice(VALUES) for _ in range(lot.randrange(5))}
        name, key = lot.choice(names), lot.choice(records)
        many = {"allOrNone": lot.choice(VALUES), "records": lot.choice([[record, record], record, *VALUES])}
        method, path, body = lot.choice(
            [
                ("POST", f"sobjects/{name}", record),
                ("PATCH", f"sobjects/{name}/{key}", record),
                ("DELETE", f"sobjects/{name}/{key}", None),
                ("GET", f"sobjects/{name}/{key}", None),
                ("POST", "composite/sobjects", many),
                ("PATCH", "composite/sobjects", many),
                (
                    "POST",
                    "composite",
                    {"compositeRequest": lot.choice([*VALUES, [lot.choice(VALUES)], [record]])},
                ),
                ("POST", "composite", composite(lot.choice([*VALUES, *URLS]))),
                ("PATCH", f"knowledgeManagement/articleVersions/masterVersions/{key}", record),
                ("GET", f"query/{key}", None),
            ]
        )
        params = {
            lot.choice(["q", "fields", "x"]): str(lot.choice([*VALUES, "SELECT Id FROM Case", "Id,Subject"]))
        }
        assert 200 <= ask(api, method, f"{DATA}/{path}", body, **params) < 500


def case_id() -> str:
    return str(small().rows["Case"][0][0])
