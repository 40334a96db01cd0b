"""Nearest demonstrations: a predictor that shows each query those most like it."""

from __future__ import annotations

import threading
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from itertools import groupby
from operator import is_
from typing import Annotated, Any, Final, Literal, NamedTuple, Self, get_args
from weakref import WeakValueDictionary

import dspy
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from worksmith.evals.dspy_programs.demo_format import public_form
from worksmith.evals.dspy_programs.demo_tokens import demo_tokens, fitting
from worksmith.evals.dspy_programs.field_texts import text_of, texts_of
from worksmith.evals.tasks.task import same_text
from worksmith.retrievers.extras import check_vectors
from worksmith.retrievers.ranking.hits import TextIndex
from worksmith.retrievers.ranking.lexical import LexicalIndex
from worksmith.tools.errors import InputError, unknown

Embedding = Literal["lexical", "minilm"]
"""A way to compare texts."""

EMBEDDINGS: tuple[Embedding, ...] = get_args(Embedding)

_QUERIES_REMEMBERED = 512
"""An agent asks with the same query in every step; only the first one searches."""


@dataclass(frozen=True, slots=True, config=ConfigDict(extra="forbid"))
class NearestSettings:
    """Settings of the choice of demonstrations.

    Attributes:
        field: the input that is compared; empty for all of them together.
        asker: the input with the persona and the time; empty without one. A demonstration of the same
            text for another one is of another request.
        count: demonstrations for a query, besides the fixed ones.
        embedding: of the texts, see `text_index`.
        fixed: demonstrations at the head of the bank that every query is shown.
        tokens: the most that all demonstrations of a prompt may take, see
            `worksmith.evals.dspy_programs.demo_tokens`; 0 is no limit.
        by_state: only demonstrations that begin after calls of the same tools as the episode's.

    Raises:
        RetrievalError: the embedding needs the extra `vectors`, which is not installed.
    """

    field: str
    count: Annotated[int, Field(ge=0, strict=True)]
    embedding: Embedding = "lexical"
    fixed: Annotated[int, Field(ge=0, strict=True)] = 0
    tokens: Annotated[int, Field(ge=0, strict=True)] = 0
    by_state: bool = False
    asker: str = ""

    def __post_init__(self) -> None:
        if self.embedding == "minilm":
            check_vectors()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, data: Any) -> Self:
        """The settings in JSON-able data.

        Raises:
            InputError: the data are something else.
        """
        try:
            read: Self = TypeAdapter(cls).validate_python(data)
        except ValidationError as error:
            raise InputError("the settings of nearest demonstrations are damaged", hint=str(error)) from error
        return read


_GUARD: Final = "a bank of demonstrations, load it with worksmith.load(FILE, PROGRAM)"
"""A field that no signature has, so that a plain `dspy.Predict` refuses the state and quotes this text.

Else it would take over the bank and show all of it in every prompt.
"""


