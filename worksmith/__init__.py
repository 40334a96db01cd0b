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
    "build": "building",
    "check_same_program": "same_program",
    "Comparison": "comparison",
    "compare": "comparison",
    "Compilation": "compilation",
    "compile": "compilation",
    "Evaluation": "evaluation",
    "evaluate": "evaluation",
    "index": "indexing",
    "Indexing": "indexing",
    "judge": "judgement",
    "Judging": "judgement",
    "load_program": "parts.programs",
    "Progress": "parts.progress",
    "EvalSettings": "settings.programs",
    "CompileSettings": "settings.programs",
    "CompareSettings": "settings.programs",
    "JudgeSettings": "settings.runs",
    "BuildSettings": "settings.suites",
    "IndexSettings": "settings.suites",
}
"""The public names, each with its module below `worksmith.jobs`, which is loaded when the name is used."""

__all__ = ["__version__", *_PLACES]


check_packages()


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'worksmith' has no attribute {name!r}")
    return getattr(import_module(f"worksmith.jobs.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
