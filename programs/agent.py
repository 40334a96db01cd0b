"""The agent: a DSPy module that does a task in its own episode.

    agent = Agent("react", suite.env)
    with dspy.context(lm=dspy.LM("openai/gpt-4o-mini")):
        prediction = agent(task=suite.tasks[0])
    prediction.answer, prediction.episode.status, prediction.episode.outcome

Every call of an agent opens its own episode. An optimizer, a retry or 64 concurrent threads each start from
the same state and leave no trace.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

import dspy

from worksmith.evals.dspy_programs.asked import asked, whole_task
from worksmith.evals.dspy_programs.copies import copied_program
from worksmith.evals.dspy_programs.digests import model_name
from worksmith.programs.demo_filter import DemoFilter, DemoView
from worksmith.programs.descriptions import check_descriptions, described, read_descriptions
from worksmith.programs.dspy_trace import TraceEntry, append_to_trace
from worksmith.programs.episode_loop import EpisodeLoop
from worksmith.programs.episode_threads import in_a_thread
from worksmith.programs.init_signature import InitSignature
from worksmith.programs.parts.checker import Access, AccessChecker
from worksmith.programs.parts.executor import Executor
from worksmith.programs.parts.planner import Planner
from worksmith.programs.parts.selector import ToolSelector
from worksmith.programs.parts.tool_retrieval import (
    check_toolset,
    default_toolset,
    toolkits_on_offer,
    tools_a_step,
)
from worksmith.programs.prompting.adapters import adapter_in_use, refuse_user_format
from worksmith.programs.prompting.forms import COMPACT, JSON, NATIVE, check_prompt
from worksmith.programs.prompting.lm_calls import LMCalls
from worksmith.programs.prompting.prompt import context_text, with_policies
from worksmith.programs.prompting.tool_calling import check_native
from worksmith.programs.replaying.scripted import check_fields, is_scripted
from worksmith.programs.rollout import Rollout
from worksmith.programs.saved_agent import SavedAgent
from worksmith.programs.strategies import Strategy
from worksmith.programs.strategies import strategy as named_strategy
from worksmith.tools.canonical import path
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError
from worksmith.tools.view import Tabular, View

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import VisibleTask
    from worksmith.tools.tool import Toolset

MAX_STEPS = 20

_COLUMNS = (
    ("predictor", lambda part: part[0]),
    ("inputs", lambda part: ", ".join(part[1].signature.input_fields)),
    ("outputs", lambda part: ", ".join(part[1].signature.output_fields)),
    ("demonstrations", lambda part: len(part[1].demos)),
    ("instructions", lambda part: part[1].signature.instructions),
)
"""The view of each predictor."""


class Agent(Tabular, SavedAgent):
    """A planner, a tool selector, an access checker and an executor in one loop.

    Each of the four may be your own module, which the agent calls with its rollout, saves, loads, and
    hands to optimizers as any other part (`Rollout` and the other classes are in `worksmith.plugins.agents`):

    - `planner(rollout=..., progress=...)` gives a prediction with `plan`, a text;
    - `selector(rollout=...)` a prediction with `tool` and `arguments`, or where the strategy makes all calls
      at once with `calls`, a list of such dicts; the tool `finish` ends the episode;
    - `checker(rollout=..., tool=..., arguments=...)` a `Check`;
    - `executor(rollout=..., tool=..., arguments=...)` an `Execution`.

    Args:
        strategy: by name, or your `Strategy`, or its address `package.module:NAME`.
        env: the environment in which episodes are opened. Never copied and never saved with the program.
        toolset: the tools in a prompt: the toolkits that the task requires (`required`), `all`, toolkits by
            name (joined by `+`), or the K of all tools that are nearest to each step (`retrieved:K`). None
            stands for the toolset that the world kind offers the strategy, else `required`.
        max_steps: the most steps of an episode; a call is a step, and so is finishing.
        access: the source of an opinion on a call before it is made: `policy`, `model`, or `both`. The policy
            always decides; a model that denies keeps the agent from the call.
        prompt: the form of prompts and replies: `text`, fields under markers; `json`, one JSON object a
            reply; `native`, the model's own tool calls; `compact`, JSON without descriptions of tools and
            with 1,000 characters of each observation (`compact:N`: N); or `auto`, compact for models that
            were trained so and text for others. None stands for the strategy's: native for
            `function_calling`, else auto.
        without: categories of tools that are left out, see `WorldKind.toolset`.
        descriptions: by tool, the `description` and those of `arguments` that replace the tool's own in
            prompts. They change a model's prompt, and with `retrieved:K` the nearest tools; names,
            arguments and their checks stay.
        planner_lm: the model that plans, where the strategy asks one for a plan; None for the one that all
            parts ask. It is not saved with the agent.
        keep_history: let DSPy keep every prompt (`dspy.inspect_history`); costs memory.
        planner, selector, checker, executor: your modules; None stands for the module that `strategy`
            asks for, and for the checker `access`.

    Raises:
        InputError: a strategy, toolset, access mode, form of prompts, category, tool or argument is unknown.

    Example:
        >>> agent = ws.Agent("react", env)
        >>> result = ws.evaluate(agent, suite.test[:1], lm="gold", progress=False)
        >>> result.records[0].answer
        'Done.'
    """

    __signature__ = InitSignature()

    sees_truth = True
    """Tasks are handed over whole, for gold plans; models and components see the visible part."""

    def __init__(
        self,
        strategy: str | Strategy = "react",
        env: Environment | None = None,
        *,
        toolset: str | None = None,
        max_steps: int = MAX_STEPS,
        access: Access = "policy",
        prompt: str | None = None,
        without: Sequence[str] = (),
        descriptions: Mapping[str, Any] | None = None,
        planner_lm: dspy.BaseLM | None = None,
        keep_history: bool = False,
        planner: dspy.Module | None = None,
        selector: dspy.Module | None = None,
        checker: dspy.Module | None = None,
        executor: dspy.Module | None = None,
    ) -> None:
        super().__init__()
        if max_steps < 1:
            raise InputError("an agent needs at least one step", where="max_steps")
        if isinstance(strategy, Environment):
            raise InputError("an environment", where="strategy", hint='write Agent("react", environment)')
        self.strategy = named_strategy(strategy, project=getattr(env, "folder", None))
        self.max_steps = int(max_steps)
        self.prompt = check_prompt(self.strategy.prompt if prompt is None else prompt)
        self.keep_history = keep_history
        self.access = access
        own = {"planner": planner, "selector": selector, "checker": checker, "executor": executor}
        self.components = {name: path(type(part)) for name, part in own.items() if part is not None}
        self._planned = planner is not None or self.strategy.planner != "nobody"
        self.planner = planner or Planner(self.strategy.planner)
        self.planner_lm = planner_lm
        self.selector = selector or ToolSelector(self.strategy, planned=self._planned)
        self.checker = checker or AccessChecker(access)
        self.executor = executor or Executor()
        self._toolset, self.without = toolset, tuple(without)
        self.descriptions = read_descriptions(descriptions)
        self.env = env
        self._filter = DemoFilter()

    @property
    def env(self) -> Environment | None:
        """The environment in which episodes are opened; may be set at any time."""
        return self._env

    @env.setter
    def env(self, env: Environment | None) -> None:
        if env is not None and not isinstance(env, Environment):
            hint = "a suite has one: suite.env" if hasattr(env, "env") else "make one, or open a suite's"
            raise InputError(f"no environment but {type(env).__name__}", where="env", hint=hint)
        self._env = env
        check_toolset(self.toolset, self.without, env)
        if env is not None:
            check_descriptions(self.descriptions, env)

    @property
    def shown_tools(self) -> Toolset:
        """All tools of the environment, as prompts describe them; empty without an environment."""
        return described(self._env.kind.tools, self.descriptions) if self._env is not None else {}

    def _view(self) -> View:
        made = {
            name: value for name, value in self.config.items() if name not in ("strategy", "descriptions")
        }
        compiled = getattr(self, "compilation", None)
        facts = {**made, "environment": repr(self.env), "compiled": compiled and compiled._view().title}
        return View(f"Agent({self.strategy.name!r})", facts, self.named_predictors(), _COLUMNS)

    def with_settings(self, **changes: Any) -> Self:
        """A copy of the agent with other settings.

        All else stays: environment, your components, models, and the texts and demonstrations of parts with
        the same fields. A toolset or form of prompts that was the strategy's default becomes the default of
        another strategy.

        Args:
            changes: arguments of the class, such as `strategy` or `prompt`.

        Raises:
            InputError: see the class.
        """
        made = copied_program(self)
        before = dict(made.named_predictors())
        planning = named_strategy(changes.get("strategy", self.strategy)).planner == "model"
        default = default_toolset(self._env, self.strategy.name, otherwise="")
        settings = {
            "env": self.env,
            "strategy": self.strategy,
            "toolset": None if self._toolset == default else self._toolset,
            "max_steps": self.max_steps,
            "access": self.access,
            "prompt": None if self.prompt == self.strategy.prompt else self.prompt,
            "without": self.without,
            "descriptions": self.descriptions,
            "planner_lm": self.planner_lm if planning else None,
            "keep_history": self.keep_history,
            **{name: getattr(made, name) for name in self.components},
        }
        Agent.__init__(made, **(settings | changes))
        _take_over(made, before)
        return made

    @property
    def planner_lm(self) -> dspy.BaseLM | None:
        """The model that plans; None for the one that all parts ask. May be set at any time.

        Raises:
            InputError: the strategy asks no model for a plan, or the planner is of another class.
        """
        return self.planner.lm if isinstance(self.planner, Planner) else None

    @planner_lm.setter
    def planner_lm(self, lm: dspy.BaseLM | None) -> None:
        if lm is not None and (not isinstance(self.planner, Planner) or self.planner.source != "model"):
            raise InputError(
                f"no model plans in the strategy {self.strategy.name}",
                where="--planner-lm",
                hint="use the strategy plan, or leave the option out",
            )
        if isinstance(self.planner, Planner):
            self.planner.lm = lm

    def check_model(self, lm: Any) -> None:
        """Check that the agent can ask a model for calls, unless its tool selector has another model.

        Raises:
            InputError: the calls are native, and the model is known to lack them; or it is `gold`, and a part
                needs a value that plans lack.
        """
        own = (each.lm for each in self.selector.predictors())
        if self.prompt == NATIVE:
            check_native(next(filter(None, own), lm))
        for name, part in self.named_predictors():
            if is_scripted(part.lm or lm):
                check_fields(name, part.signature)

    def forward(self, task: VisibleTask | str, persona: str | int | None = None) -> dspy.Prediction:
        """Do `task` in a new episode.

        Args:
            task: a task of a suite, whole or its visible part (see `Suite.examples`); or a text, which gets
                all toolkits and the rows of now, and which no scorer grades.
            persona: the id of the person who asks a text; None for the world's own persona.

        Returns:
            A prediction with `answer`, `episode` (an `EpisodeResult`), the policy's `verdicts` on the calls,
            the number of `unreadable` replies, and `changes`: the rows that the program would change.
            `changes.commit()` lets the environment's function make them.

        Raises:
            InputError: the environment, model or task is missing, the strategy needs an unknown gold plan, or
                DSPy's settings name an adapter that agents cannot use. Errors inside the episode
                do not raise: they are in its status.
        """
        started = time.perf_counter()
        selecting = self.selector.predictors()
        lm = next((each.lm for each in selecting if each.lm is not None), dspy.settings.lm)
        adapter, rollout = adapter_in_use(lm), self._open(task, persona, lm)
        self.check_model(dspy.settings.lm)
        if rollout.native:
            refuse_user_format(adapter, "native tool calls", "use prompt='text'")
        elif self.prompt.startswith((COMPACT, JSON)):
            refuse_user_format(adapter, f"{self.prompt} prompts", "use prompt='text'")
        # Predict would append every step to DSPy's trace, see `append_to_trace`.
        wanted = dspy.settings.trace is not None and dspy.settings.max_trace_size > 0
        trace: list[TraceEntry] | None = [] if wanted else None
        quiet = dspy.settings.disable_history or not self.keep_history
        with dspy.context(adapter=adapter.bound(rollout.calls), trace=trace, disable_history=quiet):
            ended = (self.strategy.loop or EpisodeLoop)(
                rollout=rollout,
                strategy=self.strategy,
                max_steps=self.max_steps,
                retrieved=tools_a_step(self.toolset),
                plans=self._planned,
                planner=self.planner,
                selector=self.selector,
                checker=self.checker,
                executor=self.executor,
            ).run()
        if trace is not None:
            append_to_trace(trace, rollout, selecting)
        seconds = time.perf_counter() - started
        episode = rollout.result(ended, seconds, judged=bool(self.checker.predictors()))
        return dspy.Prediction(
            answer=rollout.answer,
            episode=episode,
            verdicts=rollout.verdicts,
            unreadable=rollout.calls.unreadable,
            changes=rollout.changes(episode),
        )

    async def aforward(self, task: VisibleTask | str, persona: str | int | None = None) -> dspy.Prediction:
        """As `forward`, for event loops: each episode has its own thread, up to 256 together."""
        # DSPy warns of every other way to a module's own `forward`, which optimizers may have replaced.
        forward = object.__getattribute__(self, "forward")
        return await in_a_thread(partial(forward, task, persona))

    def _open(self, given: VisibleTask | str, asker: str | int | None, lm: Any) -> Rollout:
        if self.env is None:
            raise InputError("the agent has no environment", hint="set agent.env")
        if isinstance(given, str):
            self.env.refresh()
        task = asked(given, self.env, asker)
        persona = task.persona or self.env.world.manifest.persona
        demos = DemoView(self._filter, self.env, persona, f"{self.env.world.manifest.digest}/{task.id}")
        calls = LMCalls(demos, persona.id, self.prompt, model_name(dspy.settings.lm), task.query)
        episode = self.env.episode(
            toolkits_on_offer(self.toolset, task.domains),
            persona=persona,
            now=task.now,
            user=task.user,
            without=self.without,
            ask=partial(calls.answer_tool, lm),
        )
        tools = described(episode.toolset, self.descriptions)
        clock = context_text(episode.now, persona, episode.kind.departments)
        rollout = Rollout(
            self.env,
            task.visible(),
            episode,
            demos,
            calls,
            clock,
            with_policies(clock, task.context),
            tools,
            # What changes from step to step goes to the end of the prompt.
            tools_first=not tools_a_step(self.toolset),
            native=self.prompt == NATIVE,
            whole_task=partial(whole_task, task, self.env),
        )
        rollout.offer(tools)
        return rollout


def _take_over(agent: Agent, before: Mapping[str, dspy.Predict]) -> None:
    """Give an agent the predictors that it had, or where their fields were others, their models."""
    models = {id(each.lm): each.lm for each in before.values()}
    for name, made in agent.named_predictors():
        had = before.get(name)
        if had is None:
            made.lm = next(iter(models.values())) if len(models) == 1 else None
        elif [*had.signature.fields] != [*made.signature.fields]:
            made.lm, made.config = had.lm, had.config
        elif had is not made:
            part, _, last = name.rpartition(".")
            setattr(attrgetter(part)(agent), last, had)
