"""Settings of a suite's build, and the interface of a kind's builder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from worksmith.evals.tasks.task import Task
from worksmith.tools.errors import InputError
from worksmith.tools.world import World

Progress = Callable[[str], None]
"""Takes a few words about the step that begins."""


class BuildOptions(BaseModel):
    """Settings of a build. The same settings give the same suite.

    A kind with further settings has a subclass; each further field is an option of `worksmith suite build`,
    with the field's description as help.

    Attributes:
        scale: size of the world; 1.0 is the size of the published system, if there is one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int = 7
    scale: float = Field(default=1.0, ge=0.02, le=100)

    def models(self) -> Sequence[str]:
        """The names of the models that the build asks."""
        return ()


Options = TypeVar("Options", bound=BuildOptions)


def _no_model(name: str) -> Any:
    raise InputError(f"the model {name!r} cannot be resolved", hint="give `resolve`")


@dataclass(frozen=True)
class BuildContext:
    """The tools of a build.

    Attributes:
        resolve: gives the `dspy.LM` that a setting names.
        cache: folder for the replies of such models, so that each is paid for once; None to keep no reply.
    """

    progress: Progress = field(default=lambda _: None)
    resolve: Callable[[str], Any] = _no_model
    cache: Path | None = None


class Made(NamedTuple):
    """A world that was written to a folder, and the tasks over it."""

    world: World
    tasks: Sequence[Task]


@dataclass(frozen=True)
class SuiteBuilder(Generic[Options]):
    """Makes the suites of a kind.

    Attributes:
        options: the settings that `build` takes.
        build: writes a world to a folder, and gives the tasks over it.
        forecast: `tasks` and `model_calls_at_most` of a build, without building; with
            `prompt_tokens_at_most` and `completion_tokens_at_most` a dry run also has the price.
        industries: by name the file or folder of each industry that comes with the kind, to be copied.
    """

    options: type[Options]
    build: Callable[[Path, Options, BuildContext], Made]
    forecast: Callable[[Options], dict[str, Any]] = lambda _: {"model_calls_at_most": 0}
    industries: Callable[[], dict[str, Path]] = dict


Importer = Callable[..., Made]
"""Reads the files of a published system in the first folder, and writes their world to the second.

Takes the two folders and a `Progress`; those named in `TaskKind.record_files` also `records=`, a file.
"""
