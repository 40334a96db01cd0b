"""The record of a compile's trials in MLflow."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from worksmith.evals.tracking import Dataset

if TYPE_CHECKING:
    from worksmith.evals.dspy_programs.program_state import PredictorState
    from worksmith.evals.suite import Suite
    from worksmith.evals.tracking import Run
    from worksmith.optimizers.compiling.artifact import Artifact

_DEV = {"outcome": "value", "outcome_low": "low", "outcome_high": "high"}

_LONGEST_PROMPT = 50_000
"""Characters of a prompt with demonstrations: some databases of MLflow keep 65,535 bytes."""


def record_trials(run: Run, artifact: Artifact, suite: Suite) -> None:
    """Keep the tasks, the dev scores of the candidates in the order tried, and the cost."""
    for split in ("dev", "train"):  # MLflow's tables show the first: the one of the figures
        # Under attack a task has another id, which the suite does not know.
        tasks = suite.select(split="all", only=getattr(artifact.manifest, split))
        run.dataset(Dataset(suite.path.name, suite.digest), split=split, tasks=tasks)
    for number, trial in enumerate(artifact.manifest.trials):
        run.metrics(_dev(trial), step=number)
    for role, cost in artifact.manifest.cost.items():
        run.metrics({f"compile/{role}_{name}": value for name, value in cost.items()})
    run.metrics({f"compile/{name}": value for name, value in artifact.measured.items()})


def record_chosen(run: Run, artifact: Artifact) -> None:
    """Keep the dev scores of the chosen candidate once more, as those of the run's program."""
    trials = artifact.manifest.trials
    for trial in trials:
        if trial["name"] == artifact.manifest.chosen:
            run.metrics(_dev(trial), step=len(trials), split="dev")


def record_prompts(run: Run, artifact: Artifact, program: str, aliases: Sequence[str] = ()) -> None:
    """Keep the instructions and demonstrations of each predictor as a version of a prompt.

    Args:
        program: its name, with which those of the prompts begin.
        aliases: of these versions, beside the name of the optimizer.
    """
    manifest = artifact.manifest
    texts = {f"{program}.{part}": _prompt(state) for part, state in artifact.state.items()}
    run.prompts(
        texts, aliases=(manifest.optimizer, *aliases), note=manifest.difference or "the program as it is"
    )


def _prompt(state: PredictorState) -> str:
    """Instructions and demonstrations as Markdown, whole demonstrations only."""
    text = state.signature.instructions
    if state.nearest is not None:
        text += f"\n\nEach task is shown the {state.nearest.count} demonstrations that are nearest to it."
    for number, demo in enumerate(state.demos, start=1):
        lines = [f"\n\nDemonstration {number} of {len(state.demos)}:\n", *_fields(demo)]
        if len(text) + sum(map(len, lines)) > _LONGEST_PROMPT:
            return f"{text}\n\nThe file of the program has the other demonstrations."
        text += "\n".join(lines)
    return text


def _fields(demo: Mapping[str, Any]) -> Iterator[str]:
    for name, value in demo.items():
        if name == "augmented" or name.startswith("_"):
            continue
        items = value if isinstance(value, list) else [value]
        shown = [item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in items]
        yield f"- {name}: " + "\n  - ".join(shown if len(shown) < 2 else ["", *shown])


def _dev(trial: Mapping[str, Any]) -> dict[str, float]:
    outcome = trial["outcome"]
    return {name: outcome[bound] for name, bound in _DEV.items() if outcome[bound] is not None}
