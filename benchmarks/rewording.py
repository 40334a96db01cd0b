"""What a faulty writer of records gets past the checks, over the wire.

A server that speaks the chat API of OpenAI answers each request for another wording with the text of the
record and one fault of a kind in it (`benchmarks/_planted.py`). A fault is accepted if the text in the world
differs from the old one. Target: less than 1 in 200 of all faults that concern a fact or add a statement.
Faults of `BESIDE` make another sentence without facts from the words of its line; the checks do not see most
of these. A faithful writer, which contracts verbs, shows what is refused without need.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from benchmarks._planted import BESIDE, FAULTS, Place
from tests.chat_server import ChatServer, Reply, chat_server, said
from worksmith.evals.kinds.enterprise.rewording import Choice, reword_records
from worksmith.tools.kinds.enterprise.generate import Built, build
from worksmith.tools.kinds.enterprise.schema import KEYS
from worksmith.tools.kinds.enterprise.stated.demands import Demands
from worksmith.tools.kinds.enterprise.stated.texts import COLUMNS, demands

DESCRIPTION = "kinds of faults that a writer plants into records, over the wire: planted and accepted"

SCALE = 0.02
_ROUNDS = 8
_QUICK = ("posts", "tickets", "vendors")
_SHOWN = 2
_FORM = "[[ ## reworded ## ]]\n{}\n\n[[ ## completed ## ]]"
_ASKED = re.compile(r"\[\[ ## text ## \]\]\n(.*?)\n\n\[\[ ## verbatim ## \]\]", re.DOTALL)
_CONTRACTED = {"I am ": "I'm ", "it is ": "it's ", "we have ": "we've ", "that is ": "that's "}

Key = tuple[str, str]
"""The reference of a record, and the column of a text."""


class _Writer(ChatServer):
    """A server that answers by the text that is to be reworded."""

    replies: Mapping[str, str]

    def answer(self, body: dict[str, Any]) -> Reply:
        found = _ASKED.search(body["messages"][-1]["content"])
        return said(_FORM.format(self.replies[found[1]])) if found else {"error": 400}


def run(quick: bool, seed: int = 7, scale: float | None = None) -> dict[str, Any]:
    """Plant faults of all kinds in turn, one in each text and round (quick: one round, three sources).

    Returns:
        `faults` and `beside`: by kind how many were planted and accepted, with some of these; `planted` and
        `accepted` sum up `faults`; `faithful` has the lines that a faithful writer changed, and those taken.
    """
    import dspy

    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else DSPy looks for newer prices first
    built, random = build(seed, scale or SCALE), Random(seed)
    sources = _QUICK if quick else tuple(COLUMNS)
    places = list(_places(built, sources, random))
    planted, accepted = Counter[str](), Counter[str]()
    shown: dict[str, list[str]] = defaultdict(list)
    with chat_server(_Writer) as server:
        assert isinstance(server, _Writer)
        lm = dspy.LM("openai/scripted", api_base=server.url, api_key="x", cache=False, num_retries=0)
        ask = _asker(built, sources, lm, server)
        for _ in range(1 if quick else _ROUNDS):
            kinds = dict(_planted(places, planted))
            found = ask({place.old: text for place, (_, text) in kinds.items()})
            for place, (kind, _) in kinds.items():
                planted[kind] += 1
                new = found[place.text.ref, place.text.column]
                if new != place.old:
                    accepted[kind] += 1
                    shown[kind].append(f"{place.text.ref}: {_difference(place.old, new)}")
        faithful = _faithful_figures(places, ask)

    def figures(kinds: Iterable[str]) -> dict[str, Any]:
        return {
            kind: {"planted": planted[kind], "accepted": accepted[kind], "such_as": shown[kind][:_SHOWN]}
            for kind in kinds
        }

    facts = [kind for kind in FAULTS if kind not in BESIDE]
    return {
        "seed": seed,
        "texts": len(places),
        "planted": sum(planted[kind] for kind in facts),
        "accepted": sum(accepted[kind] for kind in facts),
        "faults": figures(facts),
        "beside": figures(BESIDE),
        "faithful": faithful,
    }


def _places(built: Built, sources: Sequence[str], random: Random) -> Iterator[Place]:
    """Each text of these sources, with the others of its source."""
    names = sorted({word for one in built.records("employees") for word in str(one["name"]).split()})
    for source in sources:
        records = {f"{source}/{record[KEYS[source]]}": record for record in built.records(source)}
        found: list[Demands] = []
        values: dict[str, set[str]] = defaultdict(set)
        for latent in built.latents_of(source):
            found += demands(source, records[latent.ref], latent, built.industry)
            for fact, value in latent.facts.items():
                if len(value.split()) > 1 and any(value in one.text for one in found[-2:]):
                    values[fact].add(value)
        phrases = {fact: sorted(known) for fact, known in values.items()}
        by_column = {one: [other for other in found if other.column == one] for one in COLUMNS[source]}
        unique = {one.text: one for one in found}
        for one in unique.values():
            others = [other for other in random.sample(by_column[one.column], 8) if other.text != one.text]
            yield Place(one, others, phrases, names, random)


def _planted(places: Sequence[Place], before: Counter[str]) -> Iterator[tuple[Place, tuple[str, str]]]:
    """One fault in each text: of the kinds that have a place there, the one that was planted least."""
    planted = Counter(before)
    for place in places:
        for kind in sorted(FAULTS, key=lambda kind: planted[kind]):
            text = FAULTS[kind](place)
            if text is not None and text.strip() != place.old.strip():
                planted[kind] += 1
                yield place, (kind, text)
                break


def _asker(
    built: Built, sources: Sequence[str], lm: Any, server: _Writer
) -> Callable[[Mapping[str, str]], dict[Key, str]]:
    """Has all texts reworded by a writer with these replies, and gives the texts of the new world."""
    choice = Choice.of(",".join(sources))

    def ask(replies: Mapping[str, str]) -> dict[Key, str]:
        old = {one: one for one in _texts(built, sources).values()}
        server.replies = {**old, **replies}
        new, _ = reword_records(built, choice, 7, lm, None)
        return _texts(new, sources)

    return ask


def _texts(built: Built, sources: Sequence[str]) -> dict[Key, str]:
    return {
        (f"{source}/{record[KEYS[source]]}", column): str(record[column])
        for source in sources
        for record in built.records(source)
        for column in COLUMNS[source]
    }


def _faithful_figures(
    places: Sequence[Place], ask: Callable[[Mapping[str, str]], dict[Key, str]]
) -> dict[str, int]:
    replies = {place.old: _faithful(place.text) for place in places}
    new = ask(replies)
    changed = taken = 0
    for place in places:
        lines = zip(
            place.old.split("\n"),
            replies[place.old].split("\n"),
            new[place.text.ref, place.text.column].split("\n"),
            strict=True,
        )
        for old, other, found in lines:
            changed += old != other
            taken += old != found
    return {"lines": changed, "taken": taken}


def _faithful(text: Demands) -> str:
    """Another wording that says the same: verbs contracted in sentences without facts."""
    found = text.text
    for line in text.lines:
        new = line
        for sentence in re.split(r"(?<=[.!?])\s+", line):
            if all(sentence not in one for one in text.fixed):
                other = sentence
                for long, short in _CONTRACTED.items():
                    other = other.replace(long, short)
                new = new.replace(sentence, other)
        found = found.replace(line, new)
    return found


def _difference(old: str, new: str) -> str:
    """The first line that is another."""
    pairs = zip(old.split("\n"), new.split("\n"), strict=True)
    return next(f"{a} -> {b}" for a, b in pairs if a != b)
