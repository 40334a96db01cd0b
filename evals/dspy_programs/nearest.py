"""A predictor that shows each query the demonstrations nearest to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from itertools import groupby
from operator import is_
from typing import Annotated, Any, Final, Literal, Self, get_args

import dspy
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from evals.dspy_programs.demo_tokens import demo_tokens, fitting
from evals.tasks.task import same_text
from retrievers.ranking.hits import TextIndex
from retrievers.ranking.lexical import LexicalIndex
from tools.errors import InputError

Embedding = Literal["lexical", "minilm"]
"""A way to compare texts."""

EMBEDDINGS: tuple[Embedding, ...] = get_args(Embedding)

_QUERIES_REMEMBERED = 512
"""An agent asks once a step with the same query; only its first step pays for the search."""


@dataclass(frozen=True, slots=True, config=ConfigDict(extra="forbid"))
class NearestSettings:
    """How demonstrations are chosen.

    Attributes:
        field: the input that is compared.
        count: how many demonstrations a query is shown, besides those that are always shown.
        embedding: how texts are compared, see `text_index`.
        fixed: so many at the head of the bank are shown to every query.
        tokens: as many as all demonstrations of a prompt may take, see `evals.dspy_programs.demo_tokens`; 0
            is no limit.
        by_state: show only what begins where the episode stands: after calls of the same tools.
    """

    field: str
    count: Annotated[int, Field(ge=0, strict=True)]
    embedding: Embedding = "lexical"
    fixed: Annotated[int, Field(ge=0, strict=True)] = 0
    tokens: Annotated[int, Field(ge=0, strict=True)] = 0
    by_state: bool = False

    def to_json(self) -> dict[str, Any]:
        """As JSON-able data."""
        return asdict(self)

    @classmethod
    def of(cls, data: Any) -> Self:
        """The settings that `to_json` gave.

        Raises:
            InputError: the data are something else.
        """
        try:
            read: Self = TypeAdapter(cls).validate_python(data)
        except ValidationError as error:
            raise InputError("the settings of nearest demonstrations are damaged", hint=str(error)) from error
        return read


_GUARD: Final = "a bank of demonstrations, load it with evals.dspy_programs.states.load_program"
"""A field that no signature has. `dspy.Predict` refuses a state that configures it, and quotes this text.

