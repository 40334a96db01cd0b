"""`ws.evaluate` and `ws.compare`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from worksmith.api.conditions import Conditions, takes_conditions
from worksmith.api.data import arms_of, connection_kept, measurement
from worksmith.evals.dspy_programs.own_models import check_models
from worksmith.jobs.comparing.comparison import Comparison, run_comparison
from worksmith.jobs.comparing.study_plan import ProgramsPlan
from worksmith.jobs.evaluation import EvalPlan, Evaluation, run_evaluation
from worksmith.jobs.opening.arguments import chosen_models, opened
from worksmith.jobs.recording.tracking import Tracking
from worksmith.optimizers.compiling.claims import counted_intents

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.suite import Suite


@takes_conditions
def evaluate(
    program: Callable[..., Any] | Path | str,
    tasks: Suite | Sequence[dspy.Example],
    *,
    lm: str | dspy.BaseLM | None = None,
    log: Path | str | None = None,
    **conditions: Unpack[Conditions],
) -> Evaluation:
    """Run a program on tasks and score every episode.

    Args:
        program: an agent, any DSPy program, a function that takes `task=`, the file of a compiled agent, or
            `package.module:factory` of yours, `package.module:factory@FILE` compiled. On plain examples it
            gets their inputs.
        tasks: a part of a suite such as `suite.test`, a suite (its test tasks), or DSPy examples with inputs.
        lm: the model or its name, such as `openai/gpt-4o-mini`. Default is DSPy's, else `local/apprentice`;
            the result says so.
        log: file of the episodes (JSON lines); default is one in `mlruns/logs`.
        metric: takes an example and a prediction; gives a bool, a number from 0 to 1, or a `dspy.Prediction`
            with `score`. Plain examples need one; a suite has its own scorers.
        judge: names of judges, such as `local/rubric` or a model's name, for levels from 1 to 5.
        rubric: YAML file of the judges' rubrics.
        trials: episodes of each task.
        seed: of all random choices.
        workers: episodes at once.
        engine: where they run: `threads`, `processes`, `ray` or `ray://HOST:PORT`. The records are the same.
        processes: worker processes that share them; without an engine, of this machine.
        suite_store: folder or address (`s3://...`) through which Ray's workers get the suite; default is
            the suite's folder, at the same path on all machines.
        budget: limits; episodes that it does not admit are left out.
        live: let tools that are declared with `outside=True` make their calls.
        track: record the run in MLflow; a text is the name of the experiment.
        resume: go on with the log of a stopped run.
        attack: plant an instruction of a written catalogue into the records that each task reads, by `seed`;
            the score `asr` is 1 where it was followed. Tasks without a gold plan are left out.
        intent: the field of plain examples that names their kind; None for the input `intent`, if there is
            one. Intervals are over kinds, if there are five or more.
        progress: show what happens: sentences, and a bar with score so far, cost and remaining time. None
            shows it in a terminal and in a notebook.

    Returns:
        The episodes, and figures with 95 % intervals. It prints as a table, `report("report.html")` writes
        a page, `to_json()` gives data.

    Raises:
        InputError: an argument is wrong; the message names it, with the remedy.
        BudgetSpentError: the budget was spent before the first episode.
        EvaluationInterrupted: on Ctrl-C; finished episodes are in the log.

    Example:
        >>> result = ws.evaluate(ws.Agent("react", env), suite.test, lm="gold", progress=False)
        >>> result.summary.scores["outcome"].value
        1.0
        >>> len(result.records)
        16
        >>> attacked = ws.evaluate(ws.Agent("react", env), suite.test, lm="gold", attack=True, progress=False)
        >>> attacked.summary.scores["asr"].value
        0.0
    """
    measured = measurement(tasks, **conditions)
    suite = measured.suite
    name, models, said = chosen_models(lm, suite)
    plan = EvalPlan(
        program=opened(program, suite.env),
        lm=name,
        models=models,
        measurement=measured,
        log=None if log is None else Path(log),
        notes=(*said, *filter(None, [counted_intents(measured.tasks)])),
    )
    with connection_kept(suite.env):
        return run_evaluation(plan, Tracking.of(measured.settings, track=measured.settings.track))


@takes_conditions
def compare(
    programs: Mapping[str, Callable[..., Any] | Path | str] | Sequence[Callable[..., Any] | Path | str],
    tasks: Suite | Sequence[dspy.Example],
    *,
    lm: str | dspy.BaseLM | None = None,
    **conditions: Unpack[Conditions],
) -> Comparison:
    """Run programs on the same tasks and compare each with the first.

    Args:
        programs: as in `evaluate`; in a mapping by the names that tables have. The first is the reference.
        tasks, lm, metric, judge, rubric, trials, seed, workers, engine, processes, suite_store, budget,
            live, track, resume, attack, intent, progress: as in `evaluate`.

    Returns:
        The programs' figures, with differences in points paired by task, their 95 % intervals over kinds of
        tasks, and adjusted p values. It prints as a table, and `report("report.html")` writes a page.

    Raises:
        InputError: an argument is wrong; the message names it, with the remedy.
        BudgetSpentError: the budget was spent before the first program was done.
        EvaluationInterrupted: on Ctrl-C; finished episodes are in the logs.

    Example:
        >>> agent = ws.Agent("react", env)
        >>> better = ws.Bootstrap(accept="best").compile(agent, trainset=suite.train, valset=suite.dev)
        >>> result = ws.compare({"as it is": agent, "compiled": better}, suite.test, progress=False)
        >>> difference = result.study.rows[1].against_first.difference
        >>> difference.low > 0
        True
    """
    measured = measurement(tasks, **conditions)
    suite = measured.suite
    chosen = chosen_models(lm, suite)
    arms, found = arms_of(programs, suite.env)
    for each in found.values():
        check_models(each.program, [chosen.only.lm])
    plan = ProgramsPlan(measurement=measured, arms=arms, opened=found, lm=chosen.only)
    with connection_kept(suite.env):
        tracking = Tracking.of(measured.settings, track=measured.settings.track)
        said = (*chosen.said, *filter(None, [counted_intents(measured.tasks)]))
        return run_comparison(plan, tracking, notes=said)
