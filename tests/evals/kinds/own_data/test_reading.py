from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evals.kinds.own_data.desk import CLOSE, env, task, write
from tests.tables import each_row
from worksmith.evals.kinds.own_data.reading import read_own_tasks
from worksmith.evals.kinds.own_data.splits import deal, deal_intents
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import USER
from worksmith.tools.kinds.own_data.environment import Environment as OwnEnvironment
from worksmith.tools.kinds.own_data.sources.tables import read_tables
from worksmith.tools.kinds.own_data.worlds import build_world

NOW = datetime(2026, 1, 5)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return env(tmp_path_factory.mktemp("desk"))


def test_a_whole_line(desk: Environment, tmp_path: Path) -> None:
    file = write(
        tmp_path / "tasks.jsonl",
        {
            "id": "close",
            "query": " Close ticket 1001. ",
            "persona": "emp_0001",
            "split": "train",
            "intent": "close",
            "now": "2026-01-05 09:00",
            "toolkits": ["tickets"],
            "answer": {"any": ["done", "closed"]},
            "plan": [{"tool": "read", "why": "Look."}, {**CLOSE, "after": [0]}],
        },
    )
    (found,) = read_own_tasks(desk, file)
    assert (found.id, found.query, found.split, found.intent) == (
        "close",
        "Close ticket 1001.",
        "train",
        "close",
    )
    assert found.persona is not None
    assert (found.persona.name, found.now) == ("Asha Rao", datetime(2026, 1, 5, 9))
    assert found.domains == ("tickets",)
    assert [step.tool for step in found.gold_plan or ()] == ["tickets.read", "tickets.update"]
    assert [action.tool for action in found.expected] == ["tickets.update"]
    assert found.answer is not None
    assert (found.answer.status, found.answer.text) == ("answered", "done")


def test_only_a_query_and_an_expectation_are_needed(desk: Environment, tmp_path: Path) -> None:
    first, second = read_own_tasks(
        desk, write(tmp_path / "tasks.jsonl", {"query": "a", "answer": "b"}, {"query": "c", "answer": 1})
    )
    assert (first.id, second.id) == ("t1", "t2")
    assert first.domains == ("tickets", "staff", "mail", "llm")
    assert first.persona is None
    assert first.checkable


def test_expected_numbers_may_be_of_any_kind(desk: Environment) -> None:
    answers: list[Any] = [np.int64(3), Decimal("2.5"), {"number": np.float32(2), "tolerance": Fraction(1, 2)}]
    found = read_own_tasks(desk, [{"query": f"q{n}", "answer": each} for n, each in enumerate(answers)])
    assert [each.answer.text for each in found if each.answer] == ["3", "2.5", "2"]


def test_ids_of_personas_may_be_whole_numbers(tmp_path: Path) -> None:
    people = [{"id": 6, "boss": None}, {"id": 7, "boss": 6}]
    env = OwnEnvironment.from_tables(
        {"people": people, "rooms": [{"id": 1, "owner": 7}]},
        now="2026-01-05",
        personas="people",
        folder=tmp_path,
    )
    rules = [
        {"id": "OWN", "operations": ["read"], "when": {"self": "owner"}},
        {"id": "SIX", "operations": ["read"], "when": {"persona": {"field": "id", "in": [6]}}},
    ]
    file = tmp_path / "policy.json"
    file.write_text(json.dumps({"sources": {"rooms": {"rules": rules}}}))
    env.use_policy(file)

    @env.tool
    def rooms(ctx: Context) -> list[Any]:
        """List the rooms."""
        return ctx["rooms"].find()

    (one,) = read_own_tasks(env, [{"query": "How many rooms?", "answer": 1, "persona": 6}])
    assert one.persona == env.persona(6) == env.persona("6")
    assert [len(env.episode(persona=id).call("tools.rooms", {}).value) for id in (6, 7)] == [1, 1]
    with pytest.raises(InputError, match=r"no persona '8' \(there are 6, 7"):
        env.persona(8)


def test_what_an_agent_sees_has_no_expectation(desk: Environment) -> None:
    shown = task(desk, answer="secret-7", reference="secret-7", plan=[CLOSE]).visible()
    assert "secret-7" not in shown.model_dump_json()
    assert "resolved" not in shown.model_dump_json()


LINE = {"query": "q", "answer": "a"}


