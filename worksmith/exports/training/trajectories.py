"""Trajectories as an agent sees them: the calls of a source, made again in new episodes.

So a trajectory has the observations of this episode, in the exact words of the agent's prompts, and its
success is scored again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worksmith.evals.records.prompts import whole_prompts
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.tasks.transcript import GOLD
from worksmith.exports.training.sources import Source, Told, fault_of
from worksmith.models.resolve import resolve
from worksmith.optimizers.demos.collection import teaches_idle
from worksmith.programs.replaying.scripted import TranscriptEngine, scripted_lm
from worksmith.tools.files.secrets import without_secrets

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.suite import Suite
    from worksmith.evals.tasks.task import Task
    from worksmith.programs.agent import Agent
    from worksmith.tools.episode_result import Part

Message = dict[str, str]
"""`role` and `content`."""

ASSISTANT = "assistant"

NOT_SAME = "other calls than in the source"
"""Why a trajectory is left out: its calls cannot be made again as they were."""

IDLE = "called no tool"
"""Why a success is left out: it does not show why it was right to do nothing."""

SILENT = "no reply"


@dataclass(frozen=True)
class ChatTrajectory:
    """A chat in which an agent did a task, or failed.

    Attributes:
        messages: from the system message to the assistant's last turn.
        plan: the chat in which the plan was made; empty if the strategy has no plan of a model.
        fault: the reason against it as an example; empty if it is one.
        calls: tool and arguments of each of the assistant's turns that has a call.
        denied: for each of these turns whether its call was denied.
        source: the place of its source.
        origin: its name there.
    """

    suite: Suite
    task: Task
    messages: tuple[Message, ...]
    plan: tuple[Message, ...]
    fault: str
    calls: tuple[tuple[str, dict[str, Any]], ...]
    denied: tuple[bool, ...]
    source: int
    origin: str

    @property
    def intent(self) -> str:
        """The kind of its task, with that of the world."""
        return intent_of(self.suite, self.task)


def intent_of(suite: Suite, task: Task) -> str:
    """The kind of a task, with that of the world; the task itself without one."""
    return f"{suite.manifest.kind}/{task.intent or task.id}"


def run_again(
    sources: Sequence[Source],
    agents: Callable[[Suite], Agent],
    *,
    workers: int,
    seed: int,
    tick: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[list[ChatTrajectory], Counter[str]]:
    """Make the calls of all sources again.

    Args:
        agents: the agent of a suite, which makes the prompts.
        tick: called with the numbers of finished episodes and of all.

    Returns:
        The trajectories in the order of sources, and why others were left out, with counts.
    """
    rounds = [
        (place, suite, told) for place, source in enumerate(sources) for suite, told in _rounds(source.told)
    ]
    total, done = sum(len(told) for _, _, told in rounds), 0
    found: list[ChatTrajectory] = []
    left: Counter[str] = Counter()
    for place, suite, told in rounds:
        settings = EvalSettings(env=suite.env, lm=_model(told), workers=workers, seed=seed)

        def follow(progress: Any, before: int = done) -> None:
            tick(before + progress.done, total)

        tasks = [each.task for each in told]
        records = evaluate(agents(suite), tasks, settings, on_progress=follow).records
        for each, record in zip(told, records, strict=True):
            made = _trajectory(each, record, place)
            if isinstance(made, str):
                left[made] += 1
            else:
                found.append(made)
        done += len(told)
    return found, left


def _rounds(told: Sequence[Told]) -> Iterator[tuple[Suite, list[Told]]]:
    """Trajectories that can be run together: of one suite, and each of another task."""
    rounds: dict[tuple[str, int], list[Told]] = defaultdict(list)
    times: Counter[tuple[str, str]] = Counter()
    for each in told:
        suite = each.suite.digest
        rounds[suite, times[suite, each.task.id]].append(each)
        times[suite, each.task.id] += 1
    for together in rounds.values():
        yield together[0].suite, together


def _model(told: Sequence[Told]) -> Any:
    scripts = [each.script for each in told if each.script is not None]
    if scripts:
        return scripted_lm(TranscriptEngine(scripts))
    return resolve(GOLD, tasks=[each.task for each in told])


def _trajectory(told: Told, record: EpisodeRecord, source: int) -> ChatTrajectory | str:
    """The trajectory, or the reason for its absence."""
    if told.script is not None and _calls(record) != [(s.tool, s.arguments) for s in told.script.steps]:
        return NOT_SAME
    fault = fault_of(record)
    if told.succeeded != (not fault):
        return "did not succeed here" if fault else "succeeded here"
    if not (fault or record.calls or teaches_idle(told.suite.env)):
        return IDLE
    messages = chat_of(record)
    if not told.ended:
        messages = _first_turns(messages, len(record.calls))
    if not messages:
        return SILENT
    denied = tuple(not call.allowed or call.status == "denied" for call in record.calls)
    plan = tuple(next(iter(_chats(record, "plan")), []))
    calls = tuple(_calls(record))
    return ChatTrajectory(
        told.suite, told.task, tuple(messages), plan, fault, calls, denied, source, told.origin
    )


def chat_of(record: EpisodeRecord) -> list[Message]:
    """The last prompt of an episode's tool selector and the reply to it; empty without a reply."""
    return next(reversed(_chats(record, "select")), [])


def _chats(record: EpisodeRecord, part: Part) -> list[list[Message]]:
    """The prompts of a part of the agent, each with the reply."""
    return [
        _chat(prompt, ask.exchange.reply)
        for ask, prompt in zip(record.asks, whole_prompts(record.asks), strict=True)
        if ask.part == part and ask.exchange is not None and ask.exchange.reply
    ]


def _chat(prompt: Sequence[Any], reply: str) -> list[Message]:
    said = [{"role": message.role, "content": message.text} for message in prompt]
    return [*said, {"role": ASSISTANT, "content": without_secrets(reply)}]


def _calls(record: EpisodeRecord) -> list[tuple[str, Any]]:
    return [(call.tool, call.arguments) for call in record.calls]


def _first_turns(messages: Sequence[Message], count: int) -> list[Message]:
    """The messages until the assistant's turn of that number; empty without such a turn."""
    turns = [place for place, message in enumerate(messages) if message["role"] == ASSISTANT]
    return list(messages[: turns[count - 1] + 1]) if 0 < count <= len(turns) else []
