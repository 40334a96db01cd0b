"""The files of an industry: their keys, and the conditions between them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

FEATURES = 4
"""So many sentences about its kind the description of a product has."""

_LONGEST_WAIT = 75
"""The most days after the purchase on which a customer may write about it."""

_ORDINARY = frozenset({"replacement", "refund", "troubleshooting", "advice"})
_SLOT = re.compile(r"\{([^{}]*)\}")
_PERSONAL = frozenset({"I", "me", "my", "we", "us", "our"})


def _slots(*known: str) -> AfterValidator:
    """Sees that a text has no slots but some."""

    def check(text: str) -> str:
        used = set(_SLOT.findall(text))
        if strange := sorted(used - set(known)):
            raise ValueError(f"{{{strange[0]}}} is no slot here, in {text!r}")
        if re.search(r"[{}]", _SLOT.sub("", text)):
            raise ValueError(f"a brace without its other half, in {text!r}")
        return text

    return AfterValidator(check)


Name = Annotated[str, StringConstraints(pattern=r"^[^\n{}|,.?!]+$", max_length=60)]
Line = Annotated[str, StringConstraints(min_length=1, max_length=400, pattern=r"^[^\n]+$")]
Plain = Annotated[str, StringConstraints(pattern=r"^[^\n{}.?!]+$", max_length=200)]
"""A part of a sentence."""
Sentence = Annotated[str, StringConstraints(pattern=r"^[^\n]+[.?!]$", max_length=400)]
"""A sentence or two."""
Said = Annotated[Sentence, _slots()]
Told = Annotated[Sentence, _slots("few", "number", "large", "share", "weekday", "city", "month", "unit")]
"""What stands in posts, mails, chats of colleagues, and in what is written of partners."""
Scene = Annotated[Sentence, _slots("few", "few_cap", "weekday", "month", "region")]
InChat = Annotated[
    Sentence, _slots("few", "few_cap", "several", "large", "weekday", "span", "region", "kind", "brand")
]
Form = Annotated[Line, _slots("word", "surname")]
Pair = Annotated[list[InChat], Field(min_length=2)]
Months = Annotated[str, StringConstraints(pattern=r"^[1-9]\d?$")]
Colour = Literal[
    "black", "white", "teal", "maroon", "slate grey", "olive", "navy blue", "cream", "copper", "charcoal"
]  # fmt: skip
"""Those of `texts/products.toml`, so that descriptions can be read back."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Kind(_Part):
    """A kind of product.

    Attributes:
        short: what a customer calls it.
        prices: lowest and highest, in rupees.
        colours: those that it comes in, any by default; `warranties` in months, the same.
    """

    name: Name
    short: Name
    category: Annotated[str, StringConstraints(pattern=r"^[^|\n]+(\|[^|\n]+)+$")]
    prices: tuple[Annotated[int, Field(ge=49)], Annotated[int, Field(le=10_000_000)]]
    parts: Annotated[list[Name], Field(min_length=2)]
    specs: Annotated[list[Annotated[Line, _slots()]], Field(min_length=1)]
    colours: list[Colour] = []
    warranties: list[Months] = []
    use: Plain


class Catalogue(_Part):
    """The goods: a product is a brand, a series, a kind and one of its specs."""

    brands: Annotated[list[Name], Field(min_length=5)]
    series: Annotated[list[Name], Field(min_length=20)]
    origins: Annotated[list[Name], Field(min_length=2)]
    warranties: Annotated[list[Months], Field(min_length=2)]
    kinds: Annotated[list[Kind], Field(min_length=10)]


class SaidOfPart(_Part):
    """What is said of a part of a product, after "the <part>"; `good` and one of `bad` in no person."""

    good: Annotated[list[Plain], Field(min_length=1)]
    meh: Annotated[list[Plain], Field(min_length=1)]
    mild: Annotated[list[Plain], Field(min_length=1)]
    bad: Annotated[list[Plain], Field(min_length=1)]


