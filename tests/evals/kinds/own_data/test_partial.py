"""Results that say that they hold only what a persona may read, and answers that pass it on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dspy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import worksmith as ws
from examples.partial.orders import env as orders_env
from examples.partial.orders import tasks
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.tools.errors import InputError

NOTE = "only what you may read: notes"
PEOPLE = [{"id": "ann", "team": "a", "role": "clerk"}, {"id": "head", "team": "a", "role": "head"}]
RULES = [
    {"id": "OWN", "operations": ["read"], "when": {"same": "team"}},
    {"id": "HEAD", "operations": ["read"], "when": {"persona": {"field": "role", "in": ["head"]}}},
]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("tools.listed", {"word": "red"}),
    ("tools.counted", {"word": "red"}),
    ("tools.searched", {"text": "red car"}),
    ("tools.selected", {}),
    ("tools.summed", {}),
]


def office(folder: Path, rows: list[dict[str, Any]], *, announce: bool = True) -> ws.Environment:
    sources = {
        "notes": {"rules": RULES, "announce": announce},
        "people": {"rules": [{"id": "P", "operations": ["read"], "when": {"always": True}}]},
    }
    policy = folder / "policy.json"
    policy.write_text(json.dumps({"sources": sources}))
    env = ws.Environment.from_tables(
        {"notes": rows, "people": PEOPLE}, now="2026-01-05 09:00", personas="people", folder=folder
    )
    env.index("notes", text="{text}")
    env.use_policy(policy)

    @env.tool(writes=False)
    def listed(ctx: ws.Context, word: str) -> list[dict[str, Any]]:
        """Notes of a colour."""
        return ctx["notes"].find(word=word)

    @env.tool(writes=False)
    def counted(ctx: ws.Context, word: str) -> int:
        """The number of notes of a colour."""
        return ctx["notes"].count(word=word)

    @env.tool(writes=False)
    def searched(ctx: ws.Context, text: str) -> list[dict[str, Any]]:
        """Notes near to a text."""
        return ctx["notes"].search(text, k=2)

    @env.tool(writes=False)
    def selected(ctx: ws.Context) -> list[dict[str, Any]]:
        """All notes."""
        return ctx.select("SELECT * FROM notes")

    @env.tool(writes=False)
    def summed(ctx: ws.Context) -> dict[str, Any]:
        """The number of all notes, with a name."""
        return {"notes": ctx["notes"].count()}

    @env.tool(writes=False)
    def one(ctx: ws.Context, key: str) -> dict[str, Any]:
        """One note."""
        return ctx["notes"].get(key)

    return env


OWN = {"id": "n1", "team": "a", "word": "red", "text": "a red car"}
HIDDEN = st.lists(
    st.fixed_dictionaries(
        {
            "team": st.sampled_from("bcd"),
            "word": st.sampled_from(["red", "blue"]),
            "text": st.text("red car", max_size=9),
        }
    ),
    max_size=4,
)


def seen(env: ws.Environment, persona: str) -> list[str]:
    episode = env.episode(persona=persona)
    return [episode.call(tool, arguments).text for tool, arguments in CALLS]


@settings(max_examples=15, deadline=None)
@given(HIDDEN)
def test_a_note_tells_nothing_of_hidden_records(
    tmp_path_factory: pytest.TempPathFactory, hidden: list[dict[str, Any]]
) -> None:
    others = [{"id": f"h{number}", **row} for number, row in enumerate(hidden)]
    alone, among = (
        seen(office(tmp_path_factory.mktemp("worlds"), [OWN, *rows]), "ann") for rows in ([], others)
    )

    assert among == alone
    assert all(text.endswith(NOTE) for text in alone)


def test_whoever_may_read_all_and_one_record_by_its_key_get_no_note(tmp_path: Path) -> None:
    env = office(tmp_path, [OWN])
    assert not [text for text in seen(env, "head") if NOTE in text]
    assert NOTE not in env.episode(persona="ann").call("tools.one", {"key": "n1"}).text
    (tmp_path / "silent").mkdir()
    silent = office(tmp_path / "silent", [OWN], announce=False)
    assert not [text for text in seen(silent, "ann") if NOTE in text]
    assert "partial" not in silent.kind.finish.text
    assert "partial" in env.kind.finish.text


@pytest.mark.parametrize(
    ("status", "unsaid", "wrongly", "outcome"),
    [(None, 0, 0, 40), ("answered", 20, 0, 40), ("partial", 0, 20, 40), ("denied", 20, 0, 0)],
)
def test_answers_are_counted_that_say_it_and_that_do_not(
    status: str | None, unsaid: int, wrongly: int, outcome: float
) -> None:
    suite = ws.Suite(orders_env, tasks())
    by_id = {task.id: task for task in suite.tasks}

    def program(task: Any) -> dspy.Prediction:
        episode, answer = orders_env.episode(persona=task.persona), by_id[task.id].answer
        assert answer is not None
        return dspy.Prediction(episode=episode.finished(answer.text, status=status or answer.status))

    chosen = [task for task in suite.tasks if task.split == "test"]
    found = evaluate(program, chosen, EvalSettings(env=orders_env, workers=1))

    rates = found.summary.rates
    assert (rates["partial_unsaid"].count, rates["partial_unsaid"].of) == (unsaid, 20)
    assert (rates["partial_wrongly"].count, rates["partial_wrongly"].of) == (wrongly, 20)
    assert sum(record.scores["outcome"] for record in found.records) == outcome


def test_a_demonstration_says_it() -> None:
    suite = ws.Suite(orders_env, tasks())
    found = ws.evaluate(ws.Agent("act", orders_env), suite.train, lm="gold", progress=False)
    said = {record.intent: record.answer_status for record in found.records}
    assert said == {
        "all open": "partial",
        "all shipped": "partial",
        "of her region": "answered",
        "audit": "answered",
    }


@pytest.mark.parametrize("answer", [{}, {"answer": {"status": "denied"}, "query": "?"}])
def test_partial_is_said_of_values(answer: dict[str, Any]) -> None:
    line = {"query": "Which?", "plan": [], "partial": True, **answer}
    with pytest.raises(InputError, match="partial is said of an answer"):
        ws.Suite(orders_env, [line])
