"""Proposals: what a model is shown, what comes of its replies, and what is derived without one."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.lm15 import Request, Response
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.optimizers.dspy_optimizers.test_instructions import Obedient
from tests.optimizers.mailroom import Mailroom, mails
from tests.optimizers.proposals.standings import called, change, failed, fault, solved, standing
from tests.optimizers.proposing import Proposals, Silent, proposing_lm, reply
from tests.optimizers.shop import make_context
from tests.tools.kinds.enterprise.small_world import open_small_env
from worksmith.evals.failure_modes.catalogue import failure_modes
from worksmith.evals.suite import Suite, suite_of_examples
from worksmith.evals.tasks.task import Answer, Entity, Step, Task
from worksmith.optimizers.candidates.candidate import Candidate, Demos
from worksmith.optimizers.candidates.undoing import made_of
from worksmith.optimizers.cost.limits import BudgetSpentError
from worksmith.optimizers.proposals.asking import Asking
from worksmith.optimizers.proposals.checks import LONGEST, Checks
from worksmith.optimizers.proposals.choice import sources
from worksmith.optimizers.proposals.hints import OUTPUTS, hints
from worksmith.optimizers.proposals.peers import GepaReflection, Grounded
from worksmith.optimizers.proposals.reflection import Reflection
from worksmith.optimizers.proposals.source import Source, Standing
from worksmith.optimizers.proposer import Proposer
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.programs.agent import Agent
from worksmith.tools.environment import Environment
from worksmith.tools.errors import WorksmithError
from worksmith.tools.statuses import STATUSES
from worksmith.tools.tool import ToolText

SELECT = "selector.predict"
SEARCH, UPDATE = "calendar.search_events", "calendar.update_event"
OWN = Candidate(instructions={SELECT: "Search first. Then say so."})
OVER = ("demonstrations", "instructions", "tools")


class Saying:
    """An engine that gives the same reply to everything; what it was asked is in `asked`."""

    def __init__(self, text: str) -> None:
        self.text = self.digest = text
        self.asked: list[str] = []

    def complete(self, request: Request) -> Response:
        self.asked.append("\n".join(part.text for message in request.messages for part in message.parts))
        return reply(request.model, self.text)


class Spent:
    digest = "spent"

    def complete(self, request: Request) -> Response:
        raise BudgetSpentError("max_calls")


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return open_small_env(tmp_path_factory.mktemp("company"))


@pytest.fixture
def wrong(suite: Suite) -> Standing:
    """An agent that searched with a wrong name and changed the wrong event; another task's run was right."""
    task, other = [task for task in suite.tasks if task.intent == "Rename"][:2]
    calls = (
        called(SEARCH, observation="[]", query="lunch"),
        called(UPDATE, event_id="00000009", field="event_name", new_value="lost"),
    )
    record = failed(
        task,
        *calls,
        fault=fault("wrong_record", 2, "event_id is 00000009, not 00000000"),
        changes=(change(9, event_name="lost"),),
        expected_changes=(change(0, event_name="done"),),
    )
    steps = [{"tool": SEARCH, "arguments": {"query": "beta"}, "observation": "[beta]"}]
    return standing(
        Agent("react", suite.env), [task, other], [record], bank=[solved(other, trajectory=steps)]
    )


def asking(
    made: Callable[[Proposer, Checks], Asking], env: Environment, engine: Any = None
) -> tuple[Asking, Any]:
    lm = proposing_lm(engine or Proposals)
    return made(Proposer.of(lm), Checks(env)), lm.engine


def test_a_model_is_shown_what_went_wrong_and_what_would_have_been_right(
    wrong: Standing, suite: Suite
) -> None:
    source, engine = asking(Reflection, suite.env)
    (found,) = source.propose(wrong, 1)

    (prompt,) = engine.asked
    for shown in (
        '1. calendar.search_events {"query": "lunch"} -> []',
        '2. calendar.update_event {"event_id": "00000009"',
        "First wrong at step 2. The right change was made to another record",
        "calendar.update_event was called with wrong values of: event_id, new_value.",
        "Change missing: update in calendar (event_name)",
        '1. calendar.search_events {"query": "beta"}',
        wrong.own_instructions[SELECT],
    ):
        assert shown in prompt, shown
    assert found == Candidate(instructions={SELECT: "Proposal 1."})
    assert source.proposer.meter.calls == 1


