"""Rewards of `dspy.BestOfN` and `dspy.Refine`, whose exceptions DSPy prints and drops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import dspy

from worksmith.evals.dspy_programs.copies import copied_program
from worksmith.evals.lm.escapes import watch_in_use
from worksmith.evals.lm.failures import calling
from worksmith.evals.lm.users_code import UserCodeError
from worksmith.tools.sub_modules import named_sub_modules

Program = TypeVar("Program")


class _Told:
    """A reward function; the watch in use notes what it raises."""

    def __init__(self, reward: Callable[..., Any]) -> None:
        self.reward = reward

    def __call__(self, *given: Any) -> Any:
        try:
            with calling("the reward"):
                return self.reward(*given)
        except UserCodeError as error:
            if (watch := watch_in_use()) is not None:
                watch.reward = error
            raise


def telling_rewards(program: Program) -> Program:
    """A program whose rewards report their exceptions: a copy, or itself without rewards."""
    if not isinstance(program, dspy.Module) or not _rewarded(program):
        return program
    copy = copied_program(program)
    for module in _rewarded(copy):
        module.reward_fn = _Told(module.reward_fn)
    return copy


def give_back_rewards(program: dspy.Module) -> None:
    """Let the rewards of a program that `telling_rewards` made be the user's functions again."""
    for module in _rewarded(program, told=True):
        module.reward_fn = module.reward_fn.reward


def _rewarded(program: dspy.Module, *, told: bool = False) -> list[Any]:
    modules = (module for _, module in named_sub_modules(program))
    kinds = dspy.BestOfN | dspy.Refine
    return [m for m in modules if isinstance(m, kinds) and isinstance(m.reward_fn, _Told) == told]
