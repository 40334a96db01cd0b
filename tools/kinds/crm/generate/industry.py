"""Industries: the goods of a generated company, and its customers' words for them.

The rest is in `texts/`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from worksmith.tools.errors import InputError
from worksmith.tools.files.data_files import read_text
from worksmith.tools.files.json_files import read_file, validated
from worksmith.tools.kinds.crm.generate.industry_file import IndustryFile
from worksmith.tools.kinds.crm.generate.wording import Grammar, Said, cities, texts
from worksmith.tools.seeding import digest

DEFAULT_INDUSTRY = "shoes"

_FOLDER = "industries"
_OWN_ASIDES = (5, 9)
"""Numbers of the asides that an industry has; the other ones are shared."""
_WHAT = "an industry"
_HINT = "see docs/how-to/industries.md"


@dataclass(frozen=True, eq=False)
class Industry:
    """An industry, with the sentences that are made of it and of the shared texts.

    Attributes:
        name: of the packaged one, or of the file without its ending.
    """

    name: str
    data: IndustryFile

    @cached_property
    def label(self) -> str:
        """Name and digest of the contents, for manifests; empty for the default."""
        return "" if self is packaged(DEFAULT_INDUSTRY) else f"{self.name} {self.digest}"

    @cached_property
    def digest(self) -> str:
        return digest(self.data.model_dump(mode="json"))

    @cached_property
    def shapes(self) -> dict[str, str]:
        """The shape of each kind of product."""
        return self.data.shapes

    def shape_of(self, product: str) -> str:
        """The shape of the product with this name, which is a line, a kind and perhaps a number."""
        kind = product.partition(" ")[2].rstrip(" 0123456789")
        return self.shapes[kind]

    @cached_property
    def policies(self) -> list[dict[str, Any]]:
        """The entries of `policies.toml`, each with title and step."""
        return [{**entry, **self._of_goods(entry)} for entry in texts("policies")["policies"]]

    def _of_goods(self, entry: dict[str, Any]) -> dict[str, str]:
        goods = getattr(self.data.issues, entry["key"], None)
        return {"title": entry["title"].format(about=goods.about), "step": goods.step} if goods else {}

    @cached_property
    def topics(self) -> dict[str, str]:
        """The subject of the article about each issue."""
        shared: dict[str, str] = texts("policies")["topics"]
        of_goods = self.data.issues
        return shared | {"returns": of_goods.returns.topic, "size": of_goods.size.topic}

    @cached_property
    def called(self) -> list[str]:
        """How articles speak of the categories."""
        return [category.called for category in self.data.categories]

    @cached_property
    def conversations(self) -> Grammar:
        """The sentences of customers and agents."""
        places = cities()
        pools = {
            "step": [policy["step"] for policy in self.policies],
            "remedy": list(texts("policies")["names"].values()),
            "city": places,
            "place": places,
        }
        merged: dict[str, Any] = {"say": {}, "only": {}}
        for data in (texts("conversations"), texts("asides"), texts("problems"), self._own_sentences()):
            merged = {**data, **merged}
            merged["say"] |= data["say"]
            for subject, kinds in data.get("only", {}).items():
                merged["only"].setdefault(subject, {}).update(kinds)
        for kind in ("dear_team", "team"):
            said = merged["say"][kind]
            merged["say"][kind] = [text.replace("{company}", self.data.company) for text in said]
        return Grammar(merged, pools)

    def _own_sentences(self) -> dict[str, Any]:
        asides: dict[str, list[str]] = {}
        for number, aside in zip(_OWN_ASIDES, self.data.asides, strict=True):
            asides |= {f"aside_ask_{number}": aside.ask, f"aside_answer_{number}": aside.answer}
        return {"say": {**self.data.say, **asides}, "only": self.data.only}

    @cached_property
    def rules(self) -> Grammar:
        """The sentences of articles about issues."""
        pools = {"step": [policy["step"] for policy in self.policies], "topic": list(self.topics.values())}
        return Grammar(texts("policies"), pools)

    @cached_property
    def advice(self) -> Grammar:
        """The sentences of articles with advice."""
        own = self.data.advice
        said = {key: fact.states for key, fact in own.facts.items()} | {"hello": own.hello, "bye": own.bye}
        return Grammar({"say": said}, {key: fact.values for key, fact in own.facts.items()})

    def unreadable(self) -> Iterator[str]:
        """Its sentences that cannot be read back to exactly their facts."""
        for grammar in (self.conversations, self.rules, self.advice):
            for form in grammar.forms():
                values = {slot: grammar.pools.get(slot, [_EXAMPLES.get(slot, "")]) for slot in form.slots}
                facts = {slot: value[0] for slot, value in values.items()}
                sentence = grammar.fill(form.text, facts)
                if list(grammar.read(sentence)) != [Said(form.kind, facts, sentence, form.only)]:
                    yield form.text


_EXAMPLES = {
    "product": "Corvane Example",
    "day": "2022-03-04",
    "first": "Ana",
    "agent": "Mei Lee",
    "category": "garden chairs",
    **dict.fromkeys(("percent", "validity", "extension", "hold", "within", "points"), "30"),
}


def industry_names() -> list[str]:
    """The industries that the package carries."""
    found = files(__package__).joinpath(_FOLDER).iterdir()
    return sorted(entry.name.removesuffix(".toml") for entry in found if entry.name.endswith(".toml"))


def industry_file(name: str) -> Path:
    """The file of a packaged industry, to start your own from."""
    return Path(str(files(__package__).joinpath(_FOLDER, f"{name}.toml")))


def packaged(name: str = DEFAULT_INDUSTRY) -> Industry:
    """One of `industry_names`; always the same object."""
    return _packaged(name)


@cache
def _packaged(name: str) -> Industry:
    file = f"{_FOLDER}/{name}.toml"
    return Industry(name, _read(read_text(__package__, file), file))


def open_industry(choice: str) -> Industry:
    """The packaged industry of a name, or that of a file.

    Args:
        choice: one of `industry_names`, or the path of a TOML file.

    Raises:
        InputError: the name or file is unknown, or the file is not an industry; the message has the fault.
    """
    if choice in industry_names():
        return packaged(choice)
    path = Path(choice)
    if not choice.endswith(".toml"):
        known = ", ".join(industry_names())
        raise InputError(f"no industry {choice!r}", where="--industry", hint=f"give {known}, or a .toml file")
    try:
        text = read_file(path, _WHAT).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"not {_WHAT}: no UTF-8", where=choice, hint=_HINT) from error
    found = Industry(path.stem, _read(text, choice))
    if unreadable := list(found.unreadable()):
        raise InputError(
            f"not {_WHAT}: {unreadable[0]!r} is not one sentence, or has two meanings",
            where=choice,
            hint="write another sentence, which ends with a full stop and has none inside",
        )
    return found


def _read(text: str, where: str) -> IndustryFile:
    try:
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"not {_WHAT}: {error}", where=where, hint=_HINT) from error
    return validated(values, IndustryFile, _WHAT, where=where, hint=_HINT)