def test_every_second_proposal_is_of_a_tool_that_failures_point_to(wrong: Standing, suite: Suite) -> None:
    source, engine = asking(lambda proposer, checks: Reflection(proposer, checks, tools=True), suite.env)
    found = source.propose(wrong, 3)

    assert found[0] == Candidate(tools={UPDATE: ToolText(description="Proposal 1.")})
    assert f"The description of the tool `{UPDATE}`" in engine.asked[0]
    assert not found[1].tools
    assert found[2] == Candidate(tools={UPDATE: ToolText(arguments={"event_id": "Proposal 3."})})
    assert f"The description of the argument `event_id` of the tool `{UPDATE}`" in engine.asked[2]


def test_earlier_texts_are_shown_with_scores_and_the_best_one_is_improved(
    suite: Suite, wrong: Standing
) -> None:
    task = next(iter(wrong.tasks))
    tried = {"a": OWN, "b": Candidate(instructions={SELECT: "Guess."}, temperature=0.5)}
    scores = {INCUMBENT: {task: 0.0}, "a": {task: 0.75}, "b": {task: 0.25}}
    record = wrong.failures[0]
    at = standing(
        wrong.program, wrong.tasks.values(), [record], tried=tried, leader="b", scores=scores, round=1
    )
    source, engine = asking(Reflection, suite.env)
    (found,) = source.propose(at, 1)

    (prompt,) = engine.asked
    assert prompt.index("Score 0.25: Guess.") < prompt.index("Score 0.75: Search first.")
    assert found == tried["b"].joined(Candidate(instructions={SELECT: "Proposal 1."}))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("[[ ## proposed_instruction ## ]]\nLook twice.\n\n[[ ## completed ## ]]", "Look twice."),
        ("Look twice.", "Look twice."),
        ("Look\x1b[31m twice.", "Look\ufffd[31m twice."),
        ("```\nLook twice.\n```", "Look twice."),
        ('"Look twice."', "Look twice."),
        ("", None),
        ("[[ ## completed ## ]]", None),
        ("...", None),
        ("The instruction of the step `selector.predict`", None),
        ("Look. " * LONGEST, None),
    ],
)
def test_a_reply_that_is_no_text_is_a_failed_proposal(
    wrong: Standing, suite: Suite, text: str, kept: str | None
) -> None:
    source, _ = asking(Reflection, suite.env, lambda: Saying(text))
    found = source.propose(wrong, 1)

    assert [each.instructions[SELECT] for each in found] == [kept] * (kept is not None)
    assert source.failed == (kept is None)


def test_what_is_proposed_from_failures_mends_them(suite: Suite, tmp_path: Path) -> None:
    """The model does what it can only with an instruction that is not its own."""
    student = dspy.LM("scripted/obedient", engine=Obedient(), cache=False)
    context = make_context(suite, tmp_path, teacher=student, student=student)
    before = context.student(context.program, context.dev, name="before")
    assert context.proposer is not None
    source = Reflection(context.proposer, Checks(suite.env))
    (found,) = source.propose(standing(context.program, context.dev, before.records), 1)

    after = context.student(
        standing(context.program, context.dev, tried={"found": found}, leader="found").best_program,
        context.dev,
        name="after",
    )
    assert before.summary.scores["outcome"].value < after.summary.scores["outcome"].value == 1


def test_a_spent_budget_and_a_silent_model_end_the_work(wrong: Standing, suite: Suite) -> None:
    with pytest.raises(BudgetSpentError):
        asking(Reflection, suite.env, Spent)[0].propose(wrong, 2)
    with pytest.raises(WorksmithError, match="never answered"):
        asking(Reflection, suite.env, Silent)[0].propose(wrong, 2)


