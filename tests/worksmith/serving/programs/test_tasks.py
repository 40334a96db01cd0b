"""Tasks over HTTP: their results, events, limits and refusals."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.tools.kinds.own_data.desk import OF_TEAM, desk
from tests.tools.serving.odd_bodies import odd_bodies
from tests.worksmith.serving.programs.running import Served, served
from worksmith.serving.programs.rollouts import failed

SHOW = ["reading.show", {"table": "tickets", "key": "T-1"}]
CLOSE = ["tools.close_ticket", {"ticket_id": "T-1"}]


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with served(desk(folder, OF_TEAM), folder) as running:
        yield running


def events(text: str) -> list[tuple[str, Any]]:
    blocks = [block.split("\n") for block in text.split("\n\n") if block.startswith("event:")]
    return [
        (first.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for first, data in blocks
    ]


def test_a_task_is_done_for_the_person_of_the_token(at: Served) -> None:
    result = at.do(SHOW)
    assert (result["status"], result["changes"]) == ("finished", None)
    [step] = result["steps"]
    assert (step["number"], step["tool"], step["status"]) == (1, "reading.show", "ok")
    assert "Printer" in step["observation"]

    # Tickets of the team red are not for bob.
    assert at.do(SHOW, who="bo")["steps"][0]["status"] == "denied"


def test_nothing_but_the_token_says_who_asks(at: Served) -> None:
    body: dict[str, Any] = {"task": json.dumps([SHOW])}
    with at.client("bo") as client:
        assert client.post("/tasks", json={**body, "persona": "ann"}).status_code == 422
        for place in ({"headers": {"X-Persona": "ann"}}, {"params": {"persona": "ann"}}):
            reply = client.post("/tasks", json=body, **place)  # type: ignore[arg-type]
            assert reply.json()["steps"][0]["status"] == "denied"
    with at.client("nobody") as client:
        reply = client.post("/tasks", json=body)
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "unknown_persona")


def test_a_stream_has_each_step_then_answer_changes_and_end(at: Served) -> None:
    with at.client() as client:
        reply = client.post("/tasks", json={"task": json.dumps([SHOW, CLOSE]), "stream": True})
    assert reply.headers["content-type"].startswith("text/event-stream")
    found = events(reply.text)
    assert [name for name, _ in found] == ["step", "step", "answer", "changes", "end"]
    assert [data["number"] for name, data in found if name == "step"] == [1, 2]
    assert found[3][1]["status"] == "pending"


def test_a_step_arrives_before_the_task_has_ended(at: Served) -> None:
    at.program.hold.clear()
    body = {"task": json.dumps([SHOW, ["wait", {}]]), "stream": True}
    with at.client() as client, client.stream("POST", "/tasks", json=body) as reply:
        lines = reply.iter_lines()
        assert next(lines) == "event: step"
        at.program.hold.set()
        assert "event: end" in list(lines)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"\xff", 400),
        (b"[" * 100_000, 400),
        (b"[]", 422),
        (b'{"task": ""}', 422),
        (b'{"task": "  "}', 422),
        (b'{"task": 1}', 422),
        (b'{"task": "\\ud800"}', 400),
        (b'{"task": "x", "toolkits": ["none"]}', 422),
        (b'{"task": "x", "more": 1}', 422),
        (b'{"task": "' + b"x" * 20_001 + b'"}', 422),
        (b" " * 300_000, 413),
        *((body, 400) for body in odd_bodies(b'{"task": "x"}', b'"x"')),
    ],
)
def test_what_is_no_task_is_refused(at: Served, body: bytes, status: int) -> None:
    with at.client() as client:
        reply = client.post("/tasks", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code == status
    assert reply.json()["error"]["message"]


def test_a_defect_of_the_program_is_told_by_number_only(
    at: Served, capfd: pytest.CaptureFixture[str]
) -> None:
    with at.client() as client:
        reply = client.post("/tasks", json={"task": json.dumps([["fail", {}]])})
    assert (reply.status_code, reply.json()["error"]["code"]) == (500, "program_error")
    assert "defect" not in reply.text
    number = reply.json()["error"]["message"].split()[-1].strip(")")
    assert number in capfd.readouterr().err
    failed(500, "defect", "It failed", "said \x1b[2J")
    assert "said \ufffd[2J" in capfd.readouterr().err, "what an operator reads moves no cursor"


def test_open_addresses_need_no_token_and_figures_name_nobody(at: Served) -> None:
    at.do(SHOW)
    with at.client(None) as client:
        assert client.get("/health/live").json() == {"status": "ok"}
        assert client.get("/health/ready").status_code == 200
        text = client.get("/metrics").text
        described = client.get("/openapi.json").json()
        assert client.get("/nowhere").status_code == 401
    with at.client() as client:
        for path in ("/tasks/", "/metrics/"):
            assert client.get(path).status_code == 404, "no address leads elsewhere"
    assert 'worksmith_requests_total{route="tasks",status="200"}' in text
    assert "ann" not in text
    assert described["paths"]["/tasks"]["post"]["security"] == [{"HTTPBearer": []}]


def test_too_many_tasks_are_told_to_come_later(tmp_path: Path) -> None:
    waiting = {"task": json.dumps([["wait", {}]])}
    with served(desk(tmp_path, OF_TEAM), tmp_path, in_flight=2, per_persona=1) as at:
        at.program.hold.clear()

        def wait(who: str) -> None:
            with at.client(who) as client:
                client.post("/tasks", json=waiting)

        threads = [threading.Thread(target=wait, args=(who,)) for who in ("ann", "bo")]
        for number, thread in enumerate(threads, start=1):
            thread.start()
            _until(lambda wanted=number: at.desk.rollouts.in_flight == wanted)
            with at.client("ann") as client:
                reply = client.post("/tasks", json=waiting)
            assert reply.status_code == (429 if number == 1 else 503)
            assert int(reply.headers["retry-after"]) > 0
        at.program.hold.set()
        for thread in threads:
            thread.join()
        _until(lambda: at.desk.rollouts.in_flight == 0)


def test_a_slow_task_is_given_up(tmp_path: Path) -> None:
    with served(desk(tmp_path), tmp_path, time_limit=0.2) as at:
        at.program.hold.clear()
        with at.client() as client:
            reply = client.post("/tasks", json={"task": json.dumps([["wait", {}], ["ask", {}]])})
            stream = client.post("/tasks", json={"task": json.dumps([["wait", {}]]), "stream": True})
    assert (reply.status_code, reply.json()["error"]["code"]) == (504, "timeout")
    assert [name for name, _ in events(stream.text)] == ["error", "end"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_hangs_up_stops_its_task(tmp_path: Path, stream: bool) -> None:
    with served(desk(tmp_path), tmp_path) as at:
        at.program.hold.clear()
        body = {"task": json.dumps([["wait", {}], ["ask", {}]]), "stream": stream}
        with at.client() as client, pytest.raises(httpx.ReadTimeout):
            client.post("/tasks", json=body, timeout=0.2)
        time.sleep(0.1)
        at.program.hold.set()
        _until(lambda: at.desk.rollouts.in_flight == 0)
        assert at.desk.rollouts.budget.spent.calls == 0


def test_a_task_may_not_cost_more_than_its_limit(tmp_path: Path) -> None:
    asks = {"task": json.dumps([["ask", {}]] * 5)}
    with served(desk(tmp_path), tmp_path, task_max_calls=2) as at, at.client() as client:
        reply = client.post("/tasks", json=asks)
        assert (reply.status_code, reply.json()["error"]["code"]) == (429, "task_limit")
        assert at.desk.rollouts.budget.spent.calls == 2


def test_a_spent_budget_ends_the_readiness(tmp_path: Path) -> None:
    with (
        served(desk(tmp_path), tmp_path, max_calls=3) as at,
        at.client() as client,
    ):
        found = [client.post("/tasks", json={"task": json.dumps([["ask", {}]])}) for _ in range(5)]
        assert [each.status_code for each in found] == [200, 200, 200, 503, 503]
        assert found[-1].json()["error"]["code"] == "budget_spent"
        assert found[-1].headers["retry-after"]
        assert client.get("/health/ready").status_code == 503
        assert client.get("/health/live").status_code == 200
    assert at.desk.rollouts.budget.spent.calls == 3


def _until(holds: Any) -> None:
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)
