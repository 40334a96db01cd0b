"""The agent: one loop for every strategy.

    agent = Agent("react", environment=suite.environment)
    with dspy.context(lm=dspy.LM("openai/gpt-4o-mini")):
        prediction = agent(task=suite.tasks[0])
    prediction.answer, prediction.episode.status, prediction.episode.outcome

Every call of an agent opens its own episode, so whatever calls it, an optimizer, a retry, 64 threads at
once, always starts from the same state and leaves none behind.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dspy

from evals.dspy_programs.asked import asked, whole_task
from evals.dspy_programs.states import MADE, check_made, fit, read_state
from evals.lm.failures import Ended, failure_of
from programs.at_once import in_a_thread
from programs.demo_filter import Reader, Readers
from programs.dspy_trace import append_to_trace, portable
from programs.lm_calls import ask_plainly
from programs.parts.checker import Access, AccessChecker
from programs.parts.executor import Execution, Executor
from programs.parts.making import make_call
from programs.parts.planner import Planner
from programs.parts.selector import ToolSelector
from programs.parts.signatures import call_rules
from programs.parts.tool_retrieval import (
    REQUIRED,
    check_toolset,
    default_toolset,
    offered,
    toolkits_on_offer,
    tools_a_step,
)
from programs.prompting.adapter import UnreadableReplyError
from programs.prompting.adapters import adapter_in_use, refuse_native
from programs.prompting.native import native_tools
from programs.prompting.prompt import context_text, progress_text, tools_text, with_policies
from programs.prompting.tool_calling import check_calls, native_calls
from programs.prompting.trajectory import batch, step
from programs.rollout import Run
from programs.strategies import Strategy, strategy_called
from tools.environment import Environment
from tools.errors import InputError
from tools.seeding import digest
from tools.statuses import EpisodeStatus
from tools.tool import FINISH

if TYPE_CHECKING:
    from evals.tasks.task import VisibleTask

MAX_STEPS = 20


class Agent(dspy.Module):  # type: ignore[misc]
    """A planner, a tool selector, an access checker and an executor in one loop.

    Args:
        strategy: by name or as data of your own.
        toolset: whether a prompt lists the toolkits that its task requires (`required`), `all`, those named
            (joined by `+`), or of all tools the K nearest to each step (`retrieved:K`). None is what the kind
            of the environment's world offers the strategy, and where that says nothing `required`.
        max_steps: how many steps an episode may take; a call is a step, and so is finishing.
        access: whose opinion on a call is asked before it is made: of the `policy`, of the `model`, or of
            `both`. The policy is always what decides; a model that denies keeps the agent from the call.
        calls: how calls are made by a strategy that makes them natively, see
        `programs.prompting.tool_calling.Calls`.
        without: categories of tools that are left out, see `WorldKind.toolset`.
        env: where its episodes are opened. Never copied and never saved with the program.
        keep_history: let DSPy keep every prompt (`dspy.inspect_history`); costs memory.

    Raises:
        InputError: there is no such strategy, toolset, access mode, way to make calls or category.
    """

    sees_truth = True
    """It shows models what may be seen of a task, and its gold plan where the strategy says so."""

    def __init__(
        self,
        strategy: str | Strategy = "react",
        *,
        toolset: str | None = None,
        max_steps: int = MAX_STEPS,
        access: Access = "policy",
        calls: str = "auto",
        without: Sequence[str] = (),
        env: Environment | None = None,
        keep_history: bool = False,
    ) -> None:
        super().__init__()
        if max_steps < 1:
            raise InputError("an agent needs at least one step", where="max_steps")
        self.strategy = strategy_called(strategy)
        self.max_steps = max_steps
        self.calls = check_calls(calls, self.strategy)
        self.keep_history = keep_history
        self.planner = Planner(self.strategy.planner)
        self.selector = ToolSelector(self.strategy)
        self.checker = AccessChecker(access)
        self.executor = Executor()
        self._toolset, self.without = toolset, tuple(without)
        self.env = env
        self._readers = Readers()

    @property
    def env(self) -> Environment | None:
        """See above; may be set at any time."""
        return self._env

    @env.setter
    def env(self, env: Environment | None) -> None:
        self._env = env
        check_toolset(self.toolset, self.without, env)

    @property
    def toolset(self) -> str:
        """The tools that prompts list, by name; what was left open is decided by the environment."""
        if self._toolset is not None:
            return self._toolset
        return default_toolset(self._env, self.strategy.name, otherwise=REQUIRED)

    @property
    def config(self) -> dict[str, Any]:
        """What it takes to build the agent anew, as JSON-able data."""
        return {
            "strategy": self.strategy.to_json(),
            "toolset": self.toolset,
            "max_steps": self.max_steps,
            "access": self.checker.access,
            "calls": self.calls,
            "without": list(self.without),
        }

    @property
    def digest(self) -> str:
        """Content address of everything that decides how the agent acts, its model aside."""
        return digest([self.config, self.portable_state()])

    def portable_state(self) -> dict[str, Any]:
        """DSPy's state of the parts without models and without examples that show nothing."""
        return {name: portable(part).dump_state() for name, part in self.named_parameters()}

    def load(self, path: str | Path, **options: Any) -> None:
        """Take over a state that `save` wrote, see `dspy.Module.load`.

        Raises:
            InputError: the file holds something else, the state is of another agent, or it names a model or a
                setting and is not said to be trusted (`allow_unsafe_lm_state`).
        """
        if Path(path).suffix == ".json":
            read_state(path)
        super().load(path, **options)

    def dump_state(self, json_mode: bool = True) -> dict[str, Any]:
        """The state as DSPy saves it, and with what settings the agent was made."""
        return {**super().dump_state(json_mode=json_mode), MADE: self.config}

    def load_state(self, state: dict[str, Any], **options: Any) -> None:
        """Take over a saved state, with the way in which demonstrations are chosen.

        Raises:
            InputError: the state is of another agent, or names a model or a setting.
        """
        # Without an environment, nobody knows which tools are the default: those that it was saved with.
        undecided = self._toolset is None and self._env is None and MADE in state
        check_made(state, self.config, but="toolset" if undecided else "")
        fit(self, state, trusted=bool(options.get("allow_unsafe_lm_state")))
        super().load_state(state, **options)
        if undecided:
            self._toolset = state[MADE].get("toolset")

    def forward(self, task: VisibleTask | str) -> dspy.Prediction:
        """Do `task` in an episode of its own.

        Args:
            task: of a suite, or what an agent may see of one (see `Suite.examples`); or a text, which is then
                asked by the world's own persona, with all toolkits, and judged by nobody.

        Returns:
            A prediction with `answer`, `episode` (an `EpisodeResult`), the access checker's `verdicts` and
            the number of `unreadable` replies.

        Raises:
            InputError: there is no environment or no model, it is given no task, the strategy asks for a gold
                plan and none is known, or DSPy's settings name an adapter that agents cannot use. What goes
                wrong in the episode is in its status.
        """
        started = time.perf_counter()
        # No trace inside: Predict would keep every step, see Run.selector_trace.
        quiet = dspy.settings.disable_history or not self.keep_history
        with dspy.context(adapter=adapter_in_use(self._lm), trace=None, disable_history=quiet):
            run = self._open(task)
            ended = self._attempt(run)
        traces = run.selector_trace(self.selector.predict, stepwise=self.strategy.stepwise)
        append_to_trace([*run.traces, *traces], run.quoted)
        episode = run.result(ended, time.perf_counter() - started)
        return dspy.Prediction(
            answer=run.answer, episode=episode, verdicts=run.verdicts, unreadable=run.unreadable
        )

    async def aforward(self, task: VisibleTask | str) -> dspy.Prediction:
        """As `forward`, for event loops; see `programs.at_once` for how many run at once."""
        # DSPy warns of every other way to a module's own `forward`, which optimizers may have replaced.
        forward = object.__getattribute__(self, "forward")
        return await in_a_thread(partial(forward, task))

    def _open(self, given: VisibleTask | str) -> Run:
        if self.env is None:
            raise InputError("the agent has no environment", hint="set agent.environment")
        task = asked(given, self.env)
        toolkits = toolkits_on_offer(self.toolset, task.domains)
        episode = self.env.episode(toolkits, persona=task.persona, now=task.now, without=self.without)
        clock = context_text(episode.now, episode.persona, episode.kind.departments)
        inputs = {"context": with_policies(clock, task.context), "task": task.query}
        run = Run(task, episode, inputs, clock, tools_text(episode.toolset, episode.kind.finish))
        run.catalogue = episode.toolset
        run.whole_task = partial(whole_task, task, self.env)
        world = self.env.world.manifest.digest
        run.reader = Reader(self._readers, self.env, episode.persona, f"{world}/{task.id}")
        run.native = self.strategy.calls == "native" and native_calls(self._lm, self.calls)
        if run.native:
            refuse_native(dspy.settings.adapter)
        # What changes from step to step goes to the end of the prompt.
        inputs["tools"] = "" if tools_a_step(self.toolset) else run.tools
        episode.ask = partial(self._answer_tool, run)
        return run

    def _answer_tool(self, run: Run, prompt: str) -> str:
        """Ask the agent's model on behalf of a tool; its failure is kept, for the tool would swallow it."""
        try:
            with run.asking("tool"):
                return ask_plainly(self._lm, prompt)
        except Exception as error:
            run.unanswered = error
            raise

    def _attempt(self, run: Run) -> Ended:
        try:
            if self.strategy.planner != "nobody":
                run.inputs["plan"] = self._plan(run)
            return Ended(self._step_by_step(run) if self.strategy.stepwise else self._all_at_once(run))
        except InputError:
            raise
        except Exception as error:
            return failure_of(error)

    def _plan(self, run: Run, progress: str = "") -> str:
        self._offer(run)
        inputs = {"context": run.inputs["context"], "tools": run.tools, "progress": progress}
        about = {"task": run.task, "whole": run.whole_task, "rules": run.episode.kind.house_rules}
        with run.asking("plan") if self.strategy.planner == "model" else nullcontext():
            prediction = self.planner(**about, offered=run.catalogue, reader=run.reader, **inputs)
        if self.strategy.planner == "model":
            shown = {"context": run.clock, "task": run.task.query, "progress": progress}
            run.traces.append((self.planner.predict, shown, prediction))
        return str(prediction.plan)

    def _step_by_step(self, run: Run) -> EpisodeStatus:
        for _ in range(self.max_steps):
            chosen = self._choose(run)
            if chosen.tool == FINISH:
                return run.finish(chosen.arguments)
            done = self._call(run, chosen.tool, chosen.arguments, chosen.get("thought"))
            run.trajectory.append(step(chosen, done.observation.text))
            if done.failed and run.revisions < self.strategy.revisions:
                run.revisions += 1
                run.trajectory[-1]["plan"] = self._plan(run, progress_text(run.trajectory.readable()))
        return "step_limit"

    def _all_at_once(self, run: Run) -> EpisodeStatus:
        ended = self._make_calls(run, self._choose(run))
        if ended is None and run.episode.kind.judges_answers:
            ended = self._make_calls(run, self._choose(run), only_finish=True)
        return ended or "finished"

    def _make_calls(
        self, run: Run, chosen: dspy.Prediction, *, only_finish: bool = False
    ) -> EpisodeStatus | None:
        """Make the chosen calls and keep what came of them; None if the agent has not finished by them."""
        thought, seen = chosen.get("reasoning"), []
        for number, call in enumerate(chosen.calls):
            if call["tool"] == FINISH:
                return run.finish(call["arguments"])
            if number == self.max_steps:
                return "step_limit"
            if not only_finish:
                done = self._call(run, call["tool"], call["arguments"], thought)
                seen.append(f"{number + 1}. {call['tool']}: {done.observation.text}")
                thought = None
        run.trajectory.append(batch(chosen, "\n".join(seen)))
        return None

    def _call(self, run: Run, tool: str, arguments: dict[str, Any], thought: str | None) -> Execution:
        run.thoughts.append(thought or "")
        return make_call(run, self.checker, self.executor, tool, arguments)

    def _choose(self, run: Run) -> dspy.Prediction:
        """The model's next choice. A reply that cannot be read is shown to it once, with what is wrong."""
        self._offer(run)
        try:
            prediction = self._ask(run)
        except UnreadableReplyError as error:
            complaint = f"Your reply could not be read: {error.problem}. {error.remedy}"
            run.trajectory.append({"reply": error.reply, "observation": complaint})
            prediction = self._ask(run)
        run.chosen = prediction, len(run.trajectory.readable())
        return prediction

    def _offer(self, run: Run) -> None:
        """Put the tools nearest to the next step on offer, and no others, if it is by retrieval."""
        finish, trajectory = run.episode.kind.finish, run.trajectory
        nearest = tools_a_step(self.toolset)
        if nearest is not None:
            run.episode.toolset = offered(run, run.catalogue, nearest)
            run.tools = trajectory.offer = tools_text(run.episode.toolset, finish)
        if run.native:
            trajectory.tools = native_tools(tuple(run.episode.toolset.values()), finish)

    @property
    def _lm(self) -> Any:
        return self.selector.predict.lm or dspy.settings.lm

    def _ask(self, run: Run) -> dspy.Prediction:
        rules = call_rules(run.episode.kind, stepwise=self.strategy.stepwise)
        try:
            with run.asking("select"):
                return self.selector(rules=rules, trajectory=run.trajectory, reader=run.reader, **run.inputs)
        except UnreadableReplyError:
            run.unreadable += 1
            raise

    def __deepcopy__(self, memo: dict[int, Any]) -> Agent:
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        copied.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        copied.env = self.env
        return copied

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_env": None, "_readers": Readers()}
