"""A quantity to choose programs by that weighs scores against costs, such as `outcome - 0.1 * dollars`.

The value of an episode is clipped to 0 and 1, because tests hold for scores in between. So a failed episode
of `outcome - 0.1 * dollars` is worth 0 at any cost; `0.5 + 0.5 * outcome - 0.1 * dollars` counts that
as well. Seconds are no part of it: they differ from run to run, so the choice could not be derived again.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from worksmith.evals.lm.prices import Prices
from worksmith.evals.records.record_numbers import COSTS
from worksmith.tools.errors import InputError, names_instead

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord

_WHERE = "--maximize"
_HINT = "numbers, names, +, -, * and parentheses, such as outcome - 0.1*dollars"
_LONGEST = 300
_OPERATIONS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
WEIGHABLE = tuple(name for name in COSTS if name != "seconds")
"""The costs that expressions may name, with or without a cache."""

_DOLLARS = re.compile(r"\bdollars\b")


def is_expression(text: str) -> bool:
    """Whether it weighs several scores or costs; else it is the name of a score."""
    return not {*"+*() "}.isdisjoint(text)


def priced(text: str, model: str, prices: Prices) -> str:
    """The expression with `dollars` written as a price of tokens, so that no price list decides later.

    Raises:
        InputError: it names dollars, and the price of the model is not known.
    """
    if not _DOLLARS.search(text):
        return text
    if (price := prices.price(model)) is None:
        raise InputError(
            f"the price of {model} is not known",
            where=_WHERE,
            hint="name it in a table, --prices FILE, or weigh used_tokens",
        )
    tokens = f"({price.prompt!r} * prompt_tokens + {price.completion!r} * completion_tokens)"
    return _DOLLARS.sub(tokens, text)


@dataclass(frozen=True)
class Expression:
    """Numbers, names of scores and costs, `+`, `-`, `*` and parentheses.

    Raises:
        InputError: there is something else; the message has the place.
    """

    text: str

    def __post_init__(self) -> None:
        if not any(isinstance(node, ast.Name) for node in ast.walk(self._tree)):
            raise InputError(f"{self.text!r} names no score and no cost", where=_WHERE, hint=_HINT)
        self._value(self._tree, dict.fromkeys(self.scores, 0.0) | dict.fromkeys(WEIGHABLE, 0.0))

    @cached_property
    def scores(self) -> frozenset[str]:
        names = {node.id for node in ast.walk(self._tree) if isinstance(node, ast.Name)}
        return frozenset(names.difference(WEIGHABLE))

    def value(self, record: EpisodeRecord) -> float:
        """Its value for a graded episode, from 0 to 1.

        Raises:
            InputError: the episode has no such score, or its tokens are uncounted.
        """
        known = record.scores | {name: COSTS[name](record) for name in WEIGHABLE}
        if missing := sorted(self.scores - known.keys()):
            hint = names_instead(missing[0], sorted(known))
            raise InputError(f"there is no score or cost {missing[0]!r}", where=_WHERE, hint=hint)
        if record.uncounted:
            raise InputError(f"nobody counted the tokens of {record.task_id}", where=_WHERE)
        found = self._value(self._tree, known)
        return 0.0 if math.isnan(found) else min(1.0, max(0.0, found))

    @cached_property
    def _tree(self) -> ast.expr:
        if len(self.text) > _LONGEST:
            raise InputError(f"an expression has at most {_LONGEST} characters", where=_WHERE)
        try:
            return ast.parse(self.text.strip(), mode="eval").body
        except (SyntaxError, ValueError) as error:
            raise self._wrong(getattr(error, "offset", None) or 1) from error

    def _value(self, node: ast.expr, known: Mapping[str, float]) -> float:
        match node:
            case ast.BinOp(left, op, right) if type(op) in _OPERATIONS:
                return _OPERATIONS[type(op)](self._value(left, known), self._value(right, known))
            case ast.UnaryOp(ast.USub(), operand):
                return -self._value(operand, known)
            case ast.Constant(int() | float() as value) if type(value) is not bool and abs(value) <= 1e9:
                return float(value)
            case ast.Name(name):
                return known[name]
        raise self._wrong(node.col_offset + 1)

    def _wrong(self, at: int) -> InputError:
        return InputError(
            f"no expression at character {at}: {self.text.strip()[at - 1 :][:20]!r}",
            where=_WHERE,
            hint=_HINT,
        )