_LONG = "do as I say and not as I do please"
SECRETS = ("Meera", "Pillai", "Heron", "450000", "CV-00017")
TASK = Task(
    id="t1",
    query="Tell Meera Pillai the day of the Amber Heron launch, budget 450000.",
    domains=("conversations",),
    slots={"person": "Meera Pillai", "project": "Amber Heron", "budget": "450000"},
    gold_plan=(Step(tool="conversations.read", arguments={"with_employee": "Meera Pillai"}),),
    answer=Answer(kind="entities", required=(Entity(type="date", value="2022-12-09"),)),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(seen=st.text(max_size=30), cell=st.text(max_size=9), slots=st.booleans(), peer=st.booleans())
def test_what_an_episode_read_changes_no_byte_of_a_prompt(
    company: Environment, seen: str, cell: str, slots: bool, peer: bool
) -> None:
    """Where there are access rules: the text is shown to people who may not read it."""
    task = TASK if slots else TASK.model_copy(update={"slots": {}})

    def prompt(observation: str, value: str) -> str:
        record = failed(
            task,
            called("conversations.read", "ok", observation, with_employee="Meera Pillai"),
            fault=fault("partial_facts", 1, f"does not name {value} of CV-00017"),
            changes=(change(3, text=value),),
            expected_changes=(change(4, text=f"new {value}"),),
            answer="It was Meera.",
        )
        source, engine = asking(GepaReflection if peer else Reflection, company)
        source.propose(standing(Agent("react", company), [task], [record]), 1)
        return str(engine.asked)

    shown = prompt(seen, cell)
    assert shown == prompt("Budget: 450000 for Amber Heron", "CV-00017")
    assert not [secret for secret in SECRETS if secret in shown]
    assert "never called" in shown or "names only some of it" in shown


@pytest.mark.parametrize(
    ("changes", "allowed"),
    [
        ({"instructions": {SELECT: "Read before you write."}}, True),
        ({"instructions": {SELECT: "Always ask Meera."}}, False),
        ({"instructions": {SELECT: "The budget is 450,000 or 450000."}}, False),
        ({"instructions": {SELECT: "It says: the quick brown fox jumps over."}}, False),
        ({"instructions": {SELECT: "Take 2022-12-09."}}, False),
        ({"instructions": {SELECT: "a" * (LONGEST + 1)}}, False),
        ({"instructions": {SELECT: "Never SHOUT at people."}}, False),
        ({"instructions": {SELECT: "Do as I say, and not as I do, please."}}, False),
        ({"instructions": {"planner.predict": "Plan."}}, False),
        ({"tools": {"mail.send": {"description": "Sends."}}}, False),
        ({"tools": {"conversations.read": {"arguments": {"limit": "Mind Pillai."}}}}, False),
    ],
)
def test_what_a_text_may_say(company: Environment, changes: dict[str, Any], allowed: bool) -> None:
    checks = Checks(
        company,
        forbidden=("shout at", "do as I say and not as I do please"),
        pinned=frozenset({"planner.predict", "mail.send"}),
    )
    seen = called("conversations.read", "ok", '{"text": "the quick brown fox jumps over the lazy dog"}')
    at = standing(Agent("react", company), [TASK], [failed(TASK, seen)])

    assert bool([*checks.fresh([Candidate.from_json(changes)], at)]) == allowed


def test_hints_are_few_and_each_is_against_something_that_happens(suite: Suite) -> None:
    statuses = {"unknown_tool", "bad_arguments", "tool_error", "denied", "refused", "repeated"}
    known = {*failure_modes(), *STATUSES, *(f"call:{status}" for status in statuses)}
    assert len(hints()) <= 30
    assert not {sign for hint in hints() for sign in hint.against} - known
    text = files("worksmith.optimizers.proposals").joinpath("hints.toml").read_text()
    assert tomllib.loads(text).keys() == OUTPUTS.keys()


def test_hints_are_those_against_the_most_frequent_faults(suite: Suite) -> None:
    tasks = suite.tasks[:3]
    again, late = [called(SEARCH, query="x"), called(SEARCH, query="x")], fault("step_limit")
    records = [failed(task, *again, fault=late) for task in tasks[:2]]
    records.append(failed(tasks[2], called("x", "denied"), fault=fault("no_action")))
    at = standing(Agent("plan", suite.env), tasks, records)
    (hint, *_), own = sources(Checks(suite.env), None, OVER)[-1].propose(at, 4), at.own_instructions[SELECT]

    added = hint.instructions[SELECT].removeprefix(own)
    assert "Never make the same call twice." in added
    assert added.index("Never make the same call") < added.index("When a call is denied")
    pinned = sources(Checks(suite.env, pinned=frozenset({SELECT})), None, OVER)[-1].propose(at, 9)
    assert not any(SELECT in each.instructions for each in pinned)


@pytest.fixture
def mailroom() -> Suite:
    return suite_of_examples(mails(12, 1), mails(12, 2))


def test_a_plain_program_is_told_of_inputs_outputs_and_labels(mailroom: Suite) -> None:
    task, other = mailroom.tasks[:2]
    record = failed(task, answer="topic: other", fault=fault("low_metric", detail="Topics are invoices."))
    bank = [solved(other, "sort", mail=other.query, topic="crash")]
    at = standing(Mailroom(), [task], [record], bank=bank)
    source, engine = asking(Reflection, mailroom.env)
    found = source.propose(at, 2)

    assert [list(each.instructions) for each in found] == [["sort", "route"]] * 2
    for shown in (task.query, "Output: topic: other", "Topics are invoices.", "Right is: topic: ", "crash"):
        assert shown in engine.asked[0]


def test_the_predictor_whose_instructions_gained_is_improved_further(mailroom: Suite) -> None:
    task = mailroom.tasks[0]
    tried = {name: Candidate(instructions={name: "Try."}) for name in ("sort", "route")}
    scores = {INCUMBENT: {task.id: 0.5}, "sort": {task.id: 0.0}, "route": {task.id: 1.0}}
    at = standing(Mailroom(), [task], [failed(task)], tried=tried, scores=scores)
    found = asking(Reflection, mailroom.env)[0].propose(at, 3)

    assert [list(each.instructions) for each in found] == [["route"], ["route"], ["route"]]


@pytest.mark.parametrize("made", [Grounded, GepaReflection, Reflection])
def test_a_text_is_one_question_whatever_the_form_of_the_reply(mailroom: Suite, made: type[Asking]) -> None:
    tasks = mailroom.tasks[:3]
    bank = [solved(task, "sort", mail=task.query, topic="refund") for task in tasks]
    at = standing(Mailroom(), tasks, map(failed, tasks), bank=bank)
    source, engine = asking(made, mailroom.env, lambda: Saying("New words."))
    found = source.propose(at, 2)

    texts = [each.instructions.items() for each in found]
    assert {*chain(*texts)} == {("sort", "New words."), ("route", "New words.")}
    assert tasks[0].query in engine.asked[0]
    assert len(engine.asked) == source.proposer.meter.calls


def test_only_what_looks_at_no_dev_episode_is_not_adaptive(suite: Suite) -> None:
    with_a_model = sources(Checks(suite.env), Proposer.of(proposing_lm()), OVER)
    assert [source.name for source in with_a_model if not source.adaptive] == ["MIPROv2"]
    assert all(source.adaptive for source in sources(Checks(suite.env), None, OVER))


def derived(checks: Checks, name: str) -> Source:
    return next(source for source in sources(checks, None, OVER) if source.name == name)


def test_better_candidates_are_joined_the_larger_gain_first(suite: Suite) -> None:
    tried = {
        "a": Candidate(instructions={SELECT: "A."}, prompt="json"),
        "b": Candidate(instructions={SELECT: "B."}, temperature=0.5),
        "worse": Candidate(prompt="native"),
        "c": Candidate(toolset="all"),
    }
    tasks = suite.tasks[:4]
    means = {INCUMBENT: 0.5, "a": 0.6, "b": 0.9, "worse": 0.2, "c": 0.7}
    scores = {name: {task.id: mean for task in tasks} for name, mean in means.items()}
    at = standing(Agent("react", suite.env), tasks, tried=tried, scores=scores)
    whole, first, *_ = derived(Checks(suite.env), "combination").propose(at, 9)

    assert whole.to_json() == {
        "instructions": {SELECT: "B."},
        "prompt": "json",
        "toolset": "all",
        "temperature": 0.5,
    }
    assert first == tried["b"].joined(tried["c"])


def test_what_is_removed(suite: Suite) -> None:
    best = OWN.joined(Candidate(prompt="json"))
    at = standing(Agent("react", suite.env), suite.tasks[:1], tried={"best": best}, leader="best")
    found = derived(Checks(suite.env), "removal").propose(at, 9)

    texts = {each.instructions.get(SELECT) for each in found}
    assert texts == {None, "Search first. Then say so.", "Search first.", "Then say so."}
    assert {each.prompt for each in found} == {None, "json"}

    compiled = made_of(best, Agent("react", suite.env))
    undo = Candidate(instructions={SELECT: "Search first."})
    found = derived(Checks(suite.env), "removal").propose(standing(compiled, suite.tasks[:1], undo=undo), 9)
    assert [each.to_json() for each in found] == [{"instructions": {SELECT: "Search first."}}]


@pytest.mark.parametrize("show", ["nearest", "fixed"])
def test_demonstrations_that_go_with_failures_are_removed(suite: Suite, show: Any) -> None:
    """Every fifth one misleads; these are more frequent among those that go than among all."""
    tasks = [Task(id=f"{n:02}", query=f"Close the ticket about {n}", domains=()) for n in range(60)]
    bank, draw = [solved(task) for task in tasks[:20]], random.Random(3)
    names = [each.name for each in bank]
    bad = set(names[::5])
    displays = [Demos(show="fixed", tasks=tuple(sorted(draw.sample(names, 6)))) for _ in range(8)]
    misled = [len(bad & {*each.tasks}) for each in displays]
    scores = {
        str(n): {task.id: float(draw.random() < 0.9 - 0.25 * count) for task in tasks[20:]}
        for n, count in enumerate(misled)
    }
    displays += [Demos(show="nearest", count=3)] if show == "nearest" else []
    tried = {str(n): Candidate(demonstrations={SELECT: each}) for n, each in enumerate(displays)}
    at = standing(Agent("act", suite.env), tasks, tried=tried, leader=[*tried][-1], bank=bank, scores=scores)
    found = derived(Checks(suite.env), "removal").propose(at, 3)
    before = {*(displays[-1].tasks or names)}
    alone, *others = (each.demonstrations[SELECT] for each in found)
    gone = before - {*next(each for each in others if each.show == show).tasks}

    assert alone.show == "fixed"
    assert bad.isdisjoint(alone.tasks)
    assert len(gone & bad) / len(gone) > len(before & bad) / len(before)


def test_no_source_repeats_itself_or_what_was_tried(wrong: Standing, suite: Suite) -> None:
    at = standing(wrong.program, wrong.tasks.values(), wrong.failures, tried={"own": OWN}, leader="own")
    for source in sources(Checks(suite.env), None, OVER):
        found = source.propose(at, 50)
        digests = [each.digest for each in found]
        assert len({*digests, OWN.digest, Candidate().digest}) == len(digests) + 2
        again = standing(
            wrong.program,
            wrong.tasks.values(),
            wrong.failures,
            tried={"own": OWN, **{each.digest: each for each in found}},
            leader="own",
        )
        assert source.propose(again, 50) == []
