"""The commands. A command's module is loaded when it is run, or its help is shown."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, cast

import typer

from worksmith import __version__
from worksmith.cli.command import Command, Commands, command_at
from worksmith.cli.help import GroupHelp
from worksmith.cli.kind_commands import kind_command, kind_commands

# Set before any library reads them: no telemetry, and no price list fetched from the network at import.
os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
# DSPy's own progress bars would write over ours, and into files where nobody watches.
os.environ.setdefault("TQDM_DISABLE", "1")

COMMANDS = {
    "new": (
        "worlds.new:new_project",
        "Write a small, commented project: tables, tools, rules, tasks, settings and a test. "
        "It runs at once.",
    ),
    "compile": (
        "programs.compile:compile_program",
        "Choose demonstrations for an agent on a suite's train and dev tasks; write it to one file.",
    ),
    "recompile": (
        "programs.recompile:recompile_program",
        "Move a compiled program to another model: what it loses, which parts still help, "
        "and a race from there.",
    ),
    "verify": (
        "programs.verify:verify_program",
        "Derive a compiled program again from the model replies in its journal, "
        "without a model, and compare.",
    ),
    "eval": (
        "programs.eval:evaluate_program",
        "Run a program on a suite's tasks and score every episode by its outcome.",
    ),
    "attack": (
        "programs.attack:attack_suite",
        "Plant instructions into what a suite's tasks read; report how often a program follows them.",
    ),
    "check": (
        "programs.check:check_program",
        "Evaluate a program, and fail if it is worse than a recorded baseline beyond doubt.",
    ),
    "compare": (
        "programs.compare:compare_strategies",
        "Compare strategies, uncompiled and compiled, and baselines on the same tasks.",
    ),
    "run": (
        "programs.run:run_task",
        "Run one task and show every step (thought, call, decision, observation) and the changes.",
    ),
    "chat": (
        "programs.chat:chat",
        "Ask an agent one request after another, until Ctrl-D, and show its calls, answers and changes.",
    ),
    "quickstart": (
        "programs.quickstart:quickstart",
        "Build a suite, compile an agent for its people, measure before and after.",
    ),
    "bank": ("programs.bank:app", "Build and read trace banks: successful trajectories to compile with."),
    "report": ("runs.report:report_runs", "Report runs: scores, costs, failure modes and every episode."),
    "episodes": (
        "runs.episodes:list_episodes",
        "List the episodes behind a figure of a report with their values, or print one in full.",
    ),
    "power": (
        "runs.power:plan_comparison",
        "Compute the smallest difference that tasks can show, the tasks "
        "that a difference needs, or the power.",
    ),
    "score": (
        "runs.score:score_predictions",
        "Score recorded runs as if they happened now: make their calls, and score changes and answers.",
    ),
    "rate": (
        "runs.rate:rate_runs",
        "Rate sampled episodes of runs, or tasks or records of suites, "
        "on five levels, without knowing whose.",
    ),
    "log": ("runs.log:app", "Send episode logs to MLflow, or merge them."),
    "ui": (
        "runs.ui:open_ui",
        "Show the recorded runs in MLflow's web page, on this machine only. Ctrl-C ends it.",
    ),
    "judge": ("runs.judge:app", "Judge finished runs by a rubric."),
    "index": (
        "worlds.index:index_suite",
        "Index the texts of a suite. Embeds only new and changed texts, even after a kill.",
    ),
    "suite": ("worlds.suite:app", "Build, import and describe suites (a world, its tasks, a manifest)."),
    "tasks": ("worlds.tasks:app", "Check the tasks of a suite, and draft tasks for a project."),
    "access": ("worlds.access:app", "Explain and check access rules."),
    "export": ("export.app:app", "Hand a suite over to another framework, or trajectories to a trainer."),
    "train": ("train.app:app", "Train a local model on exported data."),
    "models": ("models:app", "List the models of this machine, and fetch some."),
    "config": ("config:app", "Show settings and where they come from."),
    "doctor": (
        "doctor:examine",
        "Check this machine and the models that worksmith.toml and the command name; say what to do.",
    ),
}
"""The commands and groups: each with its module below `worksmith.cli`, its name there, and what it does."""


class _Commands(Mapping[str, Any]):
    """The commands by name, those of kinds last; the module of each is loaded when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            return kind_command(name)
        return command_at(name, f"worksmith.cli.{COMMANDS[name][0]}")

    def __iter__(self) -> Iterator[str]:
        return chain(COMMANDS, kind_commands())

    def __len__(self) -> int:
        return len(COMMANDS) + len(kind_commands())


class _Root(GroupHelp):
    """The root of all commands. Its help and completion read what a command does, and load no command."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = cast(Any, _Commands())

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        text = COMMANDS[cmd_name][1] if cmd_name in COMMANDS else kind_commands().get(cmd_name)
        return None if text is None else Command(cmd_name, help=text)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _, rest = super().resolve_command(ctx, args)
        return name, name and self.commands[name], rest


app = Commands(
    name="worksmith",
    cls=_Root,
    help="Compile, compare and track workplace-agent programs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(show: bool) -> None:
    if show:
        typer.echo(f"worksmith {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", help="Print the version and stop.", callback=_version, is_eager=True
    ),
) -> None:
    """Compile, compare and track workplace-agent programs."""
