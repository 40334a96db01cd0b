from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import date

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worksmith.tools.kinds.crm.ids import make_id
from worksmith.tools.kinds.crm.schema import OBJECTS, TABLES
from worksmith.tools.kinds.crm.sosl.sosl_engine import Sosl
from worksmith.tools.kinds.crm.sosl.tables import SEARCH_TABLES, search_rows
from worksmith.tools.seeding import rng

WORDS = ("shoe", "shoes", "Boot", "boots", "blue", "Blues", "été", "red", "1a")
STEMS = {"shoes": "shoe", "boots": "boot", "blues": "blue", "été": "ete"}
PLURALS = {"shoe": "shoes", "boot": "boots", "blue": "blues", "ete": "etes", "red": "reds", "1a": "1a"}
GROUPS = {"ALL": ("Title", "Name", "Email"), "NAME": ("Name",), "EMAIL": ("Email",)}

Fields = dict[str, list[str]]
Term = tuple[str, Callable[[Fields], bool]]


def stem(word: str) -> str:
    return STEMS.get(word.lower(), word.lower())


def word(chooser: random.Random) -> Term:
    chosen = chooser.choice(WORDS)
    return chosen, lambda fields: any(stem(chosen) in words for words in fields.values())


def phrase(chooser: random.Random) -> Term:
    chosen = [chooser.choice(WORDS) for _ in range(2)]
    pair = [stem(each) for each in chosen]
    return f'"{" ".join(chosen)}"', lambda fields: any(
        words[at : at + 2] == pair for words in fields.values() for at in range(len(words))
    )


def wildcard(chooser: random.Random) -> Term:
    chosen = chooser.choice(("sh*", "bo*", "b?o*", "bl?e", "r*d", "b*s", "zz*"))
    # What a word is found by, its plural is found by as well.
    pattern = chosen.replace("?", ".").replace("*", ".*")
    return chosen, lambda fields: any(
        re.fullmatch(pattern, form)
        for words in fields.values()
        for each in words
        for form in (each, PLURALS[each])
    )


def term(chooser: random.Random, depth: int) -> Term:
    kind = chooser.choice(("unit", "and", "or", "not", "loose") if depth else ("unit",))
    if kind == "unit":
        return chooser.choice((word, phrase, wildcard))(chooser)
    (left, holds_left), (right, holds_right) = term(chooser, depth - 1), term(chooser, depth - 1)
    text = {"and": "AND ", "or": "OR ", "not": "AND NOT ", "loose": ""}[kind]
    both = f"({left}) {text}({right})"
    if kind == "or":
        return both, lambda fields: holds_left(fields) or holds_right(fields)
    if kind == "not":
        return both, lambda fields: holds_left(fields) and not holds_right(fields)
    return both, lambda fields: holds_left(fields) and holds_right(fields)


def records(chooser: random.Random) -> list[dict[str, str]]:
    def text() -> str:
        return " ".join(chooser.choice(WORDS) for _ in range(chooser.randint(0, 3)))

    return [{"Id": make_id("003", n), "Name": text(), "Email": text()} for n in range(chooser.randint(1, 20))]


def connect(given: list[dict[str, str]]) -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    rows = {"Contact": [[record.get(name) for name in OBJECTS["Contact"].columns] for record in given]}
    for table in (*TABLES, *SEARCH_TABLES):
        for statement in table.ddl():
            connection.execute(statement)
        cells = rows.get(table.name) or search_rows(rows).get(table.name, [])
        connection.executemany(table.insert_sql(), cells)
    return connection


def agree(chooser: random.Random, terms: int) -> None:
    contacts = records(chooser)
    search = Sosl(connect(contacts), date(2023, 1, 1))
    for _ in range(terms):
        group = chooser.choice(list(GROUPS))
        text, holds = term(chooser, 2)
        expected = {
            contact["Id"]
            for contact in contacts
            if holds({n: [stem(w) for w in contact[n].split()] for n in GROUPS[group] if n in contact})
        }
        found = search.search(f"FIND {{{text}}} IN {group} FIELDS RETURNING Contact(Id)").records
        assert ({record["Id"] for record in found}, text, group) == (expected, text, group)


@given(st.integers(0, 2**32))
@settings(max_examples=10)
def test_searches_agree_with_reading_every_record(seed: int) -> None:
    agree(rng(seed, "search"), 15)


@pytest.mark.slow
def test_very_many_searches_agree() -> None:
    for part in range(30):
        agree(rng(part, "searches"), 50)
