"""worksmith: compile, compare and track workplace-agent programs.

    from worksmith import EvalSettings, evaluate

    result = evaluate(EvalSettings(suite="build/suite", strategy="react", lm="openai/gpt-4o-mini"))
    print(result)

A job is a settings model and a function. `worksmith --help` spells the same settings on a command line.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from worksmith.namespace import check_packages

__version__ = "0.1.0"

_PLACES = {
    "build": "worksmith.jobs.building",
    "check_same_program": "worksmith.jobs.same_program",
    "Comparison": "worksmith.jobs.comparison",
    "compare": "worksmith.jobs.comparison",
    "Compilation": "worksmith.jobs.compilation",
    "compile": "worksmith.jobs.compilation",
    "Evaluation": "worksmith.jobs.evaluation",
    "evaluate": "worksmith.jobs.evaluation",
    "index": "worksmith.jobs.indexing",
    "Indexing": "worksmith.jobs.indexing",
    "judge": "worksmith.jobs.judgement",
    "Judging": "worksmith.jobs.judgement",
    "load_program": "worksmith.jobs.parts.programs",
    "Progress": "worksmith.jobs.parts.progress",
    "EvalSettings": "worksmith.jobs.settings.programs",
    "CompileSettings": "worksmith.jobs.settings.programs",
    "CompareSettings": "worksmith.jobs.settings.programs",
    "JudgeSettings": "worksmith.jobs.settings.runs",
    "BuildSettings": "worksmith.jobs.settings.suites",
    "IndexSettings": "worksmith.jobs.settings.suites",
    "Race": "optimizers.search.race",
    "Bootstrap": "optimizers.search.few_shot",
    "Nearest": "optimizers.search.few_shot",
    "Tpe": "optimizers.search.few_shot",
    "Budget": "optimizers.cost.budget",
}
"""The public names, each with its module, which is loaded when the name is used."""

__all__ = ["__version__", *_PLACES]


check_packages()


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'worksmith' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