class Problem(_Part):
    """See `business.product_problems`."""

    kinds: Annotated[list[Name], Field(min_length=1)]
    part: Name
    fits: Annotated[
        list[Literal["replacement", "refund", "troubleshooting", "advice", "escalation", "unresolved"]],
        Field(min_length=1),
    ]
    says: Pair
    when: Annotated[list[InChat], Field(min_length=1)]
    ask: Annotated[list[Pair], Field(min_length=2)]
    steps: Annotated[list[Pair], Field(min_length=1)]
    why: Annotated[list[InChat], Field(min_length=1)]
    no: InChat | None = None
    days: tuple[int, int] = (0, 999)


class Launch(_Part):
    """How a kind of product was tested, what it is like at home, what businesses ask about it."""

    tested: Annotated[list[Told], Field(min_length=2)]
    home: Annotated[list[Told], Field(min_length=2)]
    asks: Annotated[list[Told], Field(min_length=1)]


class ClientIndustry(_Part):
    """Businesses that use products: `uses` says by kind what for."""

    types: Annotated[list[Line], Field(min_length=1)]
    forms: Annotated[list[Form], Field(min_length=1)]
    scene: Annotated[list[Told], Field(min_length=1)]
    uses: Annotated[dict[Name, Annotated[list[Plain], Field(min_length=1)]], Field(min_length=1)]


class VendorIndustry(_Part):
    """Businesses that supply: `supplies` says by supply what worries there are, `days` the lead times."""

    types: Annotated[list[Line], Field(min_length=1)]
    forms: Annotated[list[Form], Field(min_length=1)]
    scene: Annotated[list[Told], Field(min_length=2)]
    concerns: Annotated[list[Plain], Field(min_length=1)]
    days: tuple[Annotated[int, Field(ge=1)], int]
    supplies: Annotated[dict[Plain, Annotated[list[Plain], Field(min_length=1)]], Field(min_length=1)]


class Aside(_Part):
    """What a private customer adds in passing; `months` are numbers, none for the whole year."""

    kinds: Annotated[list[Name], Field(min_length=1)]
    months: list[Annotated[int, Field(ge=1, le=12)]] = []
    say: Annotated[list[Said], Field(min_length=1)]


class Asides(_Part):
    asides: list[Aside]


class Topic(_Part):
    """See `topics.Bank`."""

    things: Annotated[list[Plain], Field(min_length=8)]
    done: Annotated[list[Told], Field(min_length=6)]
    trouble: Annotated[list[Told], Field(min_length=6)]
    next: Annotated[list[Told], Field(min_length=5)]
    gain: Annotated[list[Told], Field(min_length=4)]


class Instead(_Part):
    """What a topic of the default says otherwise, by its own sentence or thing."""

    instead: dict[str, Told | Plain]


Feature = Annotated[Sentence, _slots("series")]

MODELS: dict[str, Any] = {
    "catalogue": Catalogue,
    "features": dict[Name, Annotated[list[Feature], Field(min_length=FEATURES)]],
    "problems": dict[Name, Problem],
    "reviews": dict[Name, dict[Name, SaidOfPart | list[Scene]]],
    "launches": dict[Name, Launch],
    "clients": dict[Name, ClientIndustry],
    "vendors": dict[Name, VendorIndustry],
    "asides": Asides,
    "topics": dict[str, dict[str, dict[str, Topic | Instead]]],
}
"""By part of an industry the form of its data."""


