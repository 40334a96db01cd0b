"""Predictions scored: equal to the scores of the episodes that made them, in every kind of world."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.evals import help_desk, small_office
from tests.evals.kinds.crm import small_org
from tests.evals.kinds.own_data import desk
from worksmith.evals.kinds.crm.scorer import CrmScorer
from worksmith.evals.kinds.own_data.scorer import OwnScorer
from worksmith.evals.records.logs.lines import log_line
from worksmith.evals.records.predictions import Prediction
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.score_predictions import score_predictions
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.scoring.answer_scorer import AnswerScorer
from worksmith.evals.scoring.episode_scorer import EpisodeScorer
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import VisibleTask
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.errors import InputError
from worksmith.tools.policy import Decision, Opinion

Call = tuple[str, Any]


@dataclass(frozen=True)
class World:
    """A suite with its scorer, and what an agent may say and do there."""

    suite: Suite
    scorer: Any
    calls: Sequence[Call]
    answers: Sequence[str]


def _office(folder: Path) -> World:
    first, second = (small_office.action("calendar.delete_event", event_id=f"0000000{n}") for n in (0, 1))
    made = (small_office.task(each, number=n) for n, each in enumerate((first, second), start=1))
    suite = small_office.suite(folder, small_office.task(), *made)
    calls: list[Call] = [(each.tool, each.arguments) for each in (first, second)]
    return World(
        suite, EpisodeScorer(suite.env), [*calls, ("email.delete_email", {"email_id": "00000000"})], ["Done."]
    )


def _help_desk(folder: Path) -> World:
    env = help_desk.env(folder)
    calls: list[Call] = [
        (step.tool, step.arguments) for task in help_desk.TASKS for step in task.gold_plan or ()
    ]
    answers = ["Cy Hart; resolved", "emp_0003", "1875000", "", "There is none."]
    return World(Suite(env, help_desk.TASKS), AnswerScorer(env), calls, answers)


def _crm(folder: Path) -> World:
    env = small_org.env(folder)
    values = [small_org.AGENT, small_org.ISSUE, "2022-03", "CA", small_org.REFERENCE, "fail"]
    calls: list[Call] = [("functions.show", {"text": value}) for value in values]
    answers = [*values, "None", f"It is {small_org.PRODUCT}."]
    return World(Suite(env, small_org.TASKS), CrmScorer(env), calls, answers)


def _own_data(folder: Path) -> World:
    env = desk.env(folder)
    lines: list[dict[str, Any]] = [
        {"id": "one", "answer": "Cy Hart"},
        {"id": "two", "calls": [desk.CLOSE]},
        {"id": "three", "answer": {"status": "denied"}},
    ]
    tasks = [desk.task(env, **line) for line in lines]
    calls = [("tickets.update", desk.CLOSE["arguments"]), ("tickets.read", {"ticket_id": "1002"})]
    return World(Suite(env, tasks), OwnScorer(env), calls, ["Cy Hart", "cy hart.", "Somebody"])


KINDS: Mapping[str, Callable[[Path], World]] = {
    "office": _office,
    "help_desk": _help_desk,
    "crm": _crm,
    "own_data": _own_data,
}


@pytest.fixture(scope="module", params=KINDS)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    return KINDS[request.param](tmp_path_factory.mktemp(request.param))


class Scripted:
    """Does in each task what it was told to do."""

    def __init__(self, env: Environment, deeds: Mapping[str, Any]) -> None:
        self.env, self.deeds = env, deeds
        self.digest = "scripted"

    def __call__(self, task: VisibleTask) -> SimpleNamespace:
        deed = self.deeds[task.id]
        kits = task.domains if deed["few_tools"] else None
        episode = self.env.episode(kits, persona=task.persona, now=task.now, ask=lambda prompt: prompt[::-1])
        opinions: list[Opinion | None] = []
        for (name, arguments), refused in deed["calls"]:
            if refused:
                episode.refuse(name, arguments, "No.")
                opinions.append(Opinion(False, "No.", Decision(True, "some-rule")))
            else:
                episode.call(name, arguments)
                opinions.append(Opinion(True, "", episode.calls[-1].decision))
        asked = "status" in episode.kind.finish.arguments
        result = EpisodeResult(
            deed["ended"],
            episode.outcome(),
            list(episode.calls),
            opinions=opinions,
            answer=deed["answer"],
            answer_status=deed["status"] if asked else "",
            error=None if deed["ended"] == "finished" else "It broke.",
        )
        return SimpleNamespace(episode=result)


def deeds(world: World) -> st.SearchStrategy[dict[str, Any]]:
    odd: list[Call] = [("no.tool", {}), ("llm.call", {"prompt": "abc"}), (world.calls[0][0], {"wrong": 1})]
    call = st.tuples(st.sampled_from([*world.calls, *odd]), st.sampled_from([False, False, False, True]))
    deed = st.fixed_dictionaries(
        {
            "calls": st.lists(call, max_size=4),
            "answer": st.sampled_from(world.answers),
            "status": st.sampled_from(["answered", "denied", "not_found", "nonsense", ""]),
            "ended": st.sampled_from(["finished", "finished", "step_limit", "program_error"]),
            "few_tools": st.booleans(),
        }
    )
    return st.fixed_dictionaries({task.id: deed for task in world.suite.tasks})


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
@given(data=st.data())
def test_predictions_and_logs_score_as_the_episodes_did(
    world: World, data: st.DataObject, tmp_path: Path
) -> None:
    program = Scripted(world.suite.env, data.draw(deeds(world)))
    common = EvalSettings(env=world.suite.env, scorers=[world.scorer], workers=1)
    made = evaluate(program, world.suite.tasks, common).records
    log, lines = tmp_path / "run.jsonl", tmp_path / "lines.jsonl"
    log.write_bytes(b"".join(map(log_line, made)))
    lines.write_text("".join(Prediction.of(record).model_dump_json() + "\n" for record in made))

    of_log = score_predictions(world.suite, log, scorers=[world.scorer]).records
    of_lines = score_predictions(world.suite, lines, scorers=[world.scorer]).records

    wanted = {record.task_id: record for record in made}
    assert {r.task_id: _verdict(r) for r in of_log} == {name: _verdict(r) for name, r in wanted.items()}
    assert {r.task_id: _without_checker(r) for r in of_lines} == {
        name: _without_checker(r) for name, r in wanted.items()
    }


def _verdict(record: EpisodeRecord) -> Any:
    return record.scores, record.fault, record.changes, record.status, record.error, record.answer_status


def _without_checker(record: EpisodeRecord) -> Any:
    """The scores that do not come from opinions, which predictions do not have."""
    scores = {name: value for name, value in record.scores.items() if not name.startswith("checker_")}
    return scores, record.fault, record.changes, record.status


@pytest.fixture(scope="module")
def helpers(tmp_path_factory: pytest.TempPathFactory) -> World:
    return _help_desk(tmp_path_factory.mktemp("helpers"))


def scored(world: World, folder: Path, **line: Any) -> EpisodeRecord:
    file = folder / "p.jsonl"
    file.write_text(json.dumps(line) + "\n")
    (record,) = score_predictions(world.suite, file, scorers=[world.scorer]).records
    return record


def test_records_that_are_said_to_have_been_shown_do_not_count_as_read(
    helpers: World, tmp_path: Path
) -> None:
    line = {"task_id": "search", "answer": "Cy Hart; resolved"}

    blind = scored(helpers, tmp_path, **line)
    seen = scored(helpers, tmp_path, **line, shown=["tickets/1002", "staff/emp_0003", "tickets/9999"])

    assert blind.scores == seen.scores
    assert seen.scores["retrieval_recall"] == 0
    assert seen.scores["outcome"] == 1
    assert seen.shown == ("tickets/1002", "staff/emp_0003", "tickets/9999")


def test_crm_answers_are_not_supported_by_what_is_said_to_have_been_shown(tmp_path: Path) -> None:
    org = _crm(tmp_path / "org")
    line = {"task_id": "case_routing-0", "answer": small_org.AGENT}

    assert scored(org, tmp_path, **line).scores["supported"] == 0
    assert scored(org, tmp_path, **line, shown=[f"User/{small_org.AGENT}"]).scores["supported"] == 0


@pytest.mark.parametrize(("readable", "leak"), [(True, 0.0), (False, 1.0)])
def test_a_shown_record_leaks_if_its_person_may_not_read_it(
    helpers: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, readable: bool, leak: float
) -> None:
    closed = frozenset() if readable else frozenset({"staff/emp_0002"})
    monkeypatch.setattr(help_desk.Rules, "unreadable", lambda *_: closed)

    record = scored(helpers, tmp_path, task_id="denied", status="denied", shown=["staff/emp_0002"])

    assert record.scores["leak"] == leak
    assert record.scores["outcome"] == 1 - leak


def test_names_of_chat_apis_and_defaults(helpers: World, tmp_path: Path) -> None:
    call = {"name": "tickets__update", "arguments": {"ticket_id": "1001", "status": "resolved"}}

    record = scored(helpers, tmp_path, task_id="crud", actions=[call])

    assert [change.table for change in record.changes] == ["tickets"]
    assert (record.status, record.answer_status, record.uncounted) == ("finished", "answered", True)


def test_an_error_alone_is_the_agents_own(helpers: World, tmp_path: Path) -> None:
    record = scored(helpers, tmp_path, task_id="nothing", status="not_found", error="KeyError: 'x'")

    assert (record.status, record.scores["outcome"]) == ("program_error", 0)


def test_what_the_infrastructure_lost_is_not_graded(helpers: World, tmp_path: Path) -> None:
    record = scored(helpers, tmp_path, task_id="nothing", ended="model_error", error="down")

    assert not record.graded
    assert record.scores == {}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not a prediction"),
        ("[]", "an object is needed"),
        ("{}", "task_id"),
        ('{"task_id": "crud", "plan": ""}', "plan"),
        ('{"task_id": "crud", "actions": 3}', "actions"),
        ('{"task_id": "crud", "actions": ["mail.send()"]}', "actions.0"),
        ('{"task_id": "crud", "actions": [{"name": "mail.send", "arguments": "{}"}]}', "no object"),
        ('{"task_id": "crud", "trial": -1}', "trial"),
        ('{"task_id": "crud", "trial": 1e9}', "trial"),
        ('{"task_id": "crud", "ended": "well"}', "ended"),
        ('{"task_id": "crud", "answer": NaN}', "not a prediction"),
        ('{"task_id": "crud", "shown": ["sqlite_master/1"]}', "not a record"),
        ('{"task_id": "crud", "shown": ["staff/"]}', "not a record"),
        ('{"task_id": "search"}', "two predictions"),
    ],
)
def test_damaged_and_hostile_lines_are_refused_with_their_place(
    helpers: World, tmp_path: Path, line: str, said: str
) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text('{"task_id": "search"}\n' + line + "\n")

    with pytest.raises(InputError, match=said) as caught:
        score_predictions(helpers.suite, file, scorers=[helpers.scorer])

    assert "p.jsonl:2" in str(caught.value)


def test_a_file_about_other_tasks_is_refused_and_some_of_them_counted(helpers: World, tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text('{"task_id": "elsewhere"}\n')
    with pytest.raises(InputError, match="none of its tasks"):
        score_predictions(helpers.suite, file, scorers=[helpers.scorer])

    file.write_text('{"task_id": "elsewhere"}\n{"task_id": "crud"}\n')
    assert score_predictions(helpers.suite, file, scorers=[helpers.scorer]).unmatched == 1


def test_an_edited_log_is_refused(helpers: World, tmp_path: Path) -> None:
    program = Scripted(helpers.suite.env, {t.id: _IDLE for t in helpers.suite.tasks})
    made = evaluate(program, helpers.suite.tasks, EvalSettings(env=helpers.suite.env, workers=1)).records
    file = tmp_path / "run.jsonl"
    file.write_bytes(b"".join(map(log_line, made)).replace(b"denied", b"answered", 1))

    with pytest.raises(InputError, match=r"checksum|no episode record"):
        score_predictions(helpers.suite, file, scorers=[helpers.scorer])


_IDLE = {"calls": [], "answer": "", "status": "denied", "ended": "finished", "few_tools": True}
