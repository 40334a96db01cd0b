"""Compile a program: choose demonstrations and instructions for an agent and write it to one file."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.dspy_programs.digests import strategy_name
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.reporting.brief import short_name, short_table
from worksmith.evals.reporting.histories import histories
from worksmith.evals.running.result import failed_scorers
from worksmith.evals.table import number, percent
from worksmith.jobs.compiling.compile_plan import check_startable, plan_compile
from worksmith.jobs.measuring.measurement import lost_episodes
from worksmith.jobs.opening.engines import open_engine
from worksmith.jobs.recording.tracking import (
    Tracking,
    check_registered,
    keep_program,
    record_dev_episodes,
    registration,
)
from worksmith.jobs.showing.printing import Facts, escape, facts_table
from worksmith.optimizers.compilation import decided
from worksmith.optimizers.compiling.claims import power_left
from worksmith.optimizers.compiling.compile import CompileResult, compile_program
from worksmith.optimizers.compiling.journal import discard
from worksmith.optimizers.compiling.plan import Plan
from worksmith.optimizers.compiling.trials import record_chosen, record_trials
from worksmith.optimizers.demos.trace_bank import Gap
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.optimizers.trial import Pareto
from worksmith.tools.errors import WorksmithError
from worksmith.tools.policy import parted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from worksmith.jobs.settings.compiling import CompileSettings
    from worksmith.optimizers.compiling.artifact import Artifact, Manifest
    from worksmith.optimizers.trial import Trial
    from worksmith.tools.environment import Environment

_QUOTED = '"demonstrations": false in the policy keeps a table or a field out.'
_TABLES = re.compile(r"[^@/]+/")
"""References to records, and not to a world or a denial."""

_MOST_TRIALS, _MOST_CHANGES = 5, 3
"""Candidates, and lines of what changed in the program, that are printed; tables have all."""

_TRIAL = ("name", "outcome", "errors", "race", "broken")
"""The facts of a trial that are shown."""


@dataclass(frozen=True, repr=False)
class Compilation(Facts):
    """The result of a compile.

    Attributes:
        settings: the settings of the compile, as JSON-able data.
        file: the file of the compiled program.
        artifact: the compiled program, as it stands in the file.
        gaps: the training tasks that gave no demonstration.
        quotes: the tables whose records demonstrations show as they are to those who may read them.
        power: the smallest difference that the race could have shown, if it showed none; else empty.
        run_id: the id of the run in MLflow; None if it was not tracked.
        trials: the programs that were measured on dev, with their episodes.
        pareto: the candidates by score and cost; None without a request for it.
    """

    settings: Mapping[str, Any]
    file: Path
    artifact: Artifact
    gaps: Sequence[Gap] = ()
    quotes: Sequence[str] = ()
    power: Mapping[str, Any] | None = None
    run_id: str | None = None
    trials: Sequence[Trial] = ()
    pareto: Pareto | None = None

    def to_json(self) -> dict[str, Any]:
        facts = self.facts()
        gaps = [gap.model_dump(mode="json") | {"kind": gap.kind} for gap in self.gaps]
        pareto = {} if self.pareto is None else {"pareto": self.pareto.to_json()}
        return {**facts, **({"gaps": gaps} if gaps else {}), **pareto}

    def print(self, console: Console) -> None:
        """The decision, the best candidates, and what it took."""
        manifest, paid = self.artifact.manifest, self.artifact.measured
        console.print(escape(self._decision), style="bold", highlight=False)
        if self.pareto is not None:
            console.print(self.pareto.table().rich())
        elif manifest.trials:
            console.print(self._best())
        source = "gold plans" if manifest.gold else manifest.teacher
        gaps = f"; {len(self.gaps)} training tasks gave none" if self.gaps else ""
        lines = [", ".join(f"{name.replace('_', ' ')} {value:,.6g}" for name, value in paid.items())]
        if manifest.chosen != INCUMBENT:
            lines += manifest.difference.splitlines()[:_MOST_CHANGES]
            lines += [f"{len(manifest.demonstrations)} demonstrations from {source}{gaps}."]
        if self.quotes:
            lines += [f"Demonstrations quote records of {', '.join(self.quotes)}. {_QUOTED}"]
        lines += [self.power["said"]] if self.power else []
        suite = str(self.settings.get("suite", ""))
        words = ["worksmith", "eval", *([suite] if Path(suite).is_dir() else []), "--program", str(self.file)]
        for said in (*lines, f"Next: {shlex.join(words)}"):
            console.print(escape(said), highlight=False)

    @property
    def _decision(self) -> str:
        manifest = self.artifact.manifest
        races = {trial["name"]: trial.get("race", {}) for trial in manifest.trials}
        said = decided(manifest.acceptance, manifest.chosen, races)
        said = said or f"took {manifest.chosen or 'the program as it is'}"
        return f"{said[0].upper()}{said[1:]}."

    def _best(self) -> Table:
        """The program as it was, and the best candidates."""
        manifest = self.artifact.manifest
        (history,) = histories({"": manifest.tried})
        # What is called so was compiled before.
        called = {INCUMBENT: "as it is"} if manifest.start else {}
        ranked = sorted(
            history.candidates,
            key=lambda each: (
                each.name != INCUMBENT and not each.chosen,
                -each.score.value if each.score.n else 0.0,
            ),
        )
        cells = (
            (
                short_name(called.get(each.name, each.label)),
                percent(each.score),
                str(each.met),
                number(each.tokens, 0),
            )
            for each in ranked[:_MOST_TRIALS]
        )
        return short_table(("program", "outcome on dev, %", "tasks", "tokens"), cells)

    def print_tables(self, console: Console) -> None:
        """The same, then all facts."""
        self.print(console)
        manifest, facts = self.artifact.manifest, self.facts()
        facts.pop("acceptance", None)
        if manifest.start:  # a name for earlier compiled programs
            called = {INCUMBENT: "as it is"}
            facts["dev"] = [{**each, "name": called.get(each["name"], each["name"])} for each in facts["dev"]]
            facts["chosen"] = called.get(manifest.chosen or "", manifest.chosen)
        if manifest.chosen == INCUMBENT:  # the sentence states that the program did not change
            del facts["demonstrations"], facts["from_gold_plans"]
        console.print(facts_table(facts))

    def facts(self) -> dict[str, Any]:
        manifest = self.artifact.manifest
        return {
            "file": str(self.file),
            "digest": self.artifact.digest,
            "optimizer": manifest.optimizer,
            "lm": manifest.lm,
            "teacher": manifest.teacher,
            "demonstrations": len(manifest.demonstrations),
            "quotes": list(self.quotes),
            "from_gold_plans": manifest.gold,
            "without_demonstration": manifest.gaps,
            **({"bank": manifest.bank} if manifest.bank else {}),
            "dev": [{key: trial[key] for key in _TRIAL if key in trial} for trial in manifest.trials],
            "chosen": manifest.chosen,
            **({"acceptance": manifest.acceptance} if manifest.acceptance else {}),
            **({"stopped": manifest.stopped, "undone": manifest.undone} if manifest.stopped else {}),
            "cost": manifest.cost,
            **self.artifact.measured,
            **({"power": self.power} if self.power else {}),
        }


def compile(settings: CompileSettings, *, progress: Progress = SILENT) -> Compilation:
    """Choose demonstrations for an agent on a suite's train and dev tasks; write it to one file.

    Args:
        progress: receives messages and the state of the progress bar.

    Returns:
        The compiled program, its file, and the facts of the compile.

    Raises:
        InputError: a setting is wrong, or a file.
        WorksmithError: the compile gave no program; see
            `worksmith.optimizers.compiling.compile.compile_program`.
        EvaluationInterrupted: on Ctrl-C; finished episodes are in the journal.
    """
    tracking = Tracking.of(settings, track=settings.track)
    register_as = registration(settings.register_as, track=settings.track)
    plan = replace(plan_compile(settings, progress=progress), engine=open_engine(settings))
    check_startable(plan, settings, "compile")
    described = {
        **settings.described(),
        "suite": plan.suite.path.name,
        **plan.describes,
        "demos": plan.settings.demos,
        "teacher": plan.teacher.name,
    }
    about = f"{strategy_name(plan.program)} {plan.optimizer.name}"
    with (
        plan.engine or nullcontext(),
        tracking.start(
            plan.suite.path, "compile", about, params=described, resume=settings.resume
        ) as tracked,
    ):
        result = compiled(plan, "compile", progress)
        _check_failures(result, progress)
        result.artifact.write(settings.out)
        record_trials(tracked, result.artifact, plan.suite)
        address = keep_program(tracked, result, settings.out, works_in=plan.suite, register_as=register_as)
        record_chosen(tracked, result.artifact)
        record_dev_episodes(tracked, result, plan.suite)
        if register_as is not None:
            progress.say(f"registered as {check_registered(address)}")
        if tracked.id:
            progress.say(f"recorded as run {tracked.id}; see it with: worksmith ui")
    unsent = settings.track and tracked.id is None
    if unsent:
        progress.say("to record it later: the same command with --resume, which asks no model again")
    _say_stopped(result, progress)
    if result.note:
        progress.say(result.note)
    power = _race_power(plan, result)
    if not (settings.journal or unsent or result.artifact.manifest.stopped):
        discard(plan.folder)
    quotes = quoted_tables(result.artifact.manifest, plan.suite.env)
    pareto = Pareto.of(result.compiled.trials) if settings.pareto else None
    trials = result.compiled.trials
    return Compilation(
        described, settings.out, result.artifact, result.gaps, quotes, power, tracked.id, trials, pareto
    )


def quoted_tables(manifest: Manifest, env: Environment) -> list[str]:
    """The tables whose records some demonstration quotes that may be shown as it is."""
    shown = [frozenset(filter(_TABLES.match, each.records)) for each in manifest.demonstrations]
    kept_out = env.unquoted(frozenset().union(*shown))
    return sorted({parted(each)[0] for records in shown if kept_out.isdisjoint(records) for each in records})


def compiled(plan: Plan, label: str, progress: Progress) -> CompileResult:
    """Run a plan under a progress bar."""
    with progress.bar(label) as tick:
        return compile_program(
            replace(
                plan,
                on_progress=lambda at: at.tell(tick),
                say=progress.say,
            )
        )


def _check_failures(result: CompileResult, progress: Progress) -> None:
    """Report the episodes that were lost to the infrastructure.

    Raises:
        WorksmithError: nothing is left to choose by, so no program is written.
    """
    tried = [(trial.name, trial.result) for trial in result.compiled.trials if trial.result]
    failures = [f"{name}: {said}" for name, found in tried if (said := lost_episodes(found))]
    if tried and all(found.summary.graded == 0 for _, found in tried):
        raise WorksmithError(f"nothing could be measured on dev; {failures[0]}")
    records = [record for _, found in tried for record in found.records]
    for said in (failed_scorers(records), *failures):
        progress.say(said)


def _say_stopped(result: CompileResult, progress: Progress) -> None:
    """Report that a budget ended the compile, if one did, and which program is the result."""
    manifest = result.artifact.manifest
    if not manifest.stopped:
        return
    limit, left = manifest.stopped.replace("_", "-"), manifest.undone["episodes_at_most"]
    best = (
        f"the best so far is {manifest.chosen}" if manifest.chosen else "nothing was measured on all of dev"
    )
    progress.say(
        f"--{limit} ended the compile with at most {left} episodes undone; {best}; --resume with more goes on"
    )


def _race_power(plan: Plan, result: CompileResult) -> dict[str, Any]:
    found = result.compiled
    raced = {trial.name: trial.race for trial in found.trials if trial.race}
    rules = raced.get(found.chosen or "", {}).get("rules")  # the program as it is has them
    if not rules or rules["thorough"] or plan.settings.accept == "best":
        return {}
    return power_left(found.trials, plan.settings, plan.context().dev)
