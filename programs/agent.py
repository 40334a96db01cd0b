"""The agent: one loop for every strategy.

    agent = Agent("react", workshop=suite.workshop)
    with dspy.context(lm=dspy.LM("openai/gpt-4o-mini")):
        prediction = agent(task=suite.tasks[0])
    prediction.answer, prediction.episode.status, prediction.episode.outcome

Every call of an agent opens its own episode, so whatever calls it, an optimizer, a retry, 64 threads at
once, always starts from the same state and leaves none behind.
"""

from __future__ import annotations

import copy
import time
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import dspy

from programs.adapter import ADAPTER, TrajectoryAdapter, UnreadableReplyError
from programs.asking import ModelFailedError, ask_plainly
from programs.checker import Access, AccessChecker, refusal
from programs.executor import Execution, Executor
from programs.offer import offered
from programs.planner import Planner
from programs.prompt import context_text, progress_text, tools_text
from programs.readers import RECORDS, Reader, Readers
from programs.run import Run, TraceEntry
from programs.selector import ToolSelector
from programs.signatures import call_rules
from programs.strategies import Strategy, strategy
from programs.trajectory import FINISH, batch, step
from tools.episode import CallRecord, EpisodeStatus
from tools.errors import InputError
from tools.seeding import digest
from tools.workshop import Workshop

if TYPE_CHECKING:
    from evals.task import Task

MAX_STEPS = 20


