"""The files of an industry: their keys, and what has to hold between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Text = Annotated[str, StringConstraints(min_length=1, max_length=400, pattern=r"^[^\n]+$")]
Name = Annotated[str, StringConstraints(pattern=r"^[^\n{}|,]+$", max_length=60)]
Texts = Annotated[list[Text], Field(min_length=1)]
Pair = Annotated[list[Text], Field(min_length=2)]

FEATURES = 4
"""So many sentences about its kind the description of a product has."""

_ORDINARY = ("replacement", "refund", "troubleshooting", "advice")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Kind(_Part):
    """A kind of product. `short`: what a customer calls it; `prices`: lowest and highest, in rupees."""

    name: Name
    short: Name
    category: Annotated[str, StringConstraints(pattern=r"^[^|\n]+(\|[^|\n]+)+$")]
    prices: tuple[Annotated[int, Field(ge=49)], Annotated[int, Field(le=10_000_000)]]
    parts: Annotated[list[Name], Field(min_length=2)]
    specs: Annotated[list[Name], Field(min_length=1)]
    use: Text


class Catalogue(_Part):
    """What is sold: a product is a brand, a series, a kind and one of its specs."""

    brands: Annotated[list[Name], Field(min_length=5)]
    series: Annotated[list[Name], Field(min_length=20)]
    origins: Annotated[list[Name], Field(min_length=2)]
    warranties: Annotated[list[Annotated[str, StringConstraints(pattern=r"^[1-9]\d?$")]], Field(min_length=2)]
    kinds: Annotated[list[Kind], Field(min_length=10)]


class Said(_Part):
    """What is said of a part of a product, after "the <part>"."""

    good: Texts
    meh: Texts
    mild: Texts
    bad: Texts


class Problem(_Part):
    """See `business.product_problems`."""

    kinds: Annotated[list[Name], Field(min_length=1)]
    part: Name
    fits: Annotated[
        list[Literal["replacement", "refund", "troubleshooting", "advice", "escalation", "unresolved"]],
        Field(min_length=1),
    ]
    says: Pair
    when: Texts
    ask: Annotated[list[Pair], Field(min_length=2)]
    steps: Annotated[list[Pair], Field(min_length=1)]
    why: Texts
    no: Text | None = None
    days: tuple[int, int] | None = None


class Launch(_Part):
    """How a kind of product was tested, what it is like at home, what businesses ask about it."""

    tested: Pair
    home: Pair
    asks: Texts


class ClientIndustry(_Part):
    """Businesses that use products: `uses` says by kind what for."""

    types: Texts
    forms: Texts
    scene: Texts
    uses: Annotated[dict[Name, Texts], Field(min_length=1)]


class VendorIndustry(_Part):
    """Businesses that supply: `supplies` says by supply what worries there are, `days` the lead times."""

    types: Texts
    forms: Texts
    scene: Pair
    concerns: Texts
    days: tuple[Annotated[int, Field(ge=1)], int]
    supplies: Annotated[dict[Text, Texts], Field(min_length=1)]


class Topic(_Part):
    """See `topics.Bank`."""

    things: Annotated[list[Text], Field(min_length=8)]
    done: Annotated[list[Text], Field(min_length=6)]
    trouble: Annotated[list[Text], Field(min_length=6)]
    next: Annotated[list[Text], Field(min_length=5)]
    gain: Annotated[list[Text], Field(min_length=4)]


MODELS: dict[str, Any] = {
    "catalogue": Catalogue,
    "features": dict[Name, Annotated[list[Text], Field(min_length=FEATURES)]],
    "problems": dict[Name, Problem],
    "reviews": dict[Name, dict[Name, Said | list[Text]]],
    "launches": dict[Name, Launch],
    "clients": dict[Name, ClientIndustry],
    "vendors": dict[Name, VendorIndustry],
    "topics": dict[str, dict[Name, dict[Name, Topic]]],
}
"""By part of an industry the form of its data."""


def misfits(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Parts of an industry that do not fit its catalogue: the part, and what is wrong with it."""
    kinds = {kind["name"]: kind for kind in data["catalogue"]["kinds"]}
    if len(kinds) < len(data["catalogue"]["kinds"]):
        yield "catalogue", "two kinds have the same name"
    for kind in kinds.values():
        if kind["prices"][0] >= kind["prices"][1]:
            yield "catalogue", f"the prices of the {kind['name']} begin above their end"
    for part in ("features", "reviews", "launches"):
        if data[part].keys() != kinds.keys():
            wrong = sorted(data[part].keys() ^ kinds.keys())[0]
            yield part, f"each kind of the catalogue is there once, and no other: see {wrong!r}"
    yield from _of_reviews(data["reviews"], kinds)
    yield from _of_problems(data["problems"], kinds)
    used = {kind for client in data["clients"].values() for kind in client["uses"]}
    if unknown := sorted(used - kinds.keys()):
        yield "clients", f"{unknown[0]!r} is no kind of the catalogue"


def _of_reviews(reviews: dict[str, Any], kinds: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, entry in reviews.items():
        scenes = {"scenes", "later"}
        if not scenes <= entry.keys() or any(not isinstance(entry[one], list) for one in scenes):
            yield "reviews", f"{name!r} needs the lists scenes and later"
        wanted = set(kinds[name]["parts"]) if name in kinds else set()
        if wrong := sorted((entry.keys() - scenes) ^ wanted):
            yield "reviews", f"{name!r} needs each of its parts and no other: see {wrong[0]!r}"


def _of_problems(problems: dict[str, Any], kinds: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, problem in problems.items():
        for kind in problem["kinds"]:
            if kind not in kinds:
                yield "problems", f"{key}: {kind!r} is no kind of the catalogue"
            elif problem["part"] not in kinds[kind]["parts"]:
                yield "problems", f"{key}: the {kind} has no {problem['part']}"
        if ("unresolved" in problem["fits"]) != ("no" in problem):
            yield "problems", f"{key}: `no` belongs to `unresolved`"
        lengths = {len(step) for step in problem["steps"]}
        if lengths != ({2} if problem["fits"] == ["advice"] else {3}):
            yield (
                "problems",
                f"{key}: steps are a deed, its success and its failure; for advice a tip and a reaction",
            )
    for name in kinds:
        known = {fit for one in problems.values() if name in one["kinds"] for fit in one["fits"]}
        if not known & set(_ORDINARY):
            yield "problems", f"there is none of the {name} that may end in one of {', '.join(_ORDINARY)}"