class NearestPredict(dspy.Predict):  # type: ignore[misc]
    """`dspy.Predict` whose `demos` are a bank: each prompt shows the part nearest to its query.

    The bank is an ordinary list of demos, saved and loaded with the program's state. A call changes nothing
    in the predictor, so threads can share it. Demonstrations of the very query are left out: they would show
    its solution.
    """

    def __init__(self, signature: type[dspy.Signature], nearest: NearestSettings) -> None:
        super().__init__(signature)
        self.nearest = nearest

    def forward(self, **kwargs: Any) -> dspy.Prediction:
        """One call; the caller's `demos` take precedence."""
        return super().forward(**self._with_demos(kwargs))

    async def aforward(self, **kwargs: Any) -> dspy.Prediction:
        return await super().aforward(**self._with_demos(kwargs))

    def nearest_demos(
        self, inputs: Mapping[str, Any], forms: Sequence[Any | None] | None = None
    ) -> list[Any]:
        """The demonstrations for a call with these inputs.

        Args:
            forms: each demonstration as the prompt will show it, None if it must not; a limit of tokens is
                one of these. None to show them unchanged.
        """
        way = _way(inputs) if self.nearest.by_state else ""
        asked = searched_text(inputs, self.nearest.field, self.signature.input_fields)
        asker = str(inputs.get(self.nearest.asker, ""))
        return self._bank().nearest(asked, asker, way, self.demos if forms is None else forms)

    def dump_state(self, json_mode: bool = True) -> dict[str, Any]:
        state = super().dump_state(json_mode=json_mode)
        guarded = {**state.get("fields", {}), _GUARD: {}}
        return {**state, "fields": guarded, "nearest": self.nearest.to_json()}

    def load_state(self, state: dict[str, Any], **options: Any) -> NearestPredict:
        """Take over a saved state.

        Raises:
            InputError: the state has no settings of the choice.
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

    def _bank(self) -> _Bank:
        """The current demos, prepared again if they have changed."""
        known: _Bank | None = self.__dict__.get("_chooser")
        if known is None or not known.holds(self.demos, self.nearest):
            # One assignment: threads that meet here may build it twice, but each sees a whole one.
            fields = self.signature.input_fields
            texts = [searched_text(demo, self.nearest.field, fields) for demo in self.demos]
            self._chooser = known = _Bank(self.demos, self.nearest, texts)
        return known


def show_nearest(program: dspy.Module, nearest: Mapping[str, NearestSettings]) -> dspy.Module:
    """`program` whose predictors named in `nearest` choose; changes it and returns it.

    A predictor stays the object that it is: a program may hold it in several places.

    Raises:
        InputError: a predictor is of another class.
    """
    for name, predictor in program.named_predictors():
        if name in nearest:
            if type(predictor) not in (dspy.Predict, NearestPredict):
                raise InputError(
                    f"the predictor {name} is a {type(predictor).__name__}, and only a dspy.Predict chooses",
                    hint="use bootstrap, which shows every task the same demonstrations",
                )
            predictor.__class__, predictor.nearest = NearestPredict, nearest[name]
    return program


def show_all(program: dspy.Module, names: Collection[str]) -> dspy.Module:
    """`program` whose predictors named in `names` show all of their demos; changes it and returns it."""
    for name, predictor in program.named_predictors():
        if name in names and isinstance(predictor, NearestPredict):
            predictor.__class__ = dspy.Predict
            for own in ("nearest", "_chooser"):
                predictor.__dict__.pop(own, None)
    return program


def searched_text(fields: Mapping[str, Any], field: str, inputs: Iterable[str]) -> str:
    """The text by which a call and a demonstration are compared.

    Args:
        field: one of the inputs, see `NearestSettings.field`.
    """
    if field:
        return text_of(fields.get(field, ""))
    return texts_of({name: fields[name] for name in inputs if fields.get(name) is not None})


def text_index(texts: Mapping[str, str], embedding: str, kin: Mapping[str, str]) -> TextIndex:
    """The index over `texts`: `lexical`, or `minilm` fused with it. Equal texts and kin share one.

    Args:
        kin: for some keys, a mark that texts of the same meaning share.

    Raises:
        InputError: for another name.
    """
    if embedding not in EMBEDDINGS:
        raise unknown("no embedding", embedding, EMBEDDINGS)
    key = (embedding, tuple(texts.items()), tuple(kin.items()))
    with _MAKING:
        index = _INDEXES.get(key)
        if index is None:
            index = _INDEXES[key] = _made(texts, embedding, kin)
        return index


_INDEXES: WeakValueDictionary[Hashable, TextIndex] = WeakValueDictionary()
_MAKING = threading.Lock()
"""Copies of a program ask for the same index in many threads at once, and a large one takes 30 MB."""


def _made(texts: Mapping[str, str], embedding: str, kin: Mapping[str, str]) -> TextIndex:
    if embedding == "minilm":
        from worksmith.retrievers.ranking.fused import fused_index

        return fused_index(texts, kin)
    return LexicalIndex(texts, kin)


class _Mark(NamedTuple):
    """The part of a demonstration, in the form of a prompt, that the choice compares."""

    tokens: int
    way: str


class _Bank:
    """The demonstrations of one predictor, ready to be searched."""

    def __init__(self, demos: Sequence[Any], nearest: NearestSettings, texts: Sequence[str]) -> None:
        self._demos = tuple(demos)
        self._nearest = nearest
        self._texts = [same_text(text) for text in texts]
        searched = {_key(at): demo for at, demo in enumerate(self._demos) if at >= nearest.fixed}
        # Tasks that were done by the same tools one after another are likely to ask for the same.
        ways = {key: _way(public_form(demo)) for key, demo in searched.items()}
        kin = {key: way for key, way in ways.items() if way}
        compared = {key: texts[int(key)] for key in searched}
        self._index = text_index(compared, nearest.embedding, kin)
        self._searched = [int(key) for key in searched]
        self._marks: dict[int, tuple[Any, _Mark]] = {}
        self._remembered = lru_cache(maxsize=_QUERIES_REMEMBERED)(self._choose)

    def holds(self, demos: Sequence[Any], nearest: NearestSettings) -> bool:
        """Whether it was made of these very demonstrations and settings."""
        return (
            len(demos) == len(self._demos) and nearest == self._nearest and all(map(is_, demos, self._demos))
        )

    def nearest(self, query: str, asker: str, way: str, forms: Sequence[Any | None]) -> list[Any]:
        own = same_text(query)
        out = frozenset(
            at
            for at, form in enumerate(forms)
            if form is None or (self._texts[at] == own and self._is_of(asker, form))
        )
        marked = self._nearest.tokens or self._nearest.by_state
        marks = tuple(map(self._mark, forms)) if marked else ()
        return list(self._remembered(query, way, out, marks))

    def _is_of(self, asker: str, form: Any) -> bool:
        """Whether a demonstration is the asker's, by its prompt; a made-up copy is no persona's."""
        # A demonstration may lack the later, longer part of the asker's description.
        return asker.startswith(str(form.get(self._nearest.asker, "")))

    def _mark(self, form: Any | None) -> _Mark:
        if form is None:
            return _Mark(0, "")
        known = self._marks.get(id(form))
        if known is None or known[0] is not form:
            self._marks[id(form)] = known = form, _Mark(demo_tokens(form), _way(form))
        return known[1]

    def _choose(self, query: str, way: str, out: frozenset[int], marks: tuple[_Mark, ...]) -> list[Any]:
        always = [at for at in range(min(self._nearest.fixed, len(self._demos))) if at not in out]
        found = self._search(query, out | self._elsewhere(way, out, marks))
        if self._nearest.tokens:
            sized = ((at, {"": marks[at].tokens}) for at in (*always, *found))
            fit = set(fitting(sized, self._nearest.tokens))
            always, found = [at for at in always if at in fit], [at for at in found if at in fit]
        # Nearest last, where models attend to it most.
        return [self._demos[at] for at in (*always, *reversed(found[: self._nearest.count]))]

    def _search(self, query: str, out: frozenset[int]) -> list[int]:
        """The nearest first; with a token limit all of them, since some will not fit."""
        count = len(self._searched) if self._nearest.tokens else self._nearest.count
        return [int(hit.key) for hit in self._index.search(query, count, exclude={*map(_key, out)})]

    def _elsewhere(self, way: str, out: frozenset[int], marks: tuple[_Mark, ...]) -> frozenset[int]:
        """Demonstrations that begin after other tools than `way`; if all do, after another last tool."""
        if not self._nearest.by_state:
            return frozenset()
        for like in (lambda other: other == way, lambda other: _last(other) == _last(way)):
            alike = {at for at in self._searched if like(marks[at].way)}
            if alike - out:
                return frozenset(self._searched) - alike
        return frozenset()


def _key(position: int) -> str:
    """In the order of the bank, so that ties go to the earlier task."""
    return f"{position:06}"


def _way(fields: Mapping[str, Any]) -> str:
    """The tools called so far, in order, repeats as one; empty without calls."""
    for value in fields.values():
        if isinstance(value, list) and value and all(isinstance(step, dict) for step in value):
            tools = [str(step.get("tool", "")) for step in value if "reply" not in step]
            return " ".join(tool for tool, _ in groupby(tools))
    return ""


def _last(way: str) -> str:
    return way.rpartition(" ")[2]
