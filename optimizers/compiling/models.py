"""The models of a compile, and which of them proposes instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import dspy

from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.lm.named import DEFAULT, model_named
from worksmith.evals.tasks.transcript import GOLD
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.suite import Suite
    from worksmith.optimizers.optimizer import Optimizer

BANK = "bank"
"""The teacher's name where a prebuilt bank takes its place."""

_NO_LANGUAGE = ("replay:", GOLD, BANK)
"""The prefixes of names of models that cannot write instructions."""


class Model(NamedTuple):
    """A model and the name by which it was chosen."""

    name: str
    lm: dspy.LM

    @property
    def proposes(self) -> bool:
        """Whether it is a language model, which can propose instructions."""
        return not self.name.startswith(_NO_LANGUAGE)

    @classmethod
    def of(cls, given: str | dspy.BaseLM | Model, suite: Suite) -> Model:
        if isinstance(given, Model):
            return given
        if isinstance(given, str):
            return Model(given, model_named(given, tasks=suite.tasks))
        return Model(model_name(given), given)


def default_model() -> Model:
    """DSPy's model, else `DEFAULT`."""
    lm = dspy.settings.lm
    return Model(DEFAULT, model_named(DEFAULT)) if lm is None else Model(model_name(lm), lm)


def name_of(lm: str | dspy.BaseLM | Model | None) -> str:
    """The name of a model; None is the default one."""
    lm = dspy.settings.lm or DEFAULT if lm is None else lm
    return lm if isinstance(lm, str) else lm.name if isinstance(lm, Model) else model_name(lm)


def proposing_model(
    optimizer: Optimizer | type[Optimizer], proposer: Model | None, teacher: Model, lm: Model
) -> Model | None:
    """The model that proposes instructions for an optimizer; None if it proposes none.

    Args:
        proposer: the user's choice; default is the teacher, or else the model itself.
    """
    asked = optimizer.proposes or (optimizer.may_propose and proposer is not None)
    if not asked:
        if proposer is not None:
            raise InputError(f"{optimizer.name} has no instructions proposed", where="--proposer")
        return None
    for model in (proposer,) if proposer else (teacher, lm):
        if model.proposes:
            return model
    raise InputError(
        f"{optimizer.name} has a language model propose instructions, and {(proposer or lm).name} is none",
        hint="name one as --lm or --teacher or, to compile, as --proposer, e.g. openai/gpt-4o-mini",
    )