def misfits(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Parts of an industry that do not fit each other: the part, and its fault."""
    kinds = {kind["name"]: kind for kind in data["catalogue"]["kinds"]}
    yield from _of_catalogue(data["catalogue"]["kinds"])
    for part in ("features", "reviews", "launches"):
        if wrong := sorted(data[part].keys() ^ kinds.keys()):
            yield part, f"each kind of the catalogue is there once, and no other: see {wrong[0]!r}"
    if data["reviews"].keys() == kinds.keys():
        yield from _of_reviews(data["reviews"], kinds)
    yield from _of_problems(data["problems"], kinds)
    for part, named in (
        ("clients", [kind for client in data["clients"].values() for kind in client["uses"]]),
        ("asides", [kind for aside in data["asides"]["asides"] for kind in aside["kinds"]]),
    ):
        if unknown := sorted(set(named) - kinds.keys()):
            yield part, f"{unknown[0]!r} is no kind of the catalogue"
    yield from _of_vendors(data["vendors"])
    names = Counter(topic for code in data["topics"].values() for domain in code.values() for topic in domain)
    yield from (
        ("topics", f"two domains have the topic {name!r}") for name, times in names.items() if times > 1
    )


def _of_catalogue(kinds: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for key in ("name", "category"):
        for value, times in Counter(kind[key] for kind in kinds).items():
            if times > 1:
                yield "catalogue", f"{times} kinds have the {key} {value!r}"
    for kind in kinds:
        if kind["prices"][0] >= kind["prices"][1]:
            yield "catalogue", f"the prices of the {kind['name']} begin above their end"


def _of_reviews(reviews: dict[str, Any], kinds: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, entry in reviews.items():
        scenes, parts = {"scenes", "later"}, set(kinds[name]["parts"])
        if not scenes <= entry.keys() or not entry["scenes"]:
            yield "reviews", f"{name!r} needs the lists scenes, not empty, and later"
        if wrong := sorted((entry.keys() - scenes) ^ parts):
            yield "reviews", f"{name!r} needs each of its parts and no other: see {wrong[0]!r}"
            continue
        if any(not isinstance(entry[key], list) for key in scenes & entry.keys()):
            yield "reviews", f"scenes and later of {name!r} are lists"
        for part in sorted(parts):
            if not isinstance(entry[part], dict):
                yield "reviews", f"{name!r} needs good, meh, mild and bad for its {part}"
                continue
            if all(_PERSONAL & set(said.split()) for said in entry[part]["bad"]):
                yield "reviews", f"{name!r}: of what is bad about the {part}, one is said in no person"
            for said in entry[part]["good"]:
                if _PERSONAL & set(said.split()):
                    yield "reviews", f"{name!r}: descriptions say {said!r} as well, so in no person"


def _of_problems(problems: dict[str, Any], kinds: dict[str, Any]) -> Iterator[tuple[str, str]]:
    said = Counter(line for problem in problems.values() for line in problem["says"])
    yield from (("problems", f"two problems say {line!r}") for line, times in said.items() if times > 1)
    for key, problem in problems.items():
        for kind in problem["kinds"]:
            if kind not in kinds:
                yield "problems", f"{key}: {kind!r} is no kind of the catalogue"
            elif problem["part"] not in kinds[kind]["parts"]:
                yield "problems", f"{key}: the {kind} has no {problem['part']}"
        yield from (("problems", f"{key}: {wrong}") for wrong in _of_problem(problem))
    for name in kinds:
        own = [one for one in problems.values() if name in one["kinds"]]
        broken = [one for one in own if one["fits"] != ["advice"]]
        if all("{" in line for one in broken for line in one["says"]):
            yield "problems", f"no complaint about the {name} is without slots"
        usual = [one.get("days", (0, _LONGEST_WAIT)) for one in own if _ORDINARY & set(one["fits"])]
        for wait in range(2, _LONGEST_WAIT + 1):
            if not any(first <= wait <= last for first, last in usual):
                outcomes = ", ".join(sorted(_ORDINARY))
                yield "problems", f"{wait} days on, no problem of the {name} may end in one of {outcomes}"
                break


def _of_problem(problem: dict[str, Any]) -> Iterator[str]:
    advice = problem["fits"] == ["advice"]
    if "advice" in problem["fits"] and not advice:
        yield "`advice` stands alone in `fits`"
    if ("unresolved" in problem["fits"]) != ("no" in problem):
        yield "`no` belongs to `unresolved`"
    if {len(step) for step in problem["steps"]} != ({2} if advice else {3}):
        yield "steps are a deed, its success and its failure; for advice a tip and a reaction"


def _of_vendors(vendors: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, vendor in vendors.items():
        if vendor["days"][0] > vendor["days"][1]:
            yield "vendors", f"the lead times of {name} begin above their end"
