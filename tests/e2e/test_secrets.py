"""A key stays where it came from, whatever a command keeps: also if the model's server quotes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.chat_server import chat_server, said
from tests.e2e.conftest import invoke

pytestmark = pytest.mark.slow

KEY = f"q{uuid4().hex}"
FINISH = said("[[ ## tool ## ]]\nfinish\n\n[[ ## arguments ## ]]\n{}\n\n[[ ## completed ## ]]")
LEVEL = said("[[ ## feedback ## ]]\nFine.\n\n[[ ## level ## ]]\n4\n\n[[ ## completed ## ]]")


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The name of a model whose server refuses every third request and quotes the key in doing so."""
    with chat_server() as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_API_BASE", server.url)

        def answer(body: dict[str, Any]) -> dict[str, Any]:
            server.bodies.append(body)
            if len(server.bodies) % 3 == 0:
                return {"error": 400, "said": f"no access with the key {KEY}"}
            return LEVEL if "## level ##" in json.dumps(body["messages"]) else FINISH

        monkeypatch.setattr(server, "answer", answer)
        yield f"openai/{uuid4()}"


def test_no_file_and_no_output_has_the_key(office: Path, here: Path, model: str) -> None:
    log, bank, program = here / "log.jsonl", here / "bank.jsonl", here / "program.json"
    few = ("--train-limit", 1, "--dev-limit", 2, "--candidates", 1)
    commands: list[tuple[object, ...]] = [
        ("eval", office, "--lm", model, "--limit", 3, "--judge", model, "--log", log, "--workers", 2),
        ("bank", "build", office, "-o", bank, "--from", model, "--limit", 2, "--workers", 2),
        ("compile", office, "--lm", model, "-o", program, *few, "--workers", 2),
        ("report", log, "-o", here / "report.html"),
    ]
    shown = [invoke(*command).output for command in commands]
    assert log.read_bytes().count(b"no access with the key [hidden]") > 0
    assert b"[hidden]" in (here / "program.json.journal" / "replies.jsonl").read_bytes()
    assert b"[hidden]" in (here / "report.html").read_bytes()
    kept = [path for path in here.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert kept == []
    assert not any(KEY in output for output in shown)