class Agent(dspy.Module):  # type: ignore[misc]
    """A planner, a tool selector, an access checker and an executor in one loop.

    Args:
        strategy: how it plans, by name or as data of your own.
        toolset: whether a prompt lists the toolkits that its task requires (`required`), `all`, or of all
            tools the K nearest to each step (`retrieved:K`).
        max_steps: how many steps an episode may take; a call is a step, and so is finishing.
        access: whose opinion on a call is asked before it is made: of the `policy`, of the `model`, or of
            `both`. The policy is always what decides; a model that denies keeps the agent from the call.
        workshop: where its episodes are opened. Never copied and never saved with the program.
        keep_history: let DSPy keep every prompt (`dspy.inspect_history`); costs memory.

    Attributes:
        workshop: see above; may be set at any time.
    """

    def __init__(
        self,
        strategy: str | Strategy = "react",
        *,
        toolset: str = "required",
        max_steps: int = MAX_STEPS,
        access: Access = "policy",
        workshop: Workshop | None = None,
        keep_history: bool = False,
    ) -> None:
        super().__init__()
        if max_steps < 1:
            raise InputError("an agent needs at least one step", where="max_steps")
        self.strategy = _strategy(strategy)
        self.toolset = toolset
        self.max_steps = max_steps
        self.workshop = workshop
        self.keep_history = keep_history
        self.planner = Planner(self.strategy.planner)
        self.selector = ToolSelector(self.strategy, toolset)
        self.checker = AccessChecker(access)
        self.executor = Executor()
        self._readers = Readers()

    @property
    def config(self) -> dict[str, Any]:
        """What the constructor was given, as JSON-able data."""
        data = {"strategy": asdict(self.strategy), "toolset": self.toolset, "max_steps": self.max_steps}
        # Left out where it changes nothing, so that programs compiled without it keep their digest.
        return data if self.checker.access == "policy" else {**data, "access": self.checker.access}

    @property
    def digest(self) -> str:
        """Content address of everything that decides how the agent acts, its model aside."""
        return digest([self.config, self.portable_state()])

    def portable_state(self) -> dict[str, Any]:
        """DSPy's state of the parts without models and without examples that show nothing."""
        return {name: _portable(part).dump_state() for name, part in self.named_parameters()}

    def forward(self, task: Task) -> dspy.Prediction:
        """Do `task` in an episode of its own.

        Returns:
            A prediction with `answer`, `episode` (an `EpisodeResult`), the access checker's `verdicts` and
            the number of `unreadable` replies.

        Raises:
            InputError: there is no workshop or no model, or the strategy asks for a gold plan that the task
                does not have. What goes wrong in the episode is in its status.
        """
        started = time.perf_counter()
        run = self._open(task)
        # No trace inside: Predict would keep every step, see Run.selector_trace.
        quiet = dspy.settings.disable_history or not self.keep_history
        with dspy.track_usage() as usage, dspy.context(adapter=_adapter(), trace=None, disable_history=quiet):
            status, error = self._attempt(run)
        traces = run.selector_trace(self.selector.predict, stepwise=self.strategy.stepwise)
        _trace([*run.traces, *traces], run.quoted())
        episode = run.result(status, error, usage.usage_data, time.perf_counter() - started)
        return dspy.Prediction(
            answer=run.answer, episode=episode, verdicts=run.verdicts, unreadable=run.unreadable
        )

    def _open(self, task: Task) -> Run:
        if self.workshop is None:
            raise InputError("the agent has no workshop", hint="set agent.workshop")
        episode = self.workshop.episode(
            self.selector.toolkits(task.domains), persona=task.persona, now=task.now
        )
        inputs = {
            "context": context_text(episode.now, episode.persona, episode.kind.departments),
            "task": task.query,
        }
        run = Run(task, episode, inputs, tools_text(episode.toolset, episode.kind.finish_note))
        run.catalogue = episode.toolset
        run.reader = Reader(self._readers, self.workshop, episode.persona)
        # What changes from step to step goes to the end of the prompt.
        inputs["tools"] = "" if self.selector.per_step else run.tools
        episode.ask = partial(self._answer_tool, run)
        return run

    def _answer_tool(self, run: Run, prompt: str) -> str:
        """Ask the agent's model on behalf of a tool; its failure is kept, for the tool would swallow it."""
        run.model_calls += 1
        try:
            return ask_plainly(self.selector.predict.lm, prompt)
        except ModelFailedError as error:
            run.model_failure = str(error)
            raise

    def _attempt(self, run: Run) -> tuple[EpisodeStatus, str | None]:
        try:
            if self.strategy.planner != "nobody":
                run.inputs["plan"] = self._plan(run)
            return (self._step_by_step(run) if self.strategy.stepwise else self._all_at_once(run)), None
        except UnreadableReplyError as error:
            return "invalid_reply", error.problem
        except ModelFailedError as error:
            return "model_error", str(error)

    def _plan(self, run: Run, progress: str = "") -> str:
        self._offer(run)
        inputs = {"context": run.inputs["context"], "tools": run.tools, "progress": progress}
        run.model_calls += self.strategy.planner == "model"
        prediction = self.planner(
            task=run.task, rules=run.episode.kind.house_rules, reader=run.reader, **inputs
        )
        if self.strategy.planner == "model":
            shown = {"context": inputs["context"], "task": run.task.query, "progress": progress}
            run.traces.append((self.planner.predict, shown, prediction))
        return str(prediction.plan)

    def _step_by_step(self, run: Run) -> EpisodeStatus:
        for _ in range(self.max_steps):
            chosen = self._choose(run)
            if chosen.tool == FINISH:
                return run.finish(chosen.arguments)
            done = self._execute(run, chosen.tool, chosen.arguments, chosen.get("thought"))
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
                done = self._execute(run, call["tool"], call["arguments"], thought)
                seen.append(f"{number + 1}. {call['tool']}: {done.observation.text}")
                thought = None
        run.trajectory.append(batch(chosen, "\n".join(seen)))
        return None

    def _choose(self, run: Run) -> dspy.Prediction:
        """The model's next choice. A reply that cannot be read is shown to it once, with what is wrong."""
        self._offer(run)
        try:
            prediction = self._ask(run)
        except UnreadableReplyError as error:
            complaint = f"Your reply could not be read: {error.problem}. Reply again in the given format."
            run.trajectory.append({"reply": error.reply, "observation": complaint})
            prediction = self._ask(run)
        run.chosen = prediction, len(run.trajectory.readable())
        return prediction

    def _offer(self, run: Run) -> None:
        """Put the tools nearest to the next step on offer, and no others, if it is by retrieval."""
        if self.selector.per_step is not None:
            run.episode.toolset = offered(run, run.catalogue, self.selector.per_step)
            run.tools = run.trajectory.offer = tools_text(run.episode.toolset, run.episode.kind.finish_note)

    def _ask(self, run: Run) -> dspy.Prediction:
        run.model_calls += 1
        try:
            return self.selector(
                rules=call_rules(run.episode.kind, stepwise=self.strategy.stepwise),
                trajectory=run.trajectory,
                reader=run.reader,
                **run.inputs,
            )
        except UnreadableReplyError:
            run.unreadable += 1
            raise

    def _execute(self, run: Run, tool: str, arguments: dict[str, Any], thought: str | None) -> Execution:
        verdict = self.checker(episode=run.episode, tool=tool, arguments=arguments)
        run.verdicts.append(verdict)
        run.thoughts.append(thought or "")
        if self.checker.access == "both" and verdict is not None and not verdict.allow:
            run.opinions.append(None)
            return self._refused(run, tool, arguments, f"It is denied by {verdict.rule}.")
        opinion = self.checker.opinion(run, tool, arguments)
        if opinion is not None and opinion.allow is False:
            return self._refused(run, tool, arguments, opinion.reason)
        done: Execution = self.executor(episode=run.episode, tool=tool, arguments=arguments)
        if opinion is not None:
            run.opinions[-1] = replace(opinion, truth=run.episode.calls[-1].decision)
        if run.model_failure is not None:
            raise ModelFailedError(run.model_failure)
        return done

    def _refused(self, run: Run, tool: str, arguments: dict[str, Any], reason: str) -> Execution:
        """A call that the agent's own check kept from being made."""
        observation = refusal(tool, reason)
        run.episode.calls.append(CallRecord(tool, arguments, observation, None, 0.0))
        return Execution(observation, failed=True)

    def __deepcopy__(self, memo: dict[int, Any]) -> Agent:
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        copied.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        copied.workshop = self.workshop
        return copied

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "workshop": None, "_readers": Readers()}


def _strategy(given: str | Strategy) -> Strategy:
    return strategy(given) if isinstance(given, str) else given


def _adapter() -> TrajectoryAdapter:
    chosen = dspy.settings.adapter
    return chosen if isinstance(chosen, TrajectoryAdapter) else ADAPTER


def _portable(part: Any) -> Any:
    if not isinstance(part, dspy.Predict):
        return part
    bare = copy.copy(part)
    bare.lm, bare.traces, bare.train = None, [], []
    outputs = part.signature.output_fields
    bare.demos = [demo for demo in part.demos if all(demo.get(name) is not None for name in outputs)]
    return bare


def _trace(entries: list[TraceEntry], quoted: list[str]) -> None:
    """Append to DSPy's trace, as `dspy.Predict` does, with the records that the entries quote."""
    trace, limit = dspy.settings.trace, dspy.settings.max_trace_size
    if trace is None or limit <= 0:
        return
    marked = {RECORDS: quoted} if quoted else {}
    for predict, inputs, outputs in entries:
        if len(trace) >= limit:
            trace.pop(0)
        trace.append((predict, {**inputs, **marked}, outputs))
