"""An episode as a person reads it, step by step, and as data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from worksmith.evals.records.changes import row_text
from worksmith.evals.records.prompts import shown_messages, shown_text, whole_prompts
from worksmith.jobs.showing.printing import escape
from worksmith.tools.files.secrets import without_secrets
from worksmith.tools.statuses import INFRASTRUCTURE

if TYPE_CHECKING:
    from rich.console import Console

    from worksmith.evals.records.entries import Judgement
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode_result import AskRecord, CallRecord, EpisodeResult
    from worksmith.tools.policy import Decision
    from worksmith.tools.sqlite.cells import CellValue
    from worksmith.tools.sqlite.outcome import RowChange

_LONGEST, _BRIEF = 600, 80
"""Characters of an observation on the screen, and in a conversation; the log keeps more."""


def show_episode(
    console: Console,
    task: Task,
    episode: EpisodeResult,
    scores: Mapping[str, float] | None = None,
    *,
    setting: Mapping[str, str],
    prompts: bool = False,
) -> None:
    """Print an episode: the task, its setting, each step, what changed, and the verdict.

    Args:
        scores: None without a score.
        prompts: before each step also what models were asked for it.
    """
    console.rule(f"[bold]{escape(task.id)}", align="left")
    console.print(escape(task.query), style="bold")
    for name, value in setting.items():
        console.print(f"[dim]{escape(name)}:[/] {escape(value)}")
    if episode.plan:
        console.rule("plan", align="left")
        console.print(escape(episode.plan))
    asks = episode.asks if prompts else []
    for number, call in enumerate(episode.calls, start=1):
        _show_asks(console, [ask for ask in asks if ask.call == number - 1])
        thought = episode.thoughts[number - 1] if number <= len(episode.thoughts) else ""
        _show_step(console, number, call, thought)
    _show_asks(console, [ask for ask in asks if ask.call == len(episode.calls)])
    _show_end(console, task, episode, scores)


def show_turn(console: Console, episode: EpisodeResult) -> None:
    """Print an episode in a line for each call, the answer, and a line for each changed row."""
    for call in episode.calls:
        decision = "" if call.decision is None else f"{_decision(call.decision)}: "
        seen = " ".join(call.observation.text.split())
        shown = seen if len(seen) <= _BRIEF else f"{seen[:_BRIEF]}…"
        console.print(f"  [dim]{_called(call)}[/] {decision}[dim]{escape(shown)}[/]")
    _show_answer(console, episode)
    for change in episode.outcome.changes:
        console.print(f"  [dim]proposed:[/] {escape(_change(change))}")


def episode_json(
    task: Task, episode: EpisodeResult, scores: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """An episode as JSON-able data, with its scores if there are any."""
    return {
        "task_id": task.id,
        "query": task.query,
        "status": episode.status,
        "error": episode.error,
        **({"traceback": episode.traceback} if episode.traceback else {}),
        "plan": episode.plan,
        "calls": [call.to_json() for call in episode.calls],
        "thoughts": episode.thoughts,
        "answer": episode.answer,
        **({"answer_status": episode.answer_status} if episode.answer_status else {}),
        "changes": episode.outcome.to_json(),
        **({} if scores is None else {"scores": dict(scores)}),
        "model_calls": episode.model_calls,
        **asdict(episode.usage),
        "used_tokens": episode.usage.used_tokens,
        "paid_tokens": episode.usage.paid_tokens,
        "seconds": round(episode.seconds, 3),
    }


def prompts_json(episode: EpisodeResult) -> list[dict[str, Any]]:
    """The model calls of an episode, each with its whole prompt."""
    return [
        {
            "part": ask.part,
            "call": ask.call,
            "messages": [{"role": role, "content": text} for role, text in prompt],
            "reply": without_secrets(ask.exchange.reply) if ask.exchange else "",
        }
        for ask, prompt in zip(episode.asks, whole_prompts(episode.asks), strict=True)
    ]


def _show_asks(console: Console, asks: Sequence[AskRecord]) -> None:
    for ask in asks:
        if ask.exchange is None:
            continue
        console.rule(f"question of {ask.part}", align="left", style="blue")
        for role, text in shown_messages(ask.exchange):
            _show_message(console, role, text)
        _show_message(console, "reply", shown_text(ask.exchange.reply) or "(none)")


def _show_message(console: Console, role: str, text: str) -> None:
    console.print(f"[bold blue]{escape(role)}[/]")
    console.print(escape(text), soft_wrap=True, highlight=False)


def _show_step(console: Console, number: int, call: CallRecord, thought: str) -> None:
    console.rule(f"step {number}", align="left")
    if thought:
        console.print(escape(thought), style="italic")
    console.print(_called(call))
    if call.decision is not None:
        console.print(_decision(call.decision))
    text = call.observation.text
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"
    console.print(escape(shown), style=None if call.observation.status == "ok" else "yellow")


def _called(call: CallRecord) -> str:
    return f"[cyan]{escape(call.tool)}[/] {escape(json.dumps(call.arguments, ensure_ascii=False))}"


def _decision(decision: Decision) -> str:
    word = "[green]allowed[/]" if decision.allow else "[red]denied[/]"
    return f"{word} [dim]by {escape(decision.rule)}[/]"


def _show_answer(console: Console, episode: EpisodeResult) -> None:
    message = ": ".join(text for text in (episode.answer_status, episode.answer) if text)
    if message:
        console.print(escape(message))
    if episode.error:
        console.print(escape(f"{episode.status}: {episode.error}"), style="red")
    if episode.traceback:
        console.print(escape(episode.traceback), style="dim", highlight=False)


def _show_end(
    console: Console, task: Task, episode: EpisodeResult, scores: Mapping[str, float] | None
) -> None:
    console.rule("end", align="left")
    _show_answer(console, episode)
    changes = episode.outcome.changes
    console.print("[dim]changes:[/]" + (" none" if not changes else ""))
    for change in changes:
        console.print(f"  {escape(_change(change))}")
    if scores is not None:
        console.print(_verdict(episode, scores))
        if not scores.get("outcome"):
            _show_expected(console, task, changed=bool(changes))
    console.print(
        f"[dim]calls: {len(episode.calls)}, model calls: {episode.model_calls}, "
        f"{episode.usage}, seconds: {episode.seconds:.2f}[/]"
    )


def _verdict(episode: EpisodeResult, scores: Mapping[str, float]) -> str:
    if episode.status in INFRASTRUCTURE:
        return f"[bold yellow]not graded[/]: {episode.status} is a failure of the infrastructure"
    if scores.get("outcome"):
        return "[bold green]correct[/]"
    effects = ", with unwanted side effects" if scores.get("unwanted_side_effects") else ""
    ending = "" if episode.status == "finished" else f" ({episode.status})"
    return f"[bold red]wrong[/]{effects}{ending}"


def show_verdict(console: Console, verdict: Judgement) -> None:
    """Print a judge's verdict and its cost, which is not part of the episode's."""
    level = f"level {verdict.level} of 5" if verdict.level else verdict.status
    console.print(f"[bold]{escape(verdict.judge)}[/] [dim]by {escape(verdict.rubric)}:[/] {level}")
    console.print(escape(verdict.feedback))
    console.print(f"[dim]judging: {verdict.usage}, seconds: {verdict.seconds:.2f}[/]")


def _show_expected(console: Console, task: Task, *, changed: bool) -> None:
    """The right answer, where there is one, and what should have been changed, where that is in question."""
    if task.answer is not None:
        status = "" if task.answer.status == "answered" else f"{task.answer.status} "
        console.print(f"[dim]expected answer:[/] {escape(status)}{escape(task.answer.text)}".rstrip())
    if task.answer is None or task.expected or changed:
        console.print("[dim]expected:[/]" + ("" if task.expected else " no change"))
    for action in task.expected:
        arguments = json.dumps(action.arguments, ensure_ascii=False)
        console.print(f"  [cyan]{escape(action.tool)}[/] {escape(arguments)}")


def _change(change: RowChange) -> str:
    if change.operation == "insert":
        return f"+ {change.table} {_cells(change.after)}"
    if change.operation == "delete":
        return f"- {change.table} {_cells(change.before)}"
    cells = ", ".join(
        f"{name}: {change.before.get(name)!r} → {value!r}" for name, value in change.after.items()
    )
    return f"~ {change.table} {row_text(change)} {cells}"


def _cells(cells: Mapping[str, CellValue]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in cells.items())
