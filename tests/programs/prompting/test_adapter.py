"""What a model is shown, and what is read from its replies."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import dspy
import pytest
from dspy._vendor.lm15.serde import request_to_dict
from dspy.utils.callback import BaseCallback
from hypothesis import given
from hypothesis import strategies as st

from tests.programs.office import TASKS, Script, call, finish, reply, run_agent
from worksmith.programs.agent import Agent
from worksmith.programs.parts.signatures import Plan, call_signature
from worksmith.programs.prompting.adapter import TrajectoryAdapter
from worksmith.programs.prompting.replies.unreadable import UnreadableReplyError
from worksmith.programs.replaying.recording import request_digest
from worksmith.programs.strategies import strategy
from worksmith.tools.environment import Environment

REACT = call_signature(strategy("react"))
ACT = call_signature(strategy("act"))
DIRECT = call_signature(strategy("direct"))
INPUTS = {"context": "Now: noon.", "tools": "t.look(): Look.", "task": "Look.", "trajectory": []}
DEMO = {
    "context": "Now: morning.",
    "task": "Peek.",
    "trajectory": [
        {"thought": "Try.", "tool": "t.look", "arguments": {"at": "ä"}, "observation": 'a "b"\nc'},
    ],
    "thought": "Enough.",
    "tool": "finish",
    "arguments": {"answer": "Seen."},
}
DEMO_TURNS = [
    ("user", "[[ ## context ## ]]\nNow: morning.\n\n[[ ## task ## ]]\nPeek."),
    (
        "assistant",
        "[[ ## thought ## ]]\nTry.\n\n[[ ## tool ## ]]\nt.look\n\n"
        '[[ ## arguments ## ]]\n{"at": "ä"}\n\n[[ ## completed ## ]]',
    ),
    ("user", '[[ ## observation ## ]]\na "b"\nc'),
    (
        "assistant",
        "[[ ## thought ## ]]\nEnough.\n\n[[ ## tool ## ]]\nfinish\n\n"
        '[[ ## arguments ## ]]\n{"answer": "Seen."}\n\n[[ ## completed ## ]]',
    ),
]


def turns(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in messages]


@pytest.mark.parametrize("demo", [DEMO, dspy.Example(augmented=True, **DEMO)])
def test_a_demonstration_is_a_whole_trajectory_in_turns(demo: Any) -> None:
    assert turns(TrajectoryAdapter().format(REACT, [demo], INPUTS))[1:-1] == DEMO_TURNS


def test_the_tools_end_the_system_message_and_the_query_comes_last() -> None:
    (_, system), *_, (role, text) = turns(TrajectoryAdapter().format(REACT, [DEMO], INPUTS))

    assert role == "user"
    assert system.endswith("\n\n[[ ## tools ## ]]\nt.look(): Look.")
    assert text.startswith("[[ ## context ## ]]\nNow: noon.\n\n[[ ## task")
    assert text.endswith(
        "Respond with the corresponding output fields, starting with the field `[[ ## thought ## ]]`, then "
        "`[[ ## tool ## ]]`, then `[[ ## arguments ## ]]` (JSON), and end with the marker "
        "`[[ ## completed ## ]]`."
    )


def test_the_running_episode_looks_like_a_demonstration() -> None:
    adapter = TrajectoryAdapter()
    running = turns(adapter.format(REACT, [], {**INPUTS, "trajectory": DEMO["trajectory"]}))

    assert running[2:] == DEMO_TURNS[1:3]


def test_fields_that_a_signature_lacks_are_not_shown() -> None:
    assert "thought" not in str(turns(TrajectoryAdapter().format(ACT, [DEMO], INPUTS)))


def test_examples_without_outputs_show_nothing() -> None:
    raw = dspy.Example(task=TASKS[0]).with_inputs("task")

    assert len(TrajectoryAdapter().format(REACT, [raw], INPUTS)) == 2


def test_a_demonstration_that_is_changed_is_rendered_anew() -> None:
    adapter, demo = TrajectoryAdapter(), dspy.Example(**DEMO)
    adapter.format(REACT, [demo], INPUTS)
    demo.thought = "On second thought."

    assert "On second thought." in adapter.format(REACT, [demo], INPUTS)[4]["content"]


def test_empty_inputs_are_left_out() -> None:
    inputs = {"context": "c", "tools": "t", "task": "x", "progress": ""}

    assert "progress" not in TrajectoryAdapter().format(Plan, [], inputs)[1]["content"]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3)
)
arguments = st.dictionaries(st.text(min_size=1), values, max_size=4)


@given(arguments)
def test_what_is_rendered_is_read_back(given: dict[str, Any]) -> None:
    adapter = TrajectoryAdapter()
    text = adapter.format_assistant_message_content(ACT, {"tool": "t.look", "arguments": given})

    assert adapter.parse(ACT, text) == {"tool": "t.look", "arguments": given}


@given(st.lists(st.fixed_dictionaries({"tool": st.text(), "arguments": arguments}), max_size=3))
def test_lists_of_calls_are_read_back(calls: list[dict[str, Any]]) -> None:
    adapter = TrajectoryAdapter()

    assert adapter.parse(DIRECT, adapter.format_assistant_message_content(DIRECT, {"calls": calls})) == {
        "calls": calls
    }


@given(st.text())
def test_any_reply_is_read_or_refused(text: str) -> None:
    for signature in (REACT, DIRECT):
        with suppress(UnreadableReplyError):
            TrajectoryAdapter().parse(signature, f"[[ ## calls ## ]]\n{text}\n[[ ## tool ## ]]\n{text}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ("{'a': 'b'}", {"a": "b"}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ("", {}),
    ],
)
def test_small_slips_in_arguments_are_mended(text: str, expected: dict[str, Any]) -> None:
    assert TrajectoryAdapter().parse(ACT, call("t", text))["arguments"] == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("[[ ## tool ## ]]\nt.look", "arguments"),
        (call("t", '{"body": "Dear all, we reg'), "not JSON"),
        (call("t", '["a"]'), "JSON object"),
        (call("t", "[" * 5000), "arguments"),
        (call("t", '{"a": "\\ud800"}'), "Unicode"),
    ],
)
def test_a_reply_cut_off_or_of_another_shape_never_becomes_a_call(text: str, problem: str) -> None:
    with pytest.raises(UnreadableReplyError) as caught:
        TrajectoryAdapter().parse(ACT, text)

    assert problem in caught.value.problem


@pytest.mark.parametrize(
    "calls", ["3", "[3]", '[{"tool": 1}]', '[{"tool": "t", "arguments": []}]', '[{"tool": "t"', ""]
)
def test_lists_of_calls_of_another_shape_are_refused(calls: str) -> None:
    with pytest.raises(UnreadableReplyError):
        TrajectoryAdapter().parse(DIRECT, reply(calls=calls))


def test_only_the_first_step_of_a_reply_counts() -> None:
    dreamt = call("t.one") + "\n\n[[ ## observation ## ]]\nFine.\n\n" + call("t.two")

    assert TrajectoryAdapter().parse(ACT, dreamt)["tool"] == "t.one"


def test_callbacks_and_caches_see_the_same_request(env: Environment) -> None:
    class Watch(BaseCallback):  # type: ignore[misc]
        messages: Any = None

        def on_lm_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
            self.messages = inputs["messages"]

    agent, watch = Agent("react", env=env), Watch()
    requests = []
    for callbacks in ([], [watch]):
        script = Script(finish())
        lm = dspy.LM("scripted/same", engine=script, cache=False, temperature=0.5, max_tokens=100)
        run_agent(agent, lm, callbacks=callbacks)
        requests.append(script.requests[0])

    assert request_to_dict(requests[0]) == request_to_dict(requests[1])
    assert (requests[0].config.temperature, requests[0].config.max_tokens) == (0.5, 100)
    assert watch.messages[0]["role"] == "system"


def test_dspy_s_cache_answers_a_second_run(env: Environment) -> None:
    before, dspy.cache = (
        dspy.cache,
        dspy.clients.Cache(enable_disk_cache=False, enable_memory_cache=True, disk_cache_dir=None),
    )
    try:
        script = Script(call("calendar.search_events", thought="Look."), finish())
        script.digest = "known"  # an engine without one is never cached
        for _ in range(2):
            episode = run_agent(Agent("react", env=env), dspy.LM("scripted/cached", engine=script)).episode
    finally:
        dspy.cache = before

    assert (len(script.requests), episode.status, episode.usage.paid_requests) == (2, "finished", 0)


def test_trials_of_one_task_are_not_answered_from_each_other_s_cache(env: Environment) -> None:
    script = Script(finish("one"), finish("two"))
    lm = dspy.LM("scripted/trials", engine=script, temperature=1.0, cache=False)
    keys = {json.dumps(lm.copy(rollout_id=trial).kwargs, sort_keys=True) for trial in (1, 2)}
    answers = set()
    for trial in (1, 2):
        answers.add(run_agent(Agent("act", env=env), lm.copy(rollout_id=trial)).answer)

    assert len(keys) == len(answers) == 2
    assert request_digest(script.requests[0]) == request_digest(script.requests[1])
