"""CPU of the agent loop outside the model: our agent beside `dspy.ReAct`, same tools, same replies, one run.

The world is a small office, the model an engine that answers at once. What is measured is everything else:
rendering prompts, DSPy's call path, reading replies, calling tools.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

DESCRIPTION = "CPU of one agent episode outside the model, against dspy.ReAct"

STEPS = (8, 32)
_QUERY = "Find the meetings with Kim in December and tell me how they are spread over the weeks"
_TOOL = "calendar.search_events"


def run(quick: bool) -> dict[str, Any]:
    """Ratios of the medians, and milliseconds of CPU a model call, at each number of steps."""
    import dspy

    repeats = 5 if quick else 15
    figures: dict[str, Any] = {"repeats": repeats}
    with tempfile.TemporaryDirectory() as folder:
        env = office(Path(folder))
        figures["tools"] = len(env.episode().toolset)
        for steps in STEPS:
            lm = instant_lm(steps)
            with dspy.context(lm=lm, disable_history=True, trace=None):
                ours = _median(our_episode(env, steps), repeats)
                theirs = _median(react_episode(env, steps), repeats)
            figures |= _figures(steps, ours, theirs)
    return figures


def office(folder: Path) -> Any:
    """A environment over an office with a few meetings."""
    from worksmith.tools.environment import Environment
    from worksmith.tools.kinds.office.office_world import OFFICE
    from worksmith.tools.kinds.office.policy import SAM
    from worksmith.tools.world import write_world

    meetings = [
        (f"{number:08}", f"Meeting {number}", "kim.lee@atlas.com", f"2023-12-{number + 1:02} 10:00:00", "30")
        for number in range(20)
    ]
    now = datetime(2023, 11, 30)
    write_world(
        folder, OFFICE.tables, {"calendar": meetings}, kind="office", origin="benchmark", now=now, persona=SAM
    )
    return Environment.open(folder)


def instant_lm(steps: int) -> Any:
    """A model that calls the same tool `steps` times and then finishes, whichever program asks."""
    import dspy

    return dspy.LM("scripted/benchmark", engine=_Caller(steps), cache=False, num_retries=0)


def our_agent(env: Any, steps: int) -> Any:
    """Our agent, with all tools in its prompt."""
    from worksmith.programs.agent import Agent

    return Agent("react", toolset="all", env=env, max_steps=steps + 1)


def a_task(number: int) -> Any:
    """The task that all benchmarks of the loop do, under an id of its own."""
    from worksmith.evals.tasks.task import Task

    return Task(id=f"benchmark-{number}", query=_QUERY, domains=("calendar",))


def our_episode(env: Any, steps: int) -> Callable[[], Any]:
    """An episode of our agent."""
    agent = our_agent(env, steps)
    task = a_task(0)

    def episode() -> Any:
        result = agent(task=task).episode
        assert (result.status, len(result.calls)) == ("finished", steps)
        return result

    return episode


def react_episode(env: Any, steps: int) -> Callable[[], Any]:
    """The same with `dspy.ReAct`, built once; only what its tools act on is fresh each time. Thread-safe."""
    import dspy

    current = _Current()

    def calling(name: str) -> Callable[..., str]:
        return lambda **arguments: current.episode.call(name, arguments).text

    tools = [
        dspy.Tool(calling(tool.name), name=tool.name, desc=tool.summary, args=tool.parameters["properties"])
        for tool in env.episode().toolset.values()
    ]
    react = dspy.ReAct("context, task -> answer", tools=tools, max_iters=steps + 1)

    def episode() -> Any:
        current.episode = env.episode()
        prediction = react(context="Now: Thursday 2023-11-30 00:00. Working for: Sam.", task=_QUERY)
        assert len(current.episode.calls) == steps
        return prediction

    return episode


class _Current(threading.local):
    """Passes calls on to the episode of its thread."""

    episode: Any = None

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        return self.episode.call(name, arguments)


class _Caller:
    """Counts the steps in the prompt and answers in the fields of the program that asks."""

    def __init__(self, steps: int) -> None:
        self._steps = steps

    def complete(self, request: Any) -> Any:
        from dspy.lm15 import Message, Response, Usage

        usage = Usage(input_tokens=0, output_tokens=0)
        return Response(None, request.model, Message.assistant(self._reply(request)), "stop", usage)

    def _reply(self, request: Any) -> str:
        last = request.messages[-1].text
        if "[[ ## answer ## ]]" in last:
            return _fields(reasoning="All meetings were seen.", answer="Two a week.")
        if "next_thought" in str(request.system):
            done = last.count("[[ ## observation_")
            prefix = "next_"
            names = ("next_tool_name", "next_tool_args")
        else:
            done = len(request.messages) // 2
            prefix, names = "", ("tool", "arguments")
        if done < self._steps:
            call, arguments = _TOOL, {"query": "kim", "time_min": f"2023-12-{done % 28 + 1:02}"}
        else:
            call, arguments = "finish", ({} if prefix else {"answer": "Two a week."})
        thought = {f"{prefix}thought": "Look at the next week of the calendar."}
        return _fields(**thought, **{names[0]: call, names[1]: json.dumps(arguments)})


def _fields(**values: str) -> str:
    return "\n\n".join(f"[[ ## {name} ## ]]\n{text}" for name, text in {**values, "completed": ""}.items())


def _median(episode: Callable[[], Any], repeats: int) -> float:
    """CPU seconds of the median episode; one is run beforehand to fill caches."""
    episode()
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        episode()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


def _figures(steps: int, ours: float, theirs: float) -> dict[str, float]:
    # ReAct makes one call more: it asks for the answer in a call of its own.
    ours_call, theirs_call = ours / (steps + 1), theirs / (steps + 2)
    return {
        f"ratio_{steps}": round(theirs_call / ours_call, 1),
        f"ms_per_call_worksmith_{steps}": round(1000 * ours_call, 3),
        f"ms_per_call_react_{steps}": round(1000 * theirs_call, 3),
    }
