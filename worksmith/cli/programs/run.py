"""`worksmith run`: one task, step by step."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from worksmith.cli.options import (
    AccessOption,
    CallsOption,
    ExperimentOption,
    GroundTruthOption,
    JsonFlag,
    JudgeOption,
    LmOption,
    MaxStepsOption,
    NoCacheFlag,
    OrgIdsOption,
    OrgOption,
    RubricOption,
    StrategyOption,
    SuiteArgument,
    ToolsetOption,
    TracesOption,
    TrackingUriOption,
    leave_out_cache,
    say,
)
from worksmith.cli.terminal import escape

if TYPE_CHECKING:
    from rich.console import Console

    from evals.records.parts import Judgement
    from evals.suite import Suite
    from evals.tasks.task import Task
    from tools.episode_result import AskRecord, CallRecord, EpisodeResult
    from tools.outcome import RowChange

_LONGEST = 600
"""Characters of an observation on the screen; the log keeps more."""


def run_task(
    suite: SuiteArgument,
    task_id: Annotated[str, typer.Argument(help="Id of the task.")],
    program: Annotated[
        Path | None, typer.Option(help="A compiled program; its own strategy and toolset apply.")
    ] = None,
    strategy: StrategyOption = "react",
    toolset: ToolsetOption = None,
    max_steps: MaxStepsOption = 20,
    access: AccessOption = "policy",
    calls: CallsOption = "auto",
    lm: LmOption = "local/analogy",
    ground_truth: GroundTruthOption = "published",
    judge: JudgeOption = None,
    rubric: RubricOption = None,
    org: OrgOption = None,
    org_ids: OrgIdsOption = None,
    traces: TracesOption = "none",
    tracking_uri: TrackingUriOption = None,
    experiment: ExperimentOption = None,
    prompts: Annotated[
        bool,
        typer.Option(
            "--prompts", help="Show the messages that models were sent, and their replies, before each step."
        ),
    ] = False,
    no_cache: NoCacheFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Run one task and show every step: thought, call, decision, observation, and what it changed."""
    from evals.dspy_programs.digests import model_name
    from evals.running.rollout_job import RolloutJob
    from evals.running.settings import EvalSettings
    from evals.suite import Suite
    from evals.task_kind import scorers_for
    from tools.statuses import INFRASTRUCTURE
    from worksmith.jobs.judges import judges_called
    from worksmith.jobs.session import connect, ground_truth_called
    from worksmith.jobs.tracked import Tracking
    from worksmith.models.resolve import resolve

    leave_out_cache(no_cache)
    tracking = Tracking.of(traces != "none", tracking_uri, experiment, traces)
    judged_by = ground_truth_called(ground_truth)
    opened = Suite.open(suite)
    task = opened.task(task_id)
    judges = judges_called(judge, rubric, opened.env.kind.tables)
    connect(opened, org, org_ids)
    agent = _agent(opened, program, strategy, toolset, max_steps, access, calls)
    model = resolve(lm, tasks=opened.tasks)
    episode = _attempt(agent, task, model)
    scorers = scorers_for(opened.env, judged_by)
    job = RolloutJob(agent, EvalSettings(env=opened.env, lm=model, scorers=scorers, judges=judges))
    record = job.record(job.unit(task, 0), task, episode)
    if as_json:
        judging = [verdict.model_dump(mode="json") for verdict in record.judgements]
        said = episode_json(task, episode, record.scores)
        said |= {"judgements": judging} if judging else {}
        said |= {"prompts": prompts_json(episode)} if prompts else {}
        typer.echo(json.dumps(said, ensure_ascii=False))
    else:
        from rich.console import Console

        console = Console()
        setting = _setting(opened, task, agent, lm)
        show_episode(console, task, episode, record.scores, setting=setting, prompts=prompts)
        for verdict in record.judgements:
            _show_verdict(console, verdict)
    settings = {"suite": opened.path.name, "lm": lm, "ground_truth": ground_truth, **agent.config}
    with tracking.start(opened.path, "run", task.id, params=settings) as run:
        run.traces([record], split=task.split, model=model_name(model), tasks=[task])
        if run.id:
            say(f"recorded as run {run.id}; `worksmith ui` shows it")
    if episode.status in INFRASTRUCTURE:
        raise typer.Exit(1)


