"""Adapters that a user sets are used for whole episodes, or refused before anything is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import dspy
import pytest
from dspy.adapters.baml_adapter import BAMLAdapter

from tests.programs.office import EVENTS, TASKS, Script, run_agent, texts
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.programs.agent import Agent
from worksmith.programs.parts.signatures import Plan, call_signature
from worksmith.programs.prompting.adapters import adapter_in_use
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.programs.strategies import strategy
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError

ADAPTERS = [dspy.ChatAdapter, dspy.JSONAdapter, dspy.XMLAdapter, BAMLAdapter]
EVENT, TITLE = EVENTS[0][:2]
FIND = {"tool": "calendar.search_events", "arguments": {"query": TITLE}}
DELETE = {"tool": "calendar.delete_event", "arguments": {"event_id": EVENT}}
FINISH = {"tool": "finish", "arguments": {"answer": "Ünder <way> & done."}}
STEPS = [
    {"thought": "I look for it.", **FIND},
    {"thought": 'Now "it" & <go>.', **DELETE},
    {"thought": "That was all.", **FINISH},
]
REPLIES: dict[str, list[dict[str, Any]]] = {
    "react": STEPS,
    "act": STEPS,
    "plan": [{"plan": f"1. calendar.search_events\n2. {DELETE['tool']}"}, *STEPS],
    "direct": [{"calls": [FIND, DELETE, FINISH]}],
    "cot": [{"reasoning": "Both.", "calls": [FIND, DELETE, FINISH]}],
}


def script(kind: type[dspy.ChatAdapter], name: str) -> Script:
    """A model that does the first task in the format of an adapter."""
    signatures: dict[str, Any] = {"plan": Plan}
    said = []
    for values in REPLIES[name]:
        signature = signatures.get(next(iter(values)), call_signature(strategy(name)))
        fields = {field: value for field, value in values.items() if field in signature.output_fields}
        said.append(kind().format_assistant_message_content(signature, fields))
    return Script(*said)


def system(request: Any) -> str:
    return str(request.system or "")


@pytest.fixture
def configured(request: pytest.FixtureRequest) -> Iterator[None]:
    dspy.configure(adapter=request.param())
    yield
    dspy.configure(adapter=None)


@pytest.mark.parametrize("name", REPLIES)
@pytest.mark.parametrize("kind", ADAPTERS)
def test_a_whole_episode_goes_through_the_adapter(
    kind: type[dspy.ChatAdapter], name: str, env: Environment
) -> None:
    model, agent = script(kind, name), Agent(name, env=env)
    done = run_agent(agent, model.lm(), adapter=kind())
    same = run_agent(Agent("act", env=env), scripted_lm(GoldEngine(TASKS)))

    assert (done.episode.status, done.unreadable, done.answer) == ("finished", 0, "Ünder <way> & done.")
    assert done.episode.outcome.to_json() == same.episode.outcome.to_json()
    assert len(model.requests) == len(REPLIES[name]) == done.episode.model_calls
    assert done.episode.usage.prompt_tokens == 10 * len(model.requests)


@pytest.mark.parametrize("configured", ADAPTERS, indirect=True)
def test_an_adapter_can_be_set_for_the_whole_process(configured: None, env: Environment) -> None:
    kind = type(dspy.settings.adapter)
    assert run_agent(Agent("react", env=env), script(kind, "react").lm()).episode.status == "finished"


def test_opening_replies_and_observations_look_as_the_adapter_makes_them(env: Environment) -> None:
    model = script(dspy.XMLAdapter, "react")
    run_agent(Agent("react", env=env), model.lm(), adapter=dspy.XMLAdapter())
    opening, reply, observation, *_ = texts(model.requests[-1])

    assert "<task>\nCancel the meeting 'Budget review'\n</task>" in opening
    assert "Respond with the corresponding output fields wrapped in XML tags" in opening
    assert reply.startswith("<thought>\nI look for it.\n</thought>")
    assert observation.startswith("<observation>\n")
    assert TITLE in observation
    assert all("[[ ##" not in text for text in (system(model.requests[-1]), opening, reply, observation))


def test_replies_are_objects_where_the_adapter_asks_for_json(env: Environment) -> None:
    model = script(dspy.JSONAdapter, "react")
    run_agent(Agent("react", env=env), model.lm(), adapter=dspy.JSONAdapter())
    replies = [turn.text for turn in model.requests[-1].messages if turn.role == "assistant"]

    assert [json.loads(str(reply)) for reply in replies] == STEPS[:2]


@pytest.mark.parametrize("kind", ADAPTERS)
@pytest.mark.parametrize("toolset", ["required", "retrieved:4"])
def test_a_prompt_only_grows(kind: type[dspy.ChatAdapter], toolset: str, env: Environment) -> None:
    model = script(kind, "act")
    run_agent(Agent("act", toolset=toolset, env=env), model.lm(), adapter=kind())
    prompts = [texts(request) for request in model.requests]

    assert [len(prompt) for prompt in prompts] == [1, 3, 5]
    for shorter, longer in pairwise(prompts):
        settled = len(shorter) - (toolset != "required")  # the last turn has the tools on offer
        assert longer[:settled] == shorter[:settled]
    assert all("finish(" in prompt[0 if toolset == "required" else -1] for prompt in prompts)


@pytest.mark.parametrize("kind", ADAPTERS)
def test_demonstrations_are_whole_trajectories_in_the_same_format(
    kind: type[dspy.ChatAdapter], env: Environment
) -> None:
    agent = Agent("react", env=env)
    with dspy.context(lm=script(kind, "react").lm(), adapter=kind(), trace=[]):
        agent(task=TASKS[0])
        [(_, inputs, outputs)] = dspy.settings.trace
    model = script(kind, "react")
    run_agent(agent, model.lm(), adapter=kind())
    agent.selector.predict.demos = [dspy.Example(augmented=True, **inputs, **outputs.toDict())]
    other = script(kind, "react")
    run_agent(agent, other.lm(), TASKS[1], adapter=kind())
    shown, ran = texts(other.requests[0]), texts(model.requests[-1])

    # It is the episode as it ran, but for tools and reminder in its opening, and its last reply.
    assert len(shown) == 6 + 1
    assert shown[1:5] == ran[1:5]
    assert "Budget review" in shown[0]
    assert "calendar.search_events(" not in shown[0]


def test_a_reply_in_another_format_is_shown_with_what_is_wrong(env: Environment) -> None:
    model = Script('{"thought": "Hm.", "tool": "finish"}', "<tool>finish</tool>")
    done = run_agent(Agent("react", env=env), model.lm(), adapter=dspy.JSONAdapter())

    assert (done.episode.status, done.unreadable) == ("invalid_reply", 2)
    assert texts(model.requests[1])[1:] == [
        '{"thought": "Hm.", "tool": "finish"}',
        "[[ ## observation ## ]]\nYour reply could not be read: there is no field arguments. "
        "Reply again in the given format.",
    ]


@pytest.mark.parametrize("kind", ADAPTERS)
@pytest.mark.parametrize("text", ["", "Well.", "[" * 2000, "{" * 2000, "<tool>" * 2000, "\ud800"])
def test_whatever_is_replied_is_nothing_but_unreadable(
    kind: type[dspy.ChatAdapter], text: str, env: Environment
) -> None:
    done = run_agent(Agent("react", env=env), Script(text, text).lm(), adapter=kind())

    assert done.episode.status == "invalid_reply", done.episode.error


def test_calls_are_read_strictly_whoever_reads_them(env: Environment) -> None:
    wrong = json.dumps({"calls": [{"tool": "finish", "arguments": "so"}]})
    done = run_agent(Agent("direct", env=env), Script(wrong, wrong).lm(), adapter=dspy.JSONAdapter())

    assert done.episode.status == "invalid_reply"
    assert "the arguments of finish must be a JSON object" in str(done.episode.error)


def test_the_model_of_an_access_check_is_asked_through_it_too(env: Environment) -> None:
    allowed = json.dumps({"reason": "Own records.", "verdict": "Allowed"})
    steps = [json.dumps({name: step[name] for name in ("tool", "arguments")}) for step in STEPS]
    model = Script(steps[0], allowed, steps[1], allowed, steps[2])
    done = run_agent(Agent("act", access="model", env=env), model.lm(), adapter=dspy.JSONAdapter())

    assert done.episode.status == "finished"
    assert [opinion.allow for opinion in done.episode.opinions if opinion] == [True, True]


class Shouting(dspy.ChatAdapter):  # type: ignore[misc]
    """Somebody's own adapter, which keeps DSPy's messages."""

    def format_task_description(self, signature: type[dspy.Signature]) -> str:
        return str(super().format_task_description(signature)).upper()


class Terse(dspy.ChatAdapter):  # type: ignore[misc]
    """Somebody's own adapter, which makes its own messages."""

    def format(self, signature: Any, demos: Any, inputs: Any) -> list[dict[str, Any]]:
        return [{"role": "user", "content": "Well?"}]


