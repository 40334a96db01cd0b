"""What inspect_ai finds by name: `inspect eval worksmith/suite -T suite=FOLDER --model worksmith/MODEL`."""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.model import ModelAPI, modelapi

from worksmith.exports.inspect import inspect_task


@task
def suite(
    suite: str,
    split: str | None = None,
    limit: int | None = None,
    where: str | list[str] = "",
    scheme: str = "standard",
    toolset: str | None = None,
    max_steps: int = 20,
) -> Task:
    """The tasks of a suite, see `inspect_task`."""
    return inspect_task(
        suite,
        split=split,
        limit=limit,
        where=where or (),
        scheme=scheme,
        toolset=toolset,
        max_steps=max_steps,
    )


@modelapi(name="worksmith")
def worksmith() -> type[ModelAPI]:
    """Models by the names that `--lm` takes."""
    from worksmith.exports.inspect.model import WorksmithModel

    return WorksmithModel
