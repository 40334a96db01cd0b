"""One run of an agent: everything that belongs to a single episode."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import dspy

from programs.demo_filter import Reader
from programs.lm_usage import Questions
from programs.prompting.render import as_text
from programs.prompting.trajectory import Trajectory
from tools.episode import Episode
from tools.episode_result import EpisodeResult, Part
from tools.policy import Decision, Opinion
from tools.statuses import EpisodeStatus
from tools.tool import Toolset

if TYPE_CHECKING:
    from evals.lm.failures import Ended
    from evals.tasks.task import Task, VisibleTask

TraceEntry = tuple[dspy.Predict, dict[str, Any], dspy.Prediction]


@dataclass
class Run:
    """The state of one episode's run. A program holds none of it, so its episodes never meet.

    Attributes:
        whole_task: gives the task with what an agent may not see of it, such as its gold plan, if known.
        inputs: the inputs of the tool selector other than the trajectory.
        clock: the context without what the task tells besides, which demonstrations leave out: the running
            episode has its own, and it is long.
        tools: the tools on offer, as prompts show them.
        verdicts: of the access checker by the policy, one for each call.
        opinions: of the access checker by the model, one for each call; empty if it asks none.
        asked: the questions to models.
        unreadable: replies that were not in the format asked for.
        reader: on whose behalf models are asked.
        catalogue: all tools from which the offer of a step is chosen.
        native: whether calls are the model's own tool calls.
        unanswered: why the model gave no reply to a tool that asked it.
        chosen: the selector's last prediction and how many readable steps it had seen.
    """

    task: VisibleTask
    episode: Episode
    inputs: dict[str, Any]
    clock: str
    tools: str
    asked: Questions = field(default_factory=Questions)
    trajectory: Trajectory = field(default_factory=Trajectory)
    thoughts: list[str] = field(default_factory=list)
    verdicts: list[Decision | None] = field(default_factory=list)
    opinions: list[Opinion | None] = field(default_factory=list)
    traces: list[TraceEntry] = field(default_factory=list)
    chosen: tuple[dspy.Prediction, int] | None = None
    answer: str = ""
    answer_status: str = ""
    unreadable: int = 0
    unanswered: Exception | None = None
    revisions: int = 0
    reader: Reader | None = None
    catalogue: Toolset = field(default_factory=dict)
    native: bool = False
    whole_task: Callable[[], Task | None] = lambda: None

    def finish(self, arguments: dict[str, Any]) -> EpisodeStatus:
        """Take the arguments of the `finish` call as the answer."""
        answer = arguments.get("answer", "")
        if isinstance(answer, list):
            answer = "; ".join(as_text(value) for value in answer)
        self.answer = as_text(answer)
        self.answer_status = as_text(arguments.get("status", "")).strip().lower()
        return "finished"

    def asking(self, part: Part) -> AbstractContextManager[None]:
        """A block in which a part of the program asks a model."""
        return self.asked.asking(part, len(self.episode.calls))

    def result(self, ended: Ended, seconds: float) -> EpisodeResult:
        """What the episode left."""
        return EpisodeResult(
            status=ended.status,
            outcome=self.episode.outcome(),
            calls=self.episode.calls,
            thoughts=self.thoughts,
            opinions=self.opinions,
            plan=self.inputs.get("plan", ""),
            answer=self.answer,
            answer_status=self.answer_status,
            asks=list(self.asked),
            model_calls=len(self.asked),
            usage=self.asked.usage,
            seconds=seconds,
            error=ended.error,
            traceback=ended.traceback,
        )

    def quoted(self) -> list[str]:
        """References of the records that this run quotes: those it read and those its task is about.

        With them goes the world that they are of: the same id elsewhere is another record.
        """
        read = {reference for call in self.episode.calls for reference in call.reads}
        whole = self.whole_task()
        records = read | set(whole.must_read if whole is not None else ())
        return sorted(records | {self.episode.world}) if records else []

    def selector_trace(self, predict: dspy.Predict, *, stepwise: bool) -> list[TraceEntry]:
        """The trace of the whole trajectory: the last step, with all steps before it as its input.

        One entry and not one a step: DSPy's optimizers pick a single entry per predictor, and half a
        trajectory is a demonstration of stopping halfway. Tools are left out, replies that could not be
        read and what a task tells besides as well.
        """
        if self.chosen is None:
            return []
        prediction, seen = self.chosen
        inputs = {name: value for name, value in self.inputs.items() if name != "tools"}
        inputs["context"] = self.clock
        steps = self.trajectory.readable()[:seen]
        if stepwise or steps:
            inputs["trajectory"] = steps
        return [(predict, inputs, prediction)]