def test_an_adapter_of_ones_own_is_used(env: Environment) -> None:
    model = script(Shouting, "act")
    assert run_agent(Agent("act", env=env), model.lm(), adapter=Shouting()).episode.status == "finished"

    assert "YOU WORK ON BEHALF OF ONE PERSON" in system(model.requests[0])


@pytest.mark.parametrize(
    ("adapter", "named"),
    [
        (dspy.TwoStepAdapter(dspy.LM("openai/none")), "TwoStepAdapter"),
        (Terse(), "Terse"),
        ("json", "str"),
    ],
)
def test_other_adapters_are_refused_by_name_before_anything_is_asked(
    adapter: Any, named: str, env: Environment
) -> None:
    model = Script()
    with (
        dspy.context(lm=model.lm(), adapter=adapter),
        pytest.raises(InputError, match=f"{named} cannot render whole trajectories"),
    ):
        Agent("act", env=env)(task=TASKS[0])

    assert model.requests == []


@pytest.mark.parametrize("kind", ADAPTERS)
def test_native_calls_through_an_adapter_are_refused_by_name(
    kind: type[dspy.ChatAdapter], env: Environment
) -> None:
    model = Script()
    model.supports_function_calling = True  # type: ignore[attr-defined]
    with (
        dspy.context(lm=model.lm(), adapter=kind()),
        pytest.raises(InputError, match=f"native tool calls do not go through {kind.__name__}"),
    ):
        Agent("function_calling", env=env)(task=TASKS[0])

    assert model.requests == []


