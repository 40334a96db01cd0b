"""The API does what its description says, whatever is sent: no request ends in a 5xx."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable

from tests.tools.kinds.own_data.desk import OF_TEAM, desk
from tests.worksmith.serving.programs.running import Served, served, token

CLOSE = ["tools.close_ticket", {"ticket_id": "T-1"}]
EXAMPLES = 3


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("described")
    with served(
        desk(folder, OF_TEAM), folder, in_flight=64, per_persona=64, commit=lambda _: None
    ) as running:
        yield running


def try_all(at: Served, examples: int) -> dict[str, int]:
    """Send requests of every kind, right and wrong, half of them about changes that there are.

    Returns:
        How many were sent by their status.
    """
    import schemathesis

    schema: Any = schemathesis.openapi.from_url(f"{at.url}/openapi.json")
    statuses: dict[str, int] = {}
    number, headers = count(), {"Authorization": f"Bearer {token(lasting=3600)}"}
    for found in schema.get_all_operations():
        operation = found.ok()
        for mode in schemathesis.GenerationMode:

            @seed(1)
            @settings(
                max_examples=examples,
                phases=[Phase.explicit, Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy(generation_mode=mode))
            def send(case: Any) -> None:
                if "id" in (case.path_parameters or {}) and next(number) % 2:
                    known = at.do(CLOSE)["changes"]
                    case.path_parameters = {"id": known["id"]}
                    if isinstance(case.body, dict) and "digest" in case.body and next(number) % 2:
                        case.body["digest"] = known["digest"]
                reply = case.call(headers=headers)
                statuses[str(reply.status_code)] = statuses.get(str(reply.status_code), 0) + 1
                assert reply.status_code < 500, f"{case.as_curl_command()}\n{reply.text}"
                if "json" in reply.headers.get("content-type", [""])[0]:
                    json.loads(reply.text)

            with suppress(Unsatisfiable):  # without parameters there is no wrong request
                send()
    return statuses


@pytest.mark.slow
def test_no_request_makes_the_server_fail(at: Served) -> None:
    statuses = try_all(at, EXAMPLES)
    assert {"200", "404", "422"} <= statuses.keys(), statuses


def test_the_description_has_examples_and_names_every_refusal(at: Served) -> None:
    with at.client(None) as client:
        described = client.get("/openapi.json").json()
    task = described["paths"]["/tasks"]["post"]
    assert {"200", "400", "401", "403", "413", "422", "429", "502", "503", "504"} <= task["responses"].keys()
    assert "Retry-After" in task["responses"]["503"]["headers"]
    assert set(task["responses"]["200"]["content"]) == {"application/json", "text/event-stream"}
    request = described["components"]["schemas"]["TaskRequest"]
    assert request["examples"]
    assert request["properties"]["toolkits"]["items"]["enum"] == ["tools", "reading"]
    assert "persona" not in request["properties"]
