"""Settings of judges."""

from __future__ import annotations

from pathlib import Path

from worksmith.jobs.settings.base import JobSettings, setting

LOCAL_JUDGE = "local/rubric"


def judges(*default: str) -> tuple[str, ...]:
    """Declare the setting that names judges."""
    names: tuple[str, ...] = setting(
        default,
        "Judge episodes by a rubric of five levels: local/rubric (checks facts by rule), a model's name, "
        "unaided:NAME (without the reference) or median:NAME,NAME; repeatable.",
        metavar="NAME",
        suggest=(LOCAL_JUDGE, "openai/gpt-4o-mini", "unaided:", "median:"),
        unset=", ".join(default) or "none",
    )
    return names


class RubricSettings(JobSettings):
    group = "Judges"

    rubric: Path | None = setting(
        None,
        "YAML file of rubrics for the judges.",
        unset="one for each type of task",
        path="file",
        expert=True,
    )


class JudgeOptions(RubricSettings):
    group = "Judges"

    judge: tuple[str, ...] = judges()