Without it a plain `dspy.Predict` would take over the bank and show all of it in every prompt.
"""


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
        way = _way(inputs) if self.nearest.by_state else ""
        return list(self._choose()(inputs[self.nearest.field], way, hidden))

    def dump_state(self, json_mode: bool = True) -> dict[str, Any]:
        """The state as DSPy saves it, and how demonstrations are chosen."""
        state = super().dump_state(json_mode=json_mode)
        guarded = {**state.get("fields", {}), _GUARD: {}}
        return {**state, "fields": guarded, "nearest": self.nearest.to_json()}

    def load_state(self, state: dict[str, Any], **options: Any) -> NearestPredict:
        """Take over a saved state.

        Raises:
            InputError: the state does not say how demonstrations are chosen.
        """
        nearest = NearestSettings.of(state.get("nearest"))
        plain = {name: value for name, value in state.items() if name != "nearest"}
        plain["fields"] = {name: value for name, value in plain.get("fields", {}).items() if name != _GUARD}
        super().load_state(plain, **options)
        self.nearest = nearest
        return self

    def __getstate__(self) -> dict[str, Any]:
        # The index is built from the demos and must not outlive them in a copy.
        return {name: value for name, value in super().__getstate__().items() if name != "_chooser"}

    def _with_demos(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        if "demos" in kwargs:
            return kwargs
        return {**kwargs, "demos": self.nearest_demos(kwargs)}

    def _choose(self) -> Callable[[str, str, frozenset[int]], list[Any]]:
        """The chooser for the demos there are; built anew where the list has other demos than before."""
        known: _Bank | None = self.__dict__.get("_chooser")
        if known is None or not known.holds(self.demos, self.nearest):
            # One assignment: threads that meet here may build it twice, but each sees a whole one.
            self._chooser = known = _Bank(self.demos, self.nearest)
        choose: Callable[[str, str, frozenset[int]], list[Any]] = known.choose
        return choose


def show_nearest(program: dspy.Module, nearest: Mapping[str, NearestSettings]) -> dspy.Module:
    """`program` with the predictors named in `nearest` replaced; changes it and returns it."""
    for name, predictor in program.named_predictors():
        if name in nearest:
            _set_predictor(program, name, NearestPredict.instead_of(predictor, nearest[name]))
    return program


def show_all(program: dspy.Module, names: Collection[str]) -> dspy.Module:
    """`program` with plain predictors in place of those `names` that choose; changes it and returns it."""
    for name, predictor in program.named_predictors():
        if name in names and isinstance(predictor, NearestPredict):
            plain = dspy.Predict(predictor.signature)
            plain.config, plain.lm, plain.demos = predictor.config, predictor.lm, predictor.demos
            _set_predictor(program, name, plain)
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
        from retrievers.ranking.fused import fused_index

        return fused_index(texts, kin)
    return LexicalIndex(texts, kin)


class _Bank:
    """The demonstrations of one predictor, ready to be searched."""

    def __init__(self, demos: Sequence[Any], nearest: NearestSettings) -> None:
        self._demos = tuple(demos)
        self._nearest = nearest
        self._texts = [same_text(demo[nearest.field]) for demo in self._demos]
        searched = {_key(at): demo for at, demo in enumerate(self._demos) if at >= nearest.fixed}
        # Tasks that were done by the same tools one after another are likely to ask for the same.
        kin = {key: way for key, demo in searched.items() if (way := _way(demo))}
        texts = {key: demo[nearest.field] for key, demo in searched.items()}
        self._index = text_index(texts, nearest.embedding, kin)
        self._searched = [int(key) for key in searched]
        self._ways = [_way(demo) for demo in self._demos] if nearest.by_state else []
        self._sizes = [{"": demo_tokens(demo)} for demo in self._demos] if nearest.tokens else []
        self.choose = lru_cache(maxsize=_QUERIES_REMEMBERED)(self._choose)

    def holds(self, demos: Sequence[Any], nearest: NearestSettings) -> bool:
        """Whether it was made of these very demonstrations, in this order, and with these settings."""
        return (
            len(demos) == len(self._demos) and nearest == self._nearest and all(map(is_, demos, self._demos))
        )

    def _choose(self, query: str, way: str, hidden: frozenset[int]) -> list[Any]:
        own = same_text(query)
        out = hidden | {at for at, text in enumerate(self._texts) if text == own}
        always = [at for at in range(min(self._nearest.fixed, len(self._demos))) if at not in out]
        found = self._search(query, out | self._elsewhere(way, out))
        if self._nearest.tokens:
            sized = ((at, self._sizes[at]) for at in (*always, *found))
            fit = set(fitting(sized, self._nearest.tokens))
            always, found = [at for at in always if at in fit], [at for at in found if at in fit]
        # Nearest last, where models attend to it most.
        return [self._demos[at] for at in (*always, *reversed(found[: self._nearest.count]))]

    def _search(self, query: str, out: frozenset[int]) -> list[int]:
        """The nearest first; where tokens are counted all of them, for some will not fit."""
        count = len(self._searched) if self._nearest.tokens else self._nearest.count
        return [int(hit.key) for hit in self._index.search(query, count, exclude={*map(_key, out)})]

    def _elsewhere(self, way: str, out: frozenset[int]) -> frozenset[int]:
        """What begins elsewhere than after `way`: after other tools or, if nothing is left, another one."""
        if not self._nearest.by_state:
            return frozenset()
        for like in (lambda other: other == way, lambda other: _last(other) == _last(way)):
            alike = {at for at in self._searched if like(self._ways[at])}
            if alike - out:
                return frozenset(self._searched) - alike
        return frozenset()


def _key(position: int) -> str:
    """In the order of the bank, so that ties go to the earlier task."""
    return f"{position:06}"


def _way(fields: Mapping[str, Any]) -> str:
    """The tools called so far, in order, repeats as one; empty if there are no calls."""
    for value in fields.values():
        if isinstance(value, list) and value and all(isinstance(step, dict) for step in value):
            tools = [str(step.get("tool", "")) for step in value if "reply" not in step]
            return " ".join(tool for tool, _ in groupby(tools))
    return ""


def _last(way: str) -> str:
    return way.rpartition(" ")[2]


def _set_predictor(program: dspy.Module, name: str, predictor: dspy.Predict) -> None:
    from dspy.primitives.module import set_attribute_by_name

    set_attribute_by_name(program, name, predictor)
