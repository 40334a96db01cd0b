"""The knobs of optimizers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from pydantic import TypeAdapter, ValidationError

from evals.dspy_programs.nearest import EMBEDDINGS, Embedding
from evals.scoring.constraints import Constraint, constraints
from optimizers.demos.selection import Display, Selector, selection_called
from optimizers.demos.selection.showing import Shown, shown
from optimizers.demos.selection.steps import UNITS, Unit, in_units
from tools.errors import InputError

if TYPE_CHECKING:
    import dspy

    from optimizers.demos.trace_bank import TraceBank


Accept = Literal["tested", "best"]

_CHOICE = ("selection", "demo_unit", "demo_tokens")
"""Settings of how demonstrations are chosen."""


@dataclass(frozen=True)
class Settings:
    """The knobs of an optimizer; each uses those that concern it.

    Attributes:
        demos: how many demonstrations a prompt gets.
        candidates: how many sets of demonstrations meet on the dev tasks.
        embedding: how texts are compared: `lexical`, or `minilm` fused with it.
        alpha: the chance that a program is accepted that is not better, at most.
        margin: differences in score below it are not worth a race's episodes.
        selection: how demonstrations are chosen, see `optimizers.demos.selection`; None is the optimizer's
        own way. demo_unit: what one demonstration shows.
        demo_tokens: as many as the demonstrations of a prompt may take, see
        `evals.dspy_programs.demo_tokens`.
        constraints: bounds that a program has to keep on the dev tasks to be chosen.
        accept: whether the winner of `bootstrap`, `knn` and `tpe` has to beat the program as it is by a test,
            or is taken as the best, see `optimizers.search.acceptance`.
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

    def __post_init__(self) -> None:
        """Refuse what makes no sense before anything is paid for."""
        if self.demos < 1 or self.candidates < 1:
            raise InputError("there must be at least one demonstration and one candidate")
        if self.embedding not in EMBEDDINGS:
            raise InputError(
                f"no embedding {self.embedding!r}",
                where="--embedding",
                hint=f"there are {', '.join(EMBEDDINGS)}",
            )
        if not 0 < self.alpha < 1:
            raise InputError("a chance lies between 0 and 1", where="--alpha")
        if not 0 <= self.margin < 1:
            raise InputError("a margin lies between 0 and 1", where="--margin")
        if self.selection is not None:
            selection_called(self.selection)
        if self.demo_unit not in UNITS:
            raise InputError(
                f"no unit {self.demo_unit!r}", where="--demo-unit", hint=f"there are {', '.join(UNITS)}"
            )
        if self.accept not in get_args(Accept):
            raise InputError(
                f"no way to accept {self.accept!r}",
                where="--accept",
                hint=f"there are {', '.join(get_args(Accept))}",
            )
        if self.demo_tokens is not None and self.demo_tokens < 1:
            raise InputError("demonstrations take at least one token", where="--demo-tokens")

    def to_json(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {**asdict(self), "constraints": [str(constraint) for constraint in self.constraints]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Settings:
        """The settings that `to_json` gave.

        Raises:
            InputError: they make no sense.
        """
        try:
            given = {**data, "constraints": constraints(data["constraints"])}
            read: Settings = TypeAdapter(cls).validate_python(given)
        except (ValidationError, KeyError, TypeError, AttributeError) as error:
            raise InputError("the settings of the optimizer are damaged", hint=str(error)) from error
        return read

    @property
    def chooses(self) -> bool:
        """Whether somebody said how demonstrations are to be chosen."""
        return any(map(self._told, _CHOICE))

    def _told(self, name: str) -> bool:
        return bool(getattr(self, name) != getattr(type(self), name))

    def pool(self, bank: TraceBank) -> Selector:
        """What is chosen from: the demonstrations of a bank, in the units asked for.

        Raises:
            InputError: steps are asked for, and the program makes all calls at once.
        """
        return Selector(in_units(bank.demonstrations, self.demo_unit))

    def shown(self, program: dspy.Module, display: Display) -> Shown:
        """A copy of `program` that shows `display` as these settings say.

        Raises:
            InputError: something is to be searched, and a predictor has no input that holds the task's text.
        """
        return shown(
            program,
            display,
            embedding=self.embedding,
            tokens=self.demo_tokens,
            by_state=self.demo_unit == "step",
        )