@each_row(
    ("line", "place", "said"),
    [
        ({"answer": "a"}, ":2: query", "missing"),
        ({"query": "q"}, ":2", "it expects nothing"),
        ({"query": " ", "answer": "a"}, ":2: query", "at least 1"),
        ({**LINE, "anser": "a"}, ":2", "did you mean 'answer'"),
        ({**LINE, "persona": "emp_001"}, ":2: persona", "no persona 'emp_001'"),
        ({**LINE, "split": "validation"}, ":2: split", "'train', 'dev' or 'test'"),
        ({**LINE, "toolkits": ["ticket"]}, ":2: toolkits", "did you mean 'tickets'"),
        ({**LINE, "now": "yesterday"}, ":2: now", "datetime"),
        ({**LINE, "plan": [{"tool": "tickets.raed"}]}, ":2: plan.0.tool", "did you mean 'tickets.read'"),
        ({**LINE, "plan": [{"tool": "updat"}]}, ":2: plan.0.tool", "did you mean 'update'"),
        ({**LINE, "plan": [{"tool": "read", "args": {}}]}, ":2: plan.0", "no field 'args'"),
        ({**LINE, "plan": [{"tool": "read", "after": [0]}]}, ":2", "come after earlier ones"),
        (
            {**LINE, "changes": {"mail": [{"recipient": {"numbr": 3}}]}},
            ":2: changes.mail.new.0.recipient",
            "a text",
        ),
        ({**LINE, "calls": [{"arguments": {}}]}, ":2: calls.0.tool", "missing"),
        ({**LINE, "calls": [CLOSE], "changes": {}}, ":2", "give one of them"),
        ({**LINE, "changes": {"ticket": {}}}, ":2: changes", "did you mean 'tickets'"),
        (
            {**LINE, "changes": {"tickets": {"1001": {"state": "x"}}}},
            ":2: changes.tickets.1001.state",
            "status",
        ),
        ({**LINE, "changes": {"tickets": {"1004": {"status": "x"}}}}, ":2: changes.tickets.1004", "1001"),
        ({**LINE, "changes": {"tickets": {"1001": {}}}}, ":2: changes.tickets.1001", "no change"),
        ({**LINE, "changes": {"staff": [{"name": "Eve"}]}}, ":2: changes.staff", "no tool changes"),
        ({**LINE, "changes": {"mail": [{"to": "x"}]}}, ":2: changes.mail.new.0.to", "no column of mail"),
        ({**LINE, "answer": {"number": "x"}}, ":2: answer.number", "valid number"),
        ({**LINE, "answer": ["a"]}, ":2: answer", '{"set": [...]}'),
        ({**LINE, "metric": "os:system"}, ":2: metric", "there is no file"),
        ({**LINE, "metric": "os.path:join"}, ":2: metric", "MODULE:FUNCTION"),
        ({**LINE, "metric": 3}, ":2", "MODULE:FUNCTION"),
        ({**LINE, "judge": "none.yaml"}, "none.yaml", "cannot read"),
        ({**LINE, "judge": "../none.yaml"}, ":2: judge", "beside the tasks"),
        ({**LINE, "judge": "/etc/none.yml"}, ":2: judge", "beside the tasks"),
        (["a"], ":2", "an object is needed"),
    ],
)
def test_faults_name_the_place_and_what_is_near(
    desk: Environment, tmp_path: Path, line: Any, place: str, said: str
) -> None:
    file = write(tmp_path / "tasks.jsonl", LINE, line)
    with pytest.raises(InputError) as caught:
        read_own_tasks(desk, file)
    assert caught.value.where is not None
    assert caught.value.where.endswith(place)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "there are no tasks"),
        (b"\n\n", "there are no tasks"),
        (b"{", ":1"),
        (b'{"query": "\xff", "answer": "a"}\n', ":1"),
        (b'{"query": "a", "query": "b", "answer": "a"}\n', ":1"),
    ],
)
def test_damaged_files_are_refused(desk: Environment, tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_own_tasks(desk, file)
    assert said in str(caught.value)


def test_all_wrong_lines_are_named(desk: Environment, tmp_path: Path) -> None:
    file = write(tmp_path / "tasks.jsonl", {"query": "a"}, LINE, {"query": "b"}, {"answer": "c"})
    with pytest.raises(InputError, match="wrong are also 3, 4"):
        read_own_tasks(desk, file)


def test_ids_are_unique(desk: Environment) -> None:
    with pytest.raises(InputError, match="the id 'x' is that of task 1"):
        read_own_tasks(desk, [{**LINE, "id": "x"}, {**LINE, "id": "x"}])


def test_tasks_that_ask_the_same_are_of_one_intent(desk: Environment, tmp_path: Path) -> None:
    lines = [{**LINE, "query": query} for query in ("Close it", "close  it", "Open it")]
    same, again, other = read_own_tasks(desk, write(tmp_path / "tasks.jsonl", *lines))
    assert same.intent == again.intent is not None
    assert other.intent is None


def test_a_metric_is_no_code_of_another_folder_than_the_users(desk: Environment, tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w').close()\n")
    with pytest.raises(InputError, match="in another folder than the environment"):
        read_own_tasks(desk, write(tmp_path / "tasks.jsonl", {"query": "q", "metric": "evil:run"}))
    world = build_world(read_tables({"t": [{"id": "a"}]}), now=NOW, persona=USER, folder=tmp_path / "worlds")
    (world.path / "evil.py").write_text((tmp_path / "evil.py").read_text())
    tasks = write(world.path / "tasks.jsonl", {"query": "q", "metric": "evil:run"})
    with pytest.raises(InputError, match="in another folder than the environment"):
        read_own_tasks(Environment.open(world.path), tasks)
    assert not (tmp_path / "sprung").exists()


def test_a_metric_is_a_function_of_a_file_beside_the_tasks(
    desk: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "helper.py").write_text("WORD = 'yes'\n")
    (tmp_path / "metrics.py").write_text(
        "from helper import WORD\n\n\ndef says(example, prediction):\n    return prediction.answer == WORD\n"
        "\n\ndef alone(example):\n    return True\n"
    )
    (found,) = read_own_tasks(desk, write(tmp_path / "tasks.jsonl", {"query": "q", "metric": "metrics:says"}))
    assert found.metric is not None
    assert found.free_state
    other = tmp_path / "other"
    other.mkdir()
    for name in ("helper.py", "metrics.py"):
        (other / name).write_text((tmp_path / name).read_text())
    monkeypatch.chdir(other)
    (same,) = read_own_tasks(desk, write(other / "tasks.jsonl", {"query": "q", "metric": "metrics:says"}))
    monkeypatch.chdir(tmp_path)
    assert same.digest == found.digest
    with pytest.raises(InputError, match="cannot be called"):
        read_own_tasks(desk, write(tmp_path / "tasks.jsonl", {"query": "q", "metric": "metrics:alone"}))
    with pytest.raises(InputError, match="has no function nothing"):
        read_own_tasks(desk, write(tmp_path / "tasks.jsonl", {"query": "q", "metric": "metrics:nothing"}))


def test_a_rubric_is_a_criterion_or_a_file(desk: Environment, tmp_path: Path) -> None:
    levels = "\n".join(f"  {level}: Level {level}." for level in range(1, 6))
    (tmp_path / "tone.yaml").write_text(f"name: tone\ncriterion: Be polite.\nlevels:\n{levels}\n")
    file = write(
        tmp_path / "tasks.jsonl",
        {"query": "q", "judge": "The answer is polite."},
        {"query": "r", "judge": "tone.yaml"},
    )
    words, named = read_own_tasks(desk, file)
    assert words.rubric is not None
    assert words.judged
    assert words.rubric.criterion == "The answer is polite."
    assert named.rubric is not None
    assert named.rubric.name == "tone"


def test_a_digest_covers_the_expectation_and_not_the_place(desk: Environment, tmp_path: Path) -> None:
    def read(name: str, **fields: Any) -> str:
        return read_own_tasks(desk, write(tmp_path / name, {**LINE, **fields}))[0].digest

    assert read("a.jsonl") == read("b.jsonl")
    assert len({read("a.jsonl", answer=answer) for answer in ("a", "b", 3, {"set": ["a"]})}) == 4
    assert read("a.jsonl") != read("a.jsonl", changes={"tickets": {"1001": {"status": "x"}}})
    assert read("a.jsonl") != read("a.jsonl", judge="It is polite.")


def test_tasks_without_splits_are_dealt_and_others_keep_theirs(desk: Environment) -> None:
    lines = [{"query": f"q{n}", "answer": "a", "intent": f"i{n % 5}"} for n in range(50)]
    tasks = read_own_tasks(desk, [*lines, {**LINE, "split": "dev"}])
    splits = [each.split for each in tasks[:50]]
    assert [splits.count(name) for name in ("train", "dev", "test")] == [20, 10, 20]
    assert tasks[-1].split == tasks[-1].held_out_split == "dev"
    held_out = {
        each.intent: {other.held_out_split for other in tasks if other.intent == each.intent}
        for each in tasks
    }
    assert all(len(names) == 1 for names in held_out.values())


@given(st.dictionaries(st.text(max_size=4), st.sampled_from("abcdefg"), max_size=40), st.integers(0, 3))
def test_dealing_is_a_function_of_ids_and_seed(intents: dict[str, str], seed: int) -> None:
    turned = dict(reversed(intents.items()))
    assert deal(intents, seed) == deal(turned, seed)
    assert deal_intents(intents, seed) == deal_intents(turned, seed)
    dealt = list(deal(intents, seed).values())
    assert abs(dealt.count("train") - dealt.count("test")) <= 1
    whole = deal_intents(intents, seed)
    assert all(whole[one] == whole[two] for one in intents for two in intents if intents[one] == intents[two])
