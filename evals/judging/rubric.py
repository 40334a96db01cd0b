"""Rubrics: a criterion and the meaning of five levels. They are data."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from worksmith.tools.errors import InputError, unknown
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.files.json_files import read_file
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task

LEVELS = (1, 2, 3, 4, 5)
PASSING = 4
"""The lowest level that counts as a pass."""

RUBRIC = "rubric"
"""Under this name the origin of a task may name the rubric that it is to be judged by."""

Kind = Literal["search", "crud", "unanswerable", "outcome", "question"]
"""The kinds of tasks to a judge, see `kind_of`."""

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]

_HINT = "a rubric has a name, a criterion and levels 1 to 5, each described in a sentence"


class Levels(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    one: Text = Field(alias="1")
    two: Text = Field(alias="2")
    three: Text = Field(alias="3")
    four: Text = Field(alias="4")
    five: Text = Field(alias="5")

    @property
    def lines(self) -> tuple[str, ...]:
        return (self.one, self.two, self.three, self.four, self.five)


class Rubric(BaseModel):
    """A criterion with the meaning of each level.

    Attributes:
        applies: the kinds of tasks that it is for; of a rubric without any, all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]
    criterion: Text
    levels: Levels
    applies: tuple[Kind, ...] = Field(default=(), alias="for")

    @property
    def text(self) -> str:
        """The rubric as a judge reads it."""
        levels = "\n".join(f"Level {n}: {line}" for n, line in zip(LEVELS, self.levels.lines, strict=True))
        return f"{self.criterion}\n{levels}"

    @property
    def digest(self) -> str:
        return digest(self.model_dump(mode="json"))


@runtime_checkable
class HasRubric(Protocol):
    """A task that may have a rubric."""

    @property
    def rubric(self) -> Rubric | None: ...


@runtime_checkable
class GoesByRubrics(Protocol):
    """A judge that goes by rubrics."""

    @property
    def rubrics(self) -> Rubrics: ...


class Rubrics(BaseModel):
    """Rubrics of which each task gets the one for its kind.

    Attributes:
        ours: whether these are the rubrics that come with worksmith.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rubrics: tuple[Rubric, ...] = Field(min_length=1)
    ours: bool = False

    def for_task(self, task: Task) -> Rubric:
        """The rubric of a task: its own, the one that it names, the first for its kind, or the first for all.

        Raises:
            InputError: no rubric fits.
        """
        if isinstance(task, HasRubric) and task.rubric is not None:
            return task.rubric
        named = task.origin.get(RUBRIC)
        if named is not None:
            return self._called(str(named))
        kind = kind_of(task)
        fitting = [rubric for rubric in self.rubrics if kind in rubric.applies]
        fitting += [rubric for rubric in self.rubrics if not rubric.applies]
        if fitting:
            return fitting[0]
        raise InputError(
            f"no rubric is for tasks of the kind {kind}",
            where=f"task {task.id}",
            hint="add one, or leave `for` out of one to have it apply to all",
        )

    def _called(self, name: str) -> Rubric:
        for rubric in self.rubrics:
            if rubric.name == name:
                return rubric
        raise unknown("no rubric is called", name, [rubric.name for rubric in self.rubrics])

    @property
    def digest(self) -> str:
        return digest([rubric.digest for rubric in self.rubrics])


def kind_of(task: Task) -> Kind:
    """The kind of a task to a judge."""
    if task.type is not None:
        return task.type
    return "outcome" if task.answer is None else "question"


@cache
def default_rubrics() -> Rubrics:
    return Rubrics.model_validate({**read_toml("worksmith.evals.judging", "rubrics.toml"), "ours": True})


def read_rubrics(file: Path) -> Rubrics:
    """The user's rubrics: a YAML file with one rubric, or a list of them under `rubrics`.

    Raises:
        InputError: it cannot be read, is not YAML, or a part is missing or invalid.
    """
    import yaml

    try:
        data = yaml.safe_load(read_file(file, "the rubric").decode())
    except UnicodeDecodeError as error:
        raise InputError("cannot read the rubric", where=str(file), hint=str(error)) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        # Impossible dates and numbers are ValueErrors to it, and nesting without end is no error of its own.
        raise InputError("not YAML", where=_place(file, error), hint=_HINT) from error
    if not isinstance(data, dict):
        raise InputError("not a rubric", where=str(file), hint=_HINT)
    listed = data.get("rubrics", data)
    listed = listed if isinstance(listed, list) else [listed]
    try:
        rubrics = Rubrics.model_validate({"rubrics": [_text_keys(each) for each in listed]})
    except ValidationError as error:
        first = error.errors()[0]
        path = list(map(str, first["loc"]))[0 if "rubrics" in data else 2 :]  # a single one has no list
        where = ": ".join([str(file), *filter(None, [".".join(path)])])
        message = first["msg"][0].lower() + first["msg"][1:]
        raise InputError(message, where=where, hint=_HINT) from error
    names = [rubric.name for rubric in rubrics.rubrics]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two rubrics are called {twice!r}", where=str(file), hint="rename one")
    return rubrics


def _text_keys(rubric: Any) -> Any:
    """YAML reads the names of levels as numbers."""
    if not isinstance(rubric, dict) or not isinstance(rubric.get("levels"), dict):
        return rubric
    return {**rubric, "levels": {str(key): value for key, value in rubric["levels"].items()}}


def _place(file: Path, error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f"{file}:{mark.line + 1}" if mark is not None else str(file)