def show_episode(
    console: Console,
    task: Task,
    episode: EpisodeResult,
    scores: Mapping[str, float],
    *,
    setting: Mapping[str, str],
    prompts: bool = False,
) -> None:
    """Print an episode: the task, its setting, each step, what changed, and the verdict.

    Args:
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


def episode_json(task: Task, episode: EpisodeResult, scores: Mapping[str, float]) -> dict[str, Any]:
    """The same as data."""
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
        "scores": dict(scores),
        "model_calls": episode.model_calls,
        **episode.usage.model_dump(),
        "used_tokens": episode.usage.used_tokens,
        "paid_tokens": episode.usage.paid_tokens,
        "seconds": round(episode.seconds, 3),
    }


def prompts_json(episode: EpisodeResult) -> list[dict[str, Any]]:
    """The questions of an episode to models, each with its whole prompt."""
    from evals.records.prompts import whole_prompts
    from tools.files.secrets import without_secrets

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
    from evals.records.prompts import shown_messages, shown_text

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
    console.print(f"[cyan]{escape(call.tool)}[/] {escape(json.dumps(call.arguments, ensure_ascii=False))}")
    if call.decision is not None:
        word = "[green]allowed[/]" if call.decision.allow else "[red]denied[/]"
        console.print(f"{word} [dim]by {escape(call.decision.rule)}[/]")
    text = call.observation.text
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"
    console.print(escape(shown), style=None if call.observation.status == "ok" else "yellow")


def _show_end(console: Console, task: Task, episode: EpisodeResult, scores: Mapping[str, float]) -> None:
    console.rule("end", align="left")
    said = ": ".join(text for text in (episode.answer_status, episode.answer) if text)
    if said:
        console.print(escape(said))
    if episode.error:
        console.print(escape(f"{episode.status}: {episode.error}"), style="red")
    if episode.traceback:
        console.print(escape(episode.traceback), style="dim", highlight=False)
    changes = episode.outcome.changes
    console.print("[dim]changes:[/]" + (" none" if not changes else ""))
    for change in changes:
        console.print(f"  {escape(_change(change))}")
    console.print(_verdict(episode, scores))
    if not scores.get("outcome"):
        _show_expected(console, task, changed=bool(changes))
    console.print(
        f"[dim]calls: {len(episode.calls)}, model calls: {episode.model_calls}, "
        f"{episode.usage}, seconds: {episode.seconds:.2f}[/]"
    )


def _verdict(episode: EpisodeResult, scores: Mapping[str, float]) -> str:
    from tools.statuses import INFRASTRUCTURE

    if episode.status in INFRASTRUCTURE:
        return f"[bold yellow]not graded[/]: {episode.status} is a failure of the infrastructure"
    if scores.get("outcome"):
        return "[bold green]correct[/]"
    effects = ", with unwanted side effects" if scores.get("unwanted_side_effects") else ""
    ending = "" if episode.status == "finished" else f" ({episode.status})"
    return f"[bold red]wrong[/]{effects}{ending}"


def _show_verdict(console: Console, verdict: Judgement) -> None:
    """What a judge said, and what asking it took, which is no part of the episode's cost."""
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
    return f"~ {change.table} row {change.row} {cells}"


def _cells(cells: Mapping[str, str | None]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in cells.items())


def _agent(
    suite: Suite,
    program: Path | None,
    strategy: str,
    toolset: str | None,
    max_steps: int,
    access: str,
    calls: str,
) -> Any:
    if program is not None:
        from worksmith.jobs.compiled import load_program

        return load_program(program, suite)
    from worksmith.jobs.session import new_agent

    return new_agent(suite, strategy, toolset, max_steps, access, calls=calls)


def _attempt(agent: Any, task: Task, lm: Any) -> EpisodeResult:
    import dspy

    with dspy.context(lm=lm):
        return cast("EpisodeResult", agent(task=task).episode)


def _setting(suite: Suite, task: Task, agent: Any, lm: str) -> dict[str, str]:
    from programs.prompting.prompt import context_text, with_policies
    from worksmith.jobs.session import lm_label, org_setting

    manifest = suite.world.manifest
    kind = suite.env.kind
    clock = context_text(task.now or manifest.now, task.persona or manifest.persona, kind.departments)
    return {
        "context": with_policies(clock, task.context),
        "strategy": agent.strategy.name,
        "model": lm_label(lm),
        **org_setting(suite),
    }
