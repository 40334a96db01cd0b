"""A rollout: the state of an agent's work on one task, which its components are given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import dspy

from worksmith.evals.dspy_programs.nearest import NearestPredict
from worksmith.programs.demo_filter import DemoView
from worksmith.programs.prompting.forms import compact_length
from worksmith.programs.prompting.lm_calls import LMCalls, model_in_use
from worksmith.programs.prompting.native_tools import native_tools
from worksmith.programs.prompting.prompt import tools_text
from worksmith.programs.prompting.steps import read_answer
from worksmith.programs.prompting.trajectory import Trajectory
from worksmith.tools.access.access_policy import AccessPolicy
from worksmith.tools.episode import Episode
from worksmith.tools.episode_result import EpisodeResult, Part
from worksmith.tools.policy import Decision, Opinion
from worksmith.tools.proposed_changes import ProposedChanges
from worksmith.tools.statuses import EpisodeStatus
from worksmith.tools.tool import Toolset

if TYPE_CHECKING:
    from worksmith.evals.lm.failures import Ended
    from worksmith.evals.tasks.task import Task, VisibleTask
    from worksmith.tools.environment import Environment


@dataclass
class Rollout:
    """One attempt at one task. A program keeps no part of it, so rollouts are independent.

    A component of an agent takes from here the inputs of its model:

        class Brief(dspy.Module):
            def __init__(self):
                super().__init__()
                self.predict = dspy.Predict("context, task, tools, trajectory -> tool, arguments: dict")

            def forward(self, rollout):
                return self.predict(**rollout.shown, trajectory=rollout.trajectory)

    The prompt of each predictor that is asked here shows no demonstration that the task's persona may not
    read, and its calls are counted and kept.

    Attributes:
        task: the part of the task that an agent may see, without its gold plan.
        episode: makes the calls; see `worksmith.tools.episode.Episode`.
        demos: the demonstrations that prompts may show.
        clock: the context without the task's own part, which is long, and which demonstrations leave out.
        context: the clock, the person, and the task's own context.
        catalogue: all tools from which a step's offer is chosen.
        tools: the tools on offer, as prompts show them.
        tools_first: whether the first turn of a prompt shows the tools; otherwise the last one does.
        native: whether calls are the model's own tool calls.
        whole_task: gives the task with its gold plan, if known. Nothing of it may be shown to a model.
        plan: the plan that is followed; None if the strategy has no plan.
        thoughts: the thought before each call; empty without one.
        verdicts: of the policy, one for each call.
        opinions: of the access checker's model, one for each call.
        seen: number of readable steps before the last choice of a call.
        chosen: the last call that was chosen.
    """

    env: Environment
    task: VisibleTask
    episode: Episode
    demos: DemoView
    calls: LMCalls
    clock: str
    context: str
    catalogue: Toolset
    tools_first: bool = True
    native: bool = False
    whole_task: Callable[[], Task | None] = lambda: None
    tools: str = ""
    plan: str | None = None
    trajectory: Trajectory = field(default_factory=Trajectory)
    thoughts: list[str] = field(default_factory=list)
    verdicts: list[Decision | None] = field(default_factory=list)
    opinions: list[Opinion | None] = field(default_factory=list)
    seen: int = 0
    chosen: dict[str, Any] = field(default_factory=dict)
    answer: str = ""
    answer_status: str = ""
    revisions: int = 0

    @property
    def shown(self) -> dict[str, str]:
        """The inputs of a tool selector other than the trajectory: context, task, tools, and plan if any."""
        plan = {} if self.plan is None else {"plan": self.plan}
        tools = self.tools if self.tools_first else ""
        return {"context": self.context, "task": self.task.query, **plan, "tools": tools}

    def ask(
        self, predict: dspy.Predict, *, house_rules: str = "", brief: str = "", **inputs: Any
    ) -> dspy.Prediction:
        """The prediction of a predictor.

        A predictor may also be called as usual. Here one that chooses demonstrations for each query chooses
        among those that may be shown, so that it shows as many as it should.

        Args:
            house_rules: are put behind the instructions of the signature. An optimizer that rewrites
                instructions can neither drop nor reword them.
            brief: stands for instructions and rules in compact prompts.
            inputs: of the signature, by name.

        Raises:
            UnreadableReplyError: the model replied, but not in the format asked for.
            InputError: no model is set.
            Exception: the reply is missing, see `worksmith.evals.lm.failures`.
        """
        model_in_use(predict.lm)
        told = predict.signature
        if brief and self.compact_length(predict) is not None:
            told = _told(told, brief)
        elif house_rules:
            told = _told(told, f"{told.instructions}\n\n{house_rules}")
        chosen = {}
        if isinstance(predict, NearestPredict):
            chosen = {"demos": predict.nearest_demos(inputs, self.demos.forms(predict.demos))}
        return predict(signature=told, **chosen, **inputs)

    def compact_length(self, predict: dspy.Predict) -> int | None:
        """The most characters of an observation in prompts of a predictor; None if its prompts are full.

        Raises:
            InputError: no model is set.
        """
        return compact_length(self.calls.prompt, model_in_use(predict.lm))

    def choose(self, call: dict[str, Any]) -> None:
        """Keep a call as the last that was chosen."""
        self.chosen, self.seen = call, len(self.trajectory.readable())

    def begin(self, part: Part) -> None:
        """Keep the next calls of models as those of a part of the program."""
        self.calls.begin(part, len(self.episode.calls))

    def offer(self, toolset: Toolset) -> None:
        """Put tools on offer, and no others, until the next offer."""
        finish = self.episode.kind.finish
        self.episode.offer(toolset)
        self.tools = tools_text(toolset, finish)
        self.calls.offered = native_tools(tuple(toolset.values()), finish)
        self.trajectory.offers(
            text="" if self.tools_first else self.tools,
            tools=self.calls.offered if self.native else None,
        )

    def finish(self, arguments: dict[str, Any]) -> EpisodeStatus:
        """Take the arguments of the `finish` call as the answer."""
        self.answer, self.answer_status = read_answer(arguments)
        return "finished"

    def result(self, ended: Ended, seconds: float, *, judged: bool) -> EpisodeResult:
        """The result of the episode.

        Args:
            judged: whether a model was to give an opinion on calls.
        """
        return EpisodeResult(
            status=ended.status,
            outcome=self.episode.outcome(),
            calls=self.episode.calls,
            thoughts=self.thoughts,
            opinions=self.opinions if judged or any(each is not None for each in self.opinions) else [],
            plan=self.plan or "",
            answer=self.answer,
            answer_status=self.answer_status,
            asks=self.calls.records,
            model_calls=len(self.calls.records),
            usage=self.calls.usage,
            seconds=seconds,
            error=ended.error,
            traceback=ended.traceback,
        )

    def changes(self, result: EpisodeResult) -> ProposedChanges:
        """The rows that the agent would change, after `result`."""
        persona, now = self.episode.persona, self.episode.now
        return ProposedChanges(self.env, self.task.query, result, persona=persona, now=now)

    def quoted(self) -> list[str]:
        """References of the records that this rollout quotes: those it read, the persona, the task's subject.

        With them goes the world that they are of: the same id elsewhere is another record.
        """
        read = {reference for call in self.episode.calls for reference in call.reads}
        whole = self.whole_task()
        records = read | set(whole.must_read if whole is not None else ())
        if isinstance(policy := self.episode.policy, AccessPolicy):
            records |= policy.told_of(self.episode.persona)
        return sorted(records | {self.episode.world}) if records else []


@lru_cache(maxsize=256)
def _told(signature: type[dspy.Signature], instructions: str) -> type[dspy.Signature]:
    made: type[dspy.Signature] = signature.with_instructions(instructions)
    return made