def test_gold_plans_are_followed_whatever_the_adapter(env: Environment) -> None:
    done = run_agent(Agent("react", env=env), scripted_lm(GoldEngine(TASKS)), adapter=dspy.JSONAdapter())
    assert done.episode.status == "finished"


def test_callbacks_of_an_adapter_are_told_once() -> None:
    class Told(dspy.utils.callback.BaseCallback):  # type: ignore[misc]
        def __init__(self) -> None:
            self.heard: list[str] = []

        def on_adapter_format_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
            self.heard.append("format")

        def on_adapter_parse_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
            self.heard.append("parse")

    told = Told()
    model = Script('{"plan": "1. finish"}')
    with dspy.context(lm=model.lm(), adapter=dspy.JSONAdapter(callbacks=[told])):
        used = adapter_in_use(dspy.settings.lm)
        used(dspy.settings.lm, {}, Plan, [], {"context": "c", "tools": "t", "task": "x"})

    assert told.heard == ["format", "parse"]


def test_the_harness_asks_through_it_and_counts_the_same(env: Environment) -> None:
    agent, model = Agent("react", env=env), script(dspy.JSONAdapter, "react")
    with dspy.context(adapter=dspy.JSONAdapter()):
        asked = evaluate(agent, TASKS[:1], EvalSettings(env=env, lm=model.lm())).records[0]
        gold = evaluate(agent, TASKS[:1], EvalSettings(env=env, lm=scripted_lm(GoldEngine(TASKS)))).records[0]

    assert (asked.status, asked.model_calls, asked.prompt_tokens) == ("finished", 3, 30)
    assert [call.tool for call in asked.calls] == [call.tool for call in gold.calls]
    assert asked.changes == gold.changes
    assert system(model.requests[0]).count("JSON object")
