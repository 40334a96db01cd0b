"""The settings of optimizers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from pydantic import TypeAdapter, ValidationError

from worksmith.evals.dspy_programs.nearest import EMBEDDINGS, Embedding
from worksmith.evals.lm.named import APPRENTICE
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.scoring.constraints import Constraint, constraints
from worksmith.evals.scoring.expression import Expression
from worksmith.optimizers.demos.selection import selection_called
from worksmith.optimizers.demos.steps import UNITS, Unit
from worksmith.retrievers.extras import check_vectors
from worksmith.tools.errors import InputError, unknown
from worksmith.tools.numbers import number, share

Accept = Literal["tested", "best"]
"""The rule by which a winner is accepted: by a test, or as the best on dev."""


def default_demos(model: str) -> int:
    """The most demonstrations in a prompt of the model called so.

    `local/apprentice` was taught with 1 to 7 of them, and each takes seconds to read.
    """
    return 4 if model.partition(" ")[0].partition("@")[0].endswith(APPRENTICE) else 16


PARTS = ("demonstrations", "instructions", "tools", "form", "strategy", "toolset", "temperature")
"""The parts of a program that a race may change."""


def default_over(*, proposing: bool) -> tuple[str, ...]:
    """The parts that a race changes by default.

    Args:
        proposing: whether a model is named that proposes texts.
    """
    return PARTS[:3] if proposing else PARTS[:1]


_CHANGES = ("over", "pinned", "forbidden")
"""The settings of the changes that a race may make."""

_SELECTION_SETTINGS = ("selection", "demo_unit", "demo_tokens")
"""The settings of the choice of demonstrations."""

_WHOLE = ("demos", "candidates", "seed", "demo_tokens")
_NUMBERS = (*_WHOLE, "alpha", "margin", "threshold")


@dataclass(frozen=True)
class Settings:
    """The settings of an optimizer, as `worksmith.optimizers.teleprompter.Teleprompter` describes them.

    Raises:
        InputError: a value is out of its range.
        RetrievalError: the embedding needs the extra `vectors`, which is not installed.
    """

    demos: int = 16
    candidates: int = 4
    seed: int = 0
    embedding: Embedding = "lexical"
    alpha: float = 0.05
    margin: float = 0.1
    selection: str | None = None
    demo_unit: Unit = "trajectory"
    demo_tokens: int | None = None
    constraints: tuple[Constraint, ...] = ()
    accept: Accept = "tested"
    threshold: float = 1.0
    over: tuple[str, ...] = default_over(proposing=False)
    forbidden: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()
    maximize: str = PRIMARY

    def __post_init__(self) -> None:
        for name in _NUMBERS:
            if (given := getattr(self, name)) is not None:
                found = number(given)
                if found is None or (name in _WHOLE and found != int(found)):
                    whole = "whole number" if name in _WHOLE else "number"
                    raise InputError(f"no {whole}: {given!r}", where=f"--{name.replace('_', '-')}")
                object.__setattr__(self, name, int(found) if name in _WHOLE else float(found))
        if self.demos < 1 or self.candidates < 1:
            raise InputError("there must be at least one demonstration and one candidate")
        _check_choice("embedding", self.embedding, EMBEDDINGS, "--embedding")
        if self.embedding == "minilm":
            check_vectors()
        if not 0 < self.alpha < 1:
            raise InputError("a chance lies between 0 and 1", where="--alpha")
        if not 0 <= self.margin < 1:
            raise InputError("a margin lies between 0 and 1", where="--margin")
        Expression(self.maximize)
        if self.selection is not None:
            selection_called(self.selection)
        _check_choice("unit", self.demo_unit, UNITS, "--demo-unit")
        _check_choice("way to accept", self.accept, get_args(Accept), "--accept")
        if not self.over:
            raise InputError("no part is named", where="--over", hint=f"there are {', '.join(PARTS)}")
        for part in self.over:
            _check_choice("part of a program", part, PARTS, "--over")
        for name in _CHANGES:
            given = dict.fromkeys(getattr(self, name))
            if any(not str(text).strip() for text in given):
                raise InputError("one is blank", where=f"--{name}", hint="leave it out")
            object.__setattr__(self, name, tuple(given))
        object.__setattr__(self, "threshold", share(self.threshold) or 0.0)
        if not self.threshold:
            raise InputError("a threshold of success lies above 0 and is at most 1", where="--threshold")
        if self.demo_tokens is not None and self.demo_tokens < 1:
            raise InputError("demonstrations take at least one token", where="--demo-tokens")

    def to_json(self) -> dict[str, Any]:
        lists = {name: list(value) for name, value in vars(self).items() if isinstance(value, tuple)}
        return {**asdict(self), **lists, "constraints": [str(constraint) for constraint in self.constraints]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Settings:
        """The settings that `to_json` gave."""
        try:
            given = {**data, "constraints": constraints(data["constraints"])}
            read: Settings = TypeAdapter(cls).validate_python(given)
        except (ValidationError, KeyError, TypeError, AttributeError) as error:
            raise InputError("the settings of the optimizer are damaged", hint=str(error)) from error
        return read

    @property
    def chooses(self) -> bool:
        """Whether a setting of the choice of demonstrations differs from its default."""
        return self._differ(_SELECTION_SETTINGS)

    @property
    def bounds_changes(self) -> bool:
        """Whether the user says what may change."""
        return self._differ(_CHANGES)

    def _differ(self, names: Sequence[str]) -> bool:
        return any(getattr(self, name) != getattr(type(self), name) for name in names)


def _check_choice(noun: str, value: str, choices: Collection[str], option: str) -> None:
    if value not in choices:
        raise unknown(f"no {noun}", value, choices, option)
