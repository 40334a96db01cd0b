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
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dspy

from evals.dspy_programs.asked import asked, whole_task
from evals.dspy_programs.states import MADE, check_made, fit, read_state
from evals.lm.failures import Ended, failure_of
from programs.at_once import in_a_thread
from programs.demo_filter import DemoFilter, DemoView
from programs.dspy_trace import TraceEntry, append_to_trace, portable
from programs.parts.checker import Access, AccessChecker, Check
from programs.parts.executor import Execution, Executor
from programs.parts.planner import Planner
from programs.parts.selector import ToolSelector
from programs.parts.tool_retrieval import (
    REQUIRED,
    check_toolset,
    default_toolset,
    offered,
    toolkits_on_offer,
    tools_a_step,
)
from programs.prompting.adapters import adapter_in_use, refuse_native
from programs.prompting.lm_calls import LMCalls
from programs.prompting.prompt import context_text, progress_text, with_policies
from programs.prompting.steps import batch, step
from programs.prompting.tool_calling import check_calls, native_calls
from programs.prompting.unreadable import UnreadableReplyError
from programs.rollout import Rollout
from programs.strategies import Strategy
from programs.strategies import strategy as named_strategy
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

    Each of the four may be a module of your own, which the agent calls with its rollout (see
    `programs.rollout.Rollout`), saves, loads, and hands to optimizers as any other part:

    - `planner(rollout=..., progress=...)` gives a prediction with `plan`, a text;
    - `selector(rollout=...)` a prediction with `tool` and `arguments`, or where the strategy makes all calls
      at once with `calls`, a list of such dicts; the tool `finish` ends the episode;
    - `checker(rollout=..., tool=..., arguments=...)` a `programs.parts.checker.Check`;
    - `executor(rollout=..., tool=..., arguments=...)` a `programs.parts.executor.Execution`.

    Args:
        strategy: by name or as data of your own.
        toolset: whether a prompt lists the toolkits that its task requires (`required`), `all`, those named
            (joined by `+`), or of all tools the K nearest to each step (`retrieved:K`). None is what the kind
            of the environment's world offers the strategy, and where that says nothing `required`.
        max_steps: how many steps an episode may take; a call is a step, and so is finishing.
        access: who gives an opinion on a call before it is made: the `policy`, the `model`, or `both`. The
            policy is always what decides; a model that denies keeps the agent from the call.
        calls: how calls are made by a strategy that makes them natively, see
            `programs.prompting.tool_calling.Calls`.
        without: categories of tools that are left out, see `WorldKind.toolset`.
        env: the environment in which episodes are opened. Never copied and never saved with the program.
        keep_history: let DSPy keep every prompt (`dspy.inspect_history`); costs memory.
        planner, selector, checker, executor: modules of your own; None is what the strategy says, and for the
            checker `access`.

    Raises:
        InputError: there is no such strategy, toolset, access mode, way to make calls or category.
    """

    sees_truth = True
    """Tasks are handed over whole, for gold plans; models and components see the visible part."""

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
        planner: dspy.Module | None = None,
        selector: dspy.Module | None = None,
        checker: dspy.Module | None = None,
        executor: dspy.Module | None = None,
    ) -> None:
        super().__init__()
        if max_steps < 1:
            raise InputError("an agent needs at least one step", where="max_steps")
        self.strategy = named_strategy(strategy)
        self.max_steps = max_steps
        self.calls = check_calls(calls, self.strategy)
        self.keep_history = keep_history
        self.access = access
        own = {"planner": planner, "selector": selector, "checker": checker, "executor": executor}
        self.components = {name: _path(part) for name, part in own.items() if part is not None}
        self._planned = planner is not None or self.strategy.planner != "nobody"
        self.planner = planner or Planner(self.strategy.planner)
        self.selector = selector or ToolSelector(self.strategy, planned=self._planned)
        self.checker = checker or AccessChecker(access)
        self.executor = executor or Executor()
        self._toolset, self.without = toolset, tuple(without)
        self.env = env
        self._filter = DemoFilter()

    @property
    def env(self) -> Environment | None:
        """The environment in which episodes are opened; may be set at any time."""
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
        """All it takes to build the agent anew, as JSON-able data; components of your own by class."""
        return {
            "strategy": self.strategy.to_json(),
            "toolset": self.toolset,
            "max_steps": self.max_steps,
            "access": self.access,
            "calls": self.calls,
            "without": list(self.without),
            **({"components": self.components} if self.components else {}),
        }

    @property
    def digest(self) -> str:
        """The content address of the settings and the state; the model is not part of it."""
        return digest([self.config, self.portable_state()])

    def portable_state(self) -> dict[str, Any]:
        """DSPy's state of the parts without models and without examples that lack an output."""
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
        """The state as DSPy saves it, with the settings of the agent."""
        return {**super().dump_state(json_mode=json_mode), MADE: self.config}

    def load_state(self, state: dict[str, Any], **options: Any) -> None:
        """Take over a saved state, with the settings by which demonstrations are chosen.

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
            A prediction with `answer`, `episode` (an `EpisodeResult`), the policy's `verdicts` on the calls
            and the number of `unreadable` replies.

        Raises:
            InputError: there is no environment or no model, it is given no task, the strategy asks for a gold
                plan and none is known, or DSPy's settings name an adapter that agents cannot use. What goes
                wrong in the episode is in its status.
        """
        started = time.perf_counter()
        selecting = self.selector.predictors()
        lm = next((each.lm for each in selecting if each.lm is not None), dspy.settings.lm)
        adapter, rollout = adapter_in_use(lm), self._open(task, lm)
        if rollout.native:
            refuse_native(adapter)
        # Predict would append every step to DSPy's trace, see `append_to_trace`.
        wanted = dspy.settings.trace is not None and dspy.settings.max_trace_size > 0
        trace: list[TraceEntry] | None = [] if wanted else None
        quiet = dspy.settings.disable_history or not self.keep_history
        with dspy.context(adapter=adapter.bound(rollout.calls), trace=trace, disable_history=quiet):
            ended = self._attempt(rollout)
        if trace is not None:
            append_to_trace(trace, rollout, selecting)
        seconds = time.perf_counter() - started
        episode = rollout.result(ended, seconds, judged=bool(self.checker.predictors()))
        return dspy.Prediction(
            answer=rollout.answer,
            episode=episode,
            verdicts=rollout.verdicts,
            unreadable=rollout.calls.unreadable,
        )

    async def aforward(self, task: VisibleTask | str) -> dspy.Prediction:
        """As `forward`, for event loops; see `programs.at_once` for how many run at once."""
        # DSPy warns of every other way to a module's own `forward`, which optimizers may have replaced.
        forward = object.__getattribute__(self, "forward")
        return await in_a_thread(partial(forward, task))

    def _open(self, given: VisibleTask | str, lm: Any) -> Rollout:
        if self.env is None:
            raise InputError("the agent has no environment", hint="set agent.env")
        task = asked(given, self.env)
        persona = task.persona or self.env.world.manifest.persona
        demos = DemoView(self._filter, self.env, persona, f"{self.env.world.manifest.digest}/{task.id}")
        calls = LMCalls(demos, persona.id)
        episode = self.env.episode(
            toolkits_on_offer(self.toolset, task.domains),
            persona=persona,
            now=task.now,
            without=self.without,
            ask=partial(calls.answer_tool, lm),
        )
        clock = context_text(episode.now, persona, episode.kind.departments)
        rollout = Rollout(
            task.visible(),
            episode,
            demos,
            calls,
            clock,
            with_policies(clock, task.context),
            episode.toolset,
            # What changes from step to step goes to the end of the prompt.
            tools_first=not tools_a_step(self.toolset),
            native=self.strategy.calls == "native" and native_calls(lm, self.calls),
            whole_task=partial(whole_task, task, self.env),
        )
        rollout.offer(episode.toolset)
        return rollout

    def _attempt(self, rollout: Rollout) -> Ended:
        try:
            if self._planned:
                self._plan(rollout)
            return Ended(
                self._step_by_step(rollout) if self.strategy.stepwise else self._all_at_once(rollout)
            )
        except InputError:
            raise
        except Exception as error:
            return failure_of(error)

    def _step_by_step(self, rollout: Rollout) -> EpisodeStatus:
        for _ in range(self.max_steps):
            chosen = self._choose(rollout)
            if chosen.tool == FINISH:
                return rollout.finish(chosen.arguments)
            done = self._call(rollout, chosen.tool, chosen.arguments, chosen.get("thought"))
            rollout.trajectory.append(step(chosen, done.observation.text))
            if done.failed and rollout.revisions < self.strategy.revisions:
                rollout.revisions += 1
                revised = self._plan(rollout, progress_text(rollout.trajectory.readable()))
                rollout.trajectory[-1]["plan"] = revised
        return "step_limit"

    def _all_at_once(self, rollout: Rollout) -> EpisodeStatus:
        ended = self._make_calls(rollout, self._choose(rollout))
        if ended is None and rollout.episode.kind.judges_answers:
            ended = self._make_calls(rollout, self._choose(rollout), only_finish=True)
        return ended or "finished"

    def _make_calls(
        self, rollout: Rollout, chosen: dspy.Prediction, *, only_finish: bool = False
    ) -> EpisodeStatus | None:
        """Make the chosen calls and keep their observations; None if the agent has not finished by them."""
        thought, seen = chosen.get("reasoning"), []
        for number, call in enumerate(chosen.calls):
            if call["tool"] == FINISH:
                return rollout.finish(call["arguments"])
            if number == self.max_steps:
                return "step_limit"
            if not only_finish:
                done = self._call(rollout, call["tool"], call["arguments"], thought)
                seen.append(f"{number + 1}. {call['tool']}: {done.observation.text}")
                thought = None
        rollout.trajectory.append(batch(chosen, "\n".join(seen)))
        return None

    def _plan(self, rollout: Rollout, progress: str = "") -> str:
        """A plan for the steps to come; the first one is what the rollout follows."""
        self._offer(rollout)
        with rollout.by("plan"):
            plan = str(self.planner(rollout=rollout, progress=progress).plan)
        if rollout.plan is None:
            rollout.plan = plan
        return plan

    def _choose(self, rollout: Rollout) -> dspy.Prediction:
        """The next choice. A reply that cannot be read is shown to the model once, with what is wrong."""
        self._offer(rollout)
        with rollout.by("select"):
            try:
                chosen = self.selector(rollout=rollout)
            except UnreadableReplyError as error:
                complaint = f"Your reply could not be read: {error.problem}. {error.remedy}"
                rollout.trajectory.append({"reply": error.reply, "observation": complaint})
                chosen = self.selector(rollout=rollout)
        rollout.seen = len(rollout.trajectory.readable())
        return chosen

    def _offer(self, rollout: Rollout) -> None:
        """Offer the tools nearest to the next step, if tools are offered by retrieval."""
        nearest = tools_a_step(self.toolset)
        if nearest is not None:
            rollout.offer(offered(rollout, nearest))

    def _call(self, rollout: Rollout, tool: str, arguments: dict[str, Any], thought: str | None) -> Execution:
        """Make a call unless the agent's own check is against it; either way the episode has it on record."""
        episode = rollout.episode
        rollout.thoughts.append(thought or "")
        with rollout.by("check"):
            check: Check = self.checker(rollout=rollout, tool=tool, arguments=arguments)
        rollout.verdicts.append(check.verdict)
        rollout.opinions.append(check.opinion)
        if check.refusal is not None:
            return Execution(episode.refuse(tool, arguments, check.refusal), failed=True)
        with rollout.by("tool"):
            done: Execution = self.executor(rollout=rollout, tool=tool, arguments=arguments)
        if check.opinion is not None and episode.calls:
            rollout.opinions[-1] = replace(check.opinion, truth=episode.calls[-1].decision)
        if rollout.calls.unanswered is not None:
            raise rollout.calls.unanswered
        return done

    def __deepcopy__(self, memo: dict[int, Any]) -> Agent:
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        copied.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        copied.env = self.env
        return copied

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_env": None, "_filter": DemoFilter()}


def _path(part: Any) -> str:
    return f"{type(part).__module__}.{type(part).__qualname__}"
