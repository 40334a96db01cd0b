"""What commands have in common: choosing tasks, building programs, showing progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from evals.scoring.outcomes import GroundTruth
from evals.tasks.task import Split, SplitScheme, Task
from evals.tasks.task_filter import conditions
from tools.errors import InputError
from worksmith.cli.options import say

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from evals.running.runner import EvalResult, Progress
    from evals.suite import Suite
    from programs.agent import Agent

LOGS = Path("mlruns") / "logs"
"""Where episode logs go unless a file is named."""


def choose_tasks(
    suite: Suite, split: str | None, scheme: str, limit: int | None, where: Sequence[str] | None = None
) -> tuple[str, list[Task]]:
    """The split's name and its tasks.

    Without a split it is `test` for a generated suite, and `all` for a published task set, which is a
    test set as a whole. Tasks that nothing but a judge could grade are left out.
    """
    name = split or ("test" if suite.manifest.origin == "generated" else "all")
    choices = (*get_args(Split), "all")
    if name not in choices:
        raise InputError(f"no split {name!r}", where="--split", hint=f"there are {', '.join(choices)}")
    everything = suite.select(
        split=cast(Any, name),
        scheme=scheme_called(scheme),
        limit=limit,
        where=conditions(where or ()),
    )
    tasks = [task for task in everything if task.checkable]
    if len(tasks) < len(everything):
        left = len(everything) - len(tasks)
        say(f"leaving out {left} of {len(everything)} tasks, of which only an answer in words is known")
    if suite.rules_changed:
        say("the access rules are not those that the tasks were made under: what they expect may be outdated")
    if not tasks:
        raise InputError(f"the split {name} has no tasks", where=str(suite.path))
    return name, tasks


def scheme_called(name: str) -> SplitScheme:
    """The way of splitting called `name`.

    Raises:
        InputError: if there is none.
    """
    names = get_args(SplitScheme)
    if name not in names:
        raise InputError(f"no scheme {name!r}", where="--scheme", hint=f"there are {', '.join(names)}")
    return cast(SplitScheme, name)


def ground_truth_called(name: str) -> GroundTruth:
    """The way of judging called `name`.

    Raises:
        InputError: if there is none.
    """
    names = get_args(GroundTruth)
    if name not in names:
        raise InputError(
            f"no ground truth {name!r}", where="--ground-truth", hint=f"there are {', '.join(names)}"
        )
    return cast(GroundTruth, name)


def new_agent(
    suite: Suite,
    strategy: str,
    toolset: str | None,
    max_steps: int,
    access: str = "policy",
    without: Sequence[str] = (),
    calls: str = "auto",
) -> Agent:
    """An uncompiled agent over the suite's world.

    Args:
        toolset: None for what the world offers the strategy, and where that says nothing all tools.

    Raises:
        InputError: if there is no such strategy, toolset, access mode, category or way to make calls.
    """
    from programs.agent import Agent
    from programs.parts.tool_retrieval import ALL, default_toolset

    return Agent(
        strategy,
        toolset=default_toolset(suite.env, strategy, otherwise=ALL) if toolset is None else toolset,
        max_steps=max_steps,
        access=cast(Any, access),
        calls=calls,
        without=without,
        env=suite.env,
    )


def connect(suite: Suite, org: str | None, ids: Path | None) -> None:
    """Let the tools of a suite work on a live org, if one is asked for.

    Args:
        ids: file that says how the org calls the records of the suite's world.

    Raises:
        InputError: there is no such org, the environment does not name it, or it is of no use to these tools.
        InfrastructureError: it does not answer.
    """
    if org is None:
        if ids is not None:
            raise InputError(
                "there are no other ids without another org", where="--org-ids", hint="give --org"
            )
        return
    if org != "salesforce":
        raise InputError(f"no org {org!r}", where="--org", hint="there is salesforce")
    if suite.manifest.kind != "crm":
        raise InputError(
            f"the tools of kind {suite.manifest.kind} work on no Salesforce org", where=str(suite.path)
        )
    from tools.kinds.crm.live.ids import translated
    from tools.kinds.crm.live.org import SalesforceOrg

    live = SalesforceOrg.from_env()
    suite.env.connect(translated(live, ids) if ids else live)
    say(f"Tools work on the {suite.env.backend}")


def org_setting(suite: Suite) -> dict[str, str]:
    """The live org that the tools of a suite work on, as a setting of a run; none if they do not."""
    backend = suite.env.backend
    return {} if backend is None else {"org": str(backend)}


def demo_count(given: int | None, optimizer: str, lm: str) -> int:
    """How many demonstrations a prompt gets if nobody says.

    A fixed set has to cover every kind of task. Where a prompt costs nothing it may be large; elsewhere,
    and where the nearest are or may be found for each task, it is 16.
    """
    return given or (128 if optimizer == "bootstrap" and lm.startswith("local/") else 16)


def losses(result: EvalResult) -> str:
    """What the infrastructure took from an evaluation, in one sentence; empty if nothing."""
    lost = [record for record in result.records if not record.graded]
    if not lost:
        return ""
    why = (lost[0].error or lost[0].status).partition("\n")[0]
    return f"{len(lost)} of {len(result.records)} episodes were lost, the first to {why}"


def mistakes(result: EvalResult) -> list[str]:
    """What every episode of a kind may have died of for one and the same reason, in a sentence each."""
    said = []
    for status in ("program_error", "invalid_request"):
        ended = [record for record in result.records if record.status == status]
        if ended:
            why = (ended[0].error or status).partition("\n")[0]
            said.append(
                f"{len(ended)} of {len(result.records)} episodes ended as {status}, the first of {why}"
            )
    return said


def lost_verdicts(result: EvalResult) -> str:
    """What judges owe, in one sentence; empty if nothing."""
    owing = [judge for judge in result.summary.judging if judge.failed]
    said = "; ".join(f"{each.failed} of {each.verdicts} verdicts of {each.judge}" for each in owing)
    return f"{said} could not be had" if said else ""


def lm_label(name: str) -> str:
    """How tables and runs call a model; what is no language model says so."""
    return f"{name} (no language model)" if name.startswith("local/") else name


def new_log(file: Path) -> None:
    """See that a run can begin anew in a log that it named itself, and say where what was judged went."""
    from evals.records.run_card import make_room

    kept = make_room(file)
    if kept is not None:
        say(f"the log that was there has verdicts or ratings; it is now {kept}")


@contextmanager
def compile_bar(label: str) -> Iterator[Callable[[str, Progress], None]]:
    """A progress bar for a compile, which names the evaluation that is running."""
    with _bar() as bar:
        shown = bar.add_task(label, total=None)
        yield lambda name, progress: bar.update(
            shown, description=f"{label}: {name}", completed=progress.done, total=progress.total
        )


@contextmanager
def episode_bar(label: str) -> Iterator[Callable[[Progress], None]]:
    """A progress bar for the episodes of one evaluation, on stderr; silent where nobody watches."""
    with _bar() as bar:
        shown = bar.add_task(label, total=None)
        yield lambda progress: bar.update(shown, completed=progress.done, total=progress.total)


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Bar(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
