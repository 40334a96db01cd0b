"""A predictor that shows each query the demonstrations nearest to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

import dspy

from evals.task import same_text
from retrievers.lexical import LexicalIndex
from retrievers.protocol import TextIndex
from tools.errors import InputError

EMBEDDINGS = ("lexical", "minilm")
"""The ways to compare texts."""

_QUERIES_REMEMBERED = 512
"""An agent asks once a step with the same query; only its first step pays for the search."""


@dataclass(frozen=True, slots=True)
class NearestSettings:
    """How demonstrations are chosen.

    Attributes:
        field: the input that is compared.
        count: how many demonstrations a query is shown.
        embedding: how texts are compared, see `text_index`.
    """

    field: str
    count: int
    embedding: str = "lexical"


class NearestPredict(dspy.Predict):  # type: ignore[misc]
    """`dspy.Predict` whose `demos` are a bank: each call is shown the part of it nearest to its query.

    The bank is an ordinary list of demos, saved and loaded with the program's state. A call changes
    nothing in the predictor, so threads can share it; demonstrations that ask exactly the query itself
    are left out, since they would show its own solution.
    """

    def __init__(self, signature: type[dspy.Signature], nearest: NearestSettings) -> None:
        super().__init__(signature)
        self.nearest = nearest

    @classmethod
    def instead_of(cls, predict: dspy.Predict, nearest: NearestSettings) -> NearestPredict:
        """A predictor that does what `predict` does, with demonstrations chosen for each query."""
        twin = cls(predict.signature, nearest)
        twin.config, twin.lm, twin.demos = predict.config, predict.lm, predict.demos
        return twin

    def forward(self, **kwargs: Any) -> dspy.Prediction:
        """One call; `demos` given by the caller take precedence."""
        return super().forward(**self._with_demos(kwargs))

    async def aforward(self, **kwargs: Any) -> dspy.Prediction:
        """As `forward`."""
        return await super().aforward(**self._with_demos(kwargs))

    def nearest_demos(self, inputs: Mapping[str, Any], hidden: frozenset[int] = frozenset()) -> list[Any]:
        """The demonstrations for a call with these inputs, never one whose position is in `hidden`."""
        return self._choose()(inputs[self.nearest.field], hidden)

    def dump_state(self, json_mode: bool = True) -> dict[str, Any]:
        """The state as DSPy saves it, and how demonstrations are chosen."""
        return {**super().dump_state(json_mode=json_mode), "nearest": asdict(self.nearest)}

    def load_state(self, state: dict[str, Any], **options: Any) -> NearestPredict:
        """Take over a saved state."""
        super().load_state({name: value for name, value in state.items() if name != "nearest"}, **options)
        self.nearest = NearestSettings(**state["nearest"])
        return self

    def __getstate__(self) -> dict[str, Any]:
        # The index is built from the demos and must not outlive them in a copy.
        return {name: value for name, value in super().__getstate__().items() if name != "_chooser"}

    def _with_demos(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        if "demos" in kwargs:
            return kwargs
        return {**kwargs, "demos": self.nearest_demos(kwargs)}

    def _choose(self) -> Callable[[str, frozenset[int]], list[Any]]:
        """The chooser for the demos there are; built anew when an optimizer has replaced them."""
        known = self.__dict__.get("_chooser")
        if known is None or known[0] is not self.demos or known[1] != self.nearest:
            # One assignment: threads that meet here may build it twice, but each sees a whole one.
            self._chooser = known = (self.demos, self.nearest, _chooser(self.demos, self.nearest))
        return known[2]


def show_nearest(program: dspy.Module, nearest: Mapping[str, NearestSettings]) -> dspy.Module:
    """`program` with the predictors named in `nearest` replaced; changes it and returns it."""
    for name, predictor in program.named_predictors():
        if name in nearest:
            _set_predictor(program, name, NearestPredict.instead_of(predictor, nearest[name]))
    return program


def text_index(texts: Mapping[str, str], embedding: str, kin: Mapping[str, str]) -> TextIndex:
    """The index over `texts`: `lexical`, or `minilm` fused with it.

    Args:
        kin: for some keys a mark that texts meaning the same have in common.

    Raises:
        InputError: for another name.
    """
    if embedding not in EMBEDDINGS:
        raise InputError(f"no embedding {embedding!r}", hint=f"there are {', '.join(EMBEDDINGS)}")
    if embedding == "minilm":
        from retrievers.fused import fused_index

        return fused_index(texts, kin)
    return LexicalIndex(texts, kin)


def _chooser(demos: Sequence[Any], nearest: NearestSettings) -> Callable[[str, frozenset[int]], list[Any]]:
    by_key = {_key(number): demo for number, demo in enumerate(demos)}
    texts = {key: demo[nearest.field] for key, demo in by_key.items()}
    keys_by_text: dict[str, list[str]] = {}
    for key, text in texts.items():
        keys_by_text.setdefault(same_text(text), []).append(key)
    # Tasks that were done by the same tools one after another are likely to ask for the same.
    kin = {key: way for key, demo in by_key.items() if (way := _way(demo))}
    index = text_index(texts, nearest.embedding, kin)

    @lru_cache(maxsize=_QUERIES_REMEMBERED)
    def choose(query: str, hidden: frozenset[int]) -> list[Any]:
        excluded = {*keys_by_text.get(same_text(query), ()), *map(_key, hidden)}
        hits = index.search(query, nearest.count, exclude=excluded)
        # Nearest last, where models attend to it most.
        return [by_key[hit.key] for hit in reversed(hits)]

    return choose


def _key(position: int) -> str:
    """In the order of the bank, so that ties go to the earlier task."""
    return f"{position:06}"


def _way(demo: Mapping[str, Any]) -> str:
    """The tools that a demonstration calls, in order, repeats as one; empty if it shows no calls."""
    for value in demo.values():
        if isinstance(value, list) and value and all(isinstance(step, dict) for step in value):
            tools = [str(step.get("tool", "")) for step in value]
            return " ".join(tool for tool, _ in groupby(tools))
    return ""


def _set_predictor(program: dspy.Module, name: str, predictor: dspy.Predict) -> None:
    from dspy.primitives.module import set_attribute_by_name

    set_attribute_by_name(program, name, predictor)
