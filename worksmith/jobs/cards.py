"""The cards of runs: what was run on what, in the words of the commands that run it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.dspy_programs.digests import model_name, program_digest, scorers_digest, strategy_name
from evals.records.run_card import RunCard, versions
from evals.task_kind import scorers_for

if TYPE_CHECKING:
    from evals.records.compile_facts import CompileFacts
    from evals.running.judges import Judge
    from evals.running.study import Arm
    from evals.scoring.outcomes import GroundTruth
    from evals.suite import Suite
    from worksmith.jobs.study import StudyPlan


def eval_card(
    model: str,
    program: Any,
    lm: Any,
    suite: Suite,
    settings: Mapping[str, Any],
    artifact: Path | None,
    judges: Sequence[Judge] = (),
) -> RunCard:
    """The card of one program's evaluation.

    Args:
        model: what tables call the model.
        settings: of the command; `split`, `seed`, `trials` and `ground_truth` among them.
        artifact: the compiled program's file, if it is one.
    """
    strategy, compiled = strategy_name(program), _compiled(artifact)
    optimizer = compiled.optimizer if compiled else "none"
    made = strategy if optimizer == "none" else f"{strategy} + {optimizer}"
    return RunCard(
        label=f"{made}, {model}",
        command="eval",
        **_of(suite, settings["ground_truth"], judges),
        **{name: settings[name] for name in ("split", "seed", "trials")},
        lm=model_name(lm),
        strategy=strategy,
        optimizer=optimizer,
        program=program_digest(program),
        artifact=str(artifact or ""),
        compiled=compiled,
        settings=dict(settings),
    )


def study_card(plan: StudyPlan, arm: Arm, program: Any, file: Path, *, place: int) -> RunCard:
    """The card of an arm; `file` is where its compiled program is, if it has one."""
    artifact = file if arm.optimizer != "none" and not arm.baseline else None
    return RunCard(
        label=arm.label,
        command="compare",
        **_of(plan.suite, plan.ground_truth, plan.judges),
        split=plan.split,
        lm=plan.lm.name,
        strategy=arm.strategy,
        optimizer=arm.optimizer,
        program=program_digest(program),
        artifact=str(artifact or ""),
        compiled=_compiled(artifact),
        baseline=arm.baseline,
        without=arm.without,
        place=place,
        seed=plan.settings.seed,
        trials=plan.trials,
        settings={**arm.settings, "ground_truth": plan.ground_truth, "max_steps": plan.max_steps},
    )


def _compiled(artifact: Path | None) -> CompileFacts | None:
    """What the compile of a program tried; None for one that was not compiled."""
    if artifact is None:
        return None
    from optimizers.compiling.artifact import Artifact

    return Artifact.read(artifact).manifest.tried


def _of(suite: Suite, ground_truth: GroundTruth, judges: Sequence[Judge]) -> dict[str, Any]:
    return {
        "suite": str(suite.path),
        "suite_digest": suite.digest,
        "kind": suite.manifest.kind,
        "scorers": scorers_digest([*scorers_for(suite.env, ground_truth), *judges]),
        "versions": versions(),
    }
