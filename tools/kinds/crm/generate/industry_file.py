"""The file of an industry: its keys, and the conditions between its parts."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from worksmith.tools.kinds.crm.schema import OBJECTS

ISSUES = ("size", "defect", "guarantee")
"""Keys of the issues whose complaints depend on the goods; the others are the same in every industry."""

CLEARANCE = 9
"""So many price books for sales there are."""

PROBLEMS = 10
"""The fewest sentences for a problem of a product, for each of `ISSUES`."""

_SHARED_KINDS = {"size": {"sorry", "checked"}}
_SHAPE_KINDS = {"purpose", "problem_returns", *(f"problem_{issue}" for issue in ISSUES)}
_DESCRIBED = {"noun", "line", "soft_1", "soft_1_capital", "soft_2", "color", "material", "feature"}
_SLOT = re.compile(r"\{([^{}]*)\}")
_SLOTS = {"product", "city", "place", "first", "day"}

Text = Annotated[str, StringConstraints(min_length=1, max_length=300, pattern=r"^[^\n]+$")]
Word = Annotated[str, StringConstraints(pattern=r"^[A-Z][a-z]+$")]
Key = Annotated[str, StringConstraints(pattern=r"^[a-z]+$")]
Color = Annotated[str, StringConstraints(pattern=r"^[a-z]+(?: [a-z]+)*$")]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z'-]*(?: [A-Z][A-Za-z'-]*)*$", max_length=40)]
"""Capitalised words, so that sentences can be read back."""
Plain = Annotated[str, StringConstraints(pattern=r"^[^.!?{}\n]+$", max_length=120)]
"""A part of a sentence, without full stops and slots."""
Several = Annotated[list[Text], Field(min_length=2)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Goods(_Part):
    """The goods in the article about an issue: title, proof that the customer sends, topic."""

    about: Plain
    step: Plain
    topic: Plain


class GoodsByIssue(_Part):
    returns: Goods
    size: Goods


class Category(_Part):
    """A category of products.

    Attributes:
        called: in articles, in small letters and the plural: `running shoes`.
        shape: what sentences about its products may speak of; `shapes` of kinds that differ.
        family: a value of the field `Family` of products.
        price: lowest and highest, in dollars.
        materials: of its products, those of the industry by default; `made_of` of kinds that differ.
        also: other categories that some of its products are in as well.
        kinds: name, two ways to speak of it without the name, and its purpose.
    """

    name: Plain
    called: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z -]*$")]
    shape: Key
    shapes: dict[Name, Key] = {}
    family: str
    price: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(le=100_000)]]
    materials: list[Plain] = []
    made_of: dict[Name, Annotated[list[Plain], Field(min_length=1)]] = {}
    also: Annotated[list[Plain], Field(min_length=1)]
    kinds: Annotated[list[tuple[Name, Plain, Plain, Plain]], Field(min_length=2)]

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        family = OBJECTS["Product2"].field("Family")
        if family and self.family not in family.values:
            raise ValueError(f"family of {self.name} is one of {', '.join(family.values)}")
        if self.price[0] > self.price[1]:
            raise ValueError(f"the price of {self.name} starts above its end")
        kinds = {kind[0] for kind in self.kinds}
        for what, named in (("shapes", self.shapes), ("made_of", self.made_of)):
            if unknown := named.keys() - kinds:
                raise ValueError(
                    f"{what} of {self.name} names {', '.join(sorted(unknown))}, which is no kind"
                )
        return self

    def materials_of(self, kind: str) -> list[str]:
        """What products of a kind may be made of; empty if anything of the industry."""
        return self.made_of.get(kind, self.materials)


class Topic(_Part):
    """Articles on a topic: one for each category, with `{category}` in title and summary."""

    title: Text
    summary: Text

    @model_validator(mode="after")
    def _names_the_category(self) -> Self:
        if any(set(_SLOT.findall(text)) != {"category"} for text in (self.title, self.summary)):
            raise ValueError("title and summary have the slot {category} and no other")
        return self


class AdviceFact(_Part):
    """Something that the articles of a topic state, another value for each category.

    Attributes:
        of: the topic.
        states: sentences of articles, with the value in a slot named as the fact, and perhaps `{category}`.
        cues: how words begin by which a question is known to ask for it.
        search: what to search for, besides the category.
        ask: questions with the category as `{about}`.
        tell: the question as a part of a sentence.
        says: the answer in a sentence, with `{value}`.
    """

    of: Key
    values: Annotated[list[Plain], Field(min_length=3)]
    states: Several
    cues: Annotated[list[Plain], Field(min_length=1)]
    search: Plain
    ask: Several
    tell: Plain
    says: Text

    @property
    def cue(self) -> str:
        """The cues as a regular expression."""
        return rf"\b(?:{'|'.join(map(re.escape, self.cues))})"

    def asked_by(self, text: str) -> bool:
        """Whether a question asks for it."""
        return re.search(self.cue, text, re.IGNORECASE) is not None


class Advice(_Part):
    """Articles with advice. `unknown`: categories that no article is about, for questions without answer."""

    hello: Several
    bye: Several
    unknown: Annotated[list[Plain], Field(min_length=2)]
    topics: Annotated[dict[Key, Topic], Field(min_length=1)]
    facts: Annotated[dict[Key, AdviceFact], Field(min_length=3)]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for topic in self.topics:
            if sum(fact.of == topic for fact in self.facts.values()) < 2:
                raise ValueError(f"topic {topic} has fewer than two facts")
        for key, fact in self.facts.items():
            if fact.of not in self.topics:
                raise ValueError(f"fact {key} is of {fact.of}, which is no topic")
            _slots(fact.states, f"states of {key}", {key}, {"category"})
            _slots(fact.ask, f"ask of {key}", {"about"})
            _slots([fact.says], f"says of {key}", {"value"})
            for text in (*fact.ask, fact.tell):
                asked = [each for each, other in self.facts.items() if other.asked_by(text)]
                if asked != [key]:
                    said = " and ".join(asked) or "nothing"
                    raise ValueError(f"{text!r} asks for {said}, not {key}: see cues")
        return self


class Aside(_Part):
    """A question that has nothing to do with the case, and its answer; any answer fits any wording."""

    ask: Several
    answer: Several


class IndustryFile(_Part):
    """An industry, as its file has it; `docs/how-to/industries.md` explains the keys."""

    company: Word
    agents_at: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)+$")]
    code: Annotated[str, StringConstraints(pattern=r"^[A-Z]{2,4}$")]
    clearance: Annotated[list[Text], Field(min_length=CLEARANCE, max_length=CLEARANCE)]
    lines: str
    colors: Annotated[list[Color], Field(min_length=2)]
    materials: Annotated[list[Plain], Field(min_length=2)]
    description: Several
    issues: GoodsByIssue
    categories: Annotated[list[Category], Field(min_length=4, max_length=20)]
    recalled: dict[Name, Annotated[list[tuple[Plain, Plain]], Field(min_length=1)]]
    synonyms: dict[Key, list[Key]] = {}
    advice: Advice
    alias: dict[str, list[Plain]] = {}
    asides: tuple[Aside, Aside]
    say: dict[Literal["problem_size", "problem_defect", "problem_guarantee"], list[Text]]
    only: dict[str, dict[str, Annotated[list[Text], Field(min_length=1)]]]

    @property
    def shapes(self) -> dict[str, str]:
        """The shape of each kind of product."""
        return {
            kind: category.shapes.get(kind, category.shape)
            for category in self.categories
            for kind, *_ in category.kinds
        }

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        self._check_products()
        self._check_sentences()
        return self

    def _check_products(self) -> None:
        if bad := [line for line in self.lines.split() if not re.fullmatch(r"[A-Z][a-z]+", line)]:
            raise ValueError(f"lines: {bad[0]!r} is not one capitalised word")
        if len(set(self.lines.split())) < 20:
            raise ValueError("lines: at least 20 different ones are needed")
        names = [category.name for category in self.categories]
        kinds = [kind for category in self.categories for kind, *_ in category.kinds]
        for what, values in (("category", names), ("kind", kinds)):
            if twice := [value for value in values if values.count(value) > 1]:
                raise ValueError(f"two of the name {twice[0]!r}: a {what} has its own")
        for category in self.categories:
            if unknown := set(category.also) - set(names):
                raise ValueError(f"also of {category.name} names {unknown.pop()!r}, which is no category")
        if self.recalled.keys() != set(kinds):
            wrong = sorted(self.recalled.keys() ^ set(kinds))[0]
            raise ValueError(f"recalled has each kind once, and no other: see {wrong!r}")
        for form in self.description:
            _slots([form], "description", set(), _DESCRIBED)
            shown = set(_SLOT.findall(form))
            if not ({"soft_1", "soft_1_capital"} & shown and {"soft_2", "color"} <= shown):
                raise ValueError(f"description: {form!r} lacks soft_1, soft_2 or color: searches go by them")

    def _check_sentences(self) -> None:
        known = set(self.shapes.values())
        for subject, kinds in self.only.items():
            allowed = _SHARED_KINDS.get(subject, _SHAPE_KINDS)
            shapes = subject.split()
            if subject not in _SHARED_KINDS and not (shapes and set(shapes) <= known):
                raise ValueError(f"only: {subject!r} names other than the shapes {', '.join(sorted(known))}")
            if wrong := kinds.keys() - allowed:
                raise ValueError(f"only.{subject}: {wrong.pop()!r} is none of {', '.join(sorted(allowed))}")
            for kind, sentences in kinds.items():
                _slots(sentences, f"only.{subject}.{kind}", _needed(kind), _SLOTS)
        for kind, sentences in self.say.items():
            _slots(sentences, f"say.{kind}", _needed(kind), _SLOTS)
        for shape in sorted(known):
            for kind in ("purpose", *(f"problem_{issue}" for issue in ISSUES)):
                count = len(self.sentences(kind, shape))
                least = 1 if kind == "purpose" else PROBLEMS
                if count < least:
                    raise ValueError(f"{kind} of shape {shape}: {count} sentences, {least} are needed")

    def sentences(self, kind: str, shape: str) -> list[str]:
        """The sentences of a kind that may stand for products of a shape."""
        found = list(dict(self.say).get(kind, []))  # type: ignore[call-overload]
        for subject, kinds in self.only.items():
            if shape in subject.split():
                found += kinds.get(kind, [])
        return found


def _needed(kind: str) -> set[str]:
    return {"product"} if kind.startswith("problem_") else set()


def _slots(texts: list[str], where: str, needed: set[str], allowed: AbstractSet[str] = frozenset()) -> None:
    """Check that texts have the slots that they need, and no others than allowed.

    Raises:
        ValueError: one has not.
    """
    for text in texts:
        found = set(_SLOT.findall(text))
        if missing := needed - found:
            raise ValueError(f"{where}: {text!r} lacks {{{missing.pop()}}}")
        if unknown := found - needed - allowed:
            raise ValueError(f"{where}: {text!r} has {{{unknown.pop()}}}, which nothing fills")
