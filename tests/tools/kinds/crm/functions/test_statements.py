"""Nothing in a value ends the literal or the search term that it stands in."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from worksmith.tools.kinds.crm.functions.statements import literal, one_of, search_term
from worksmith.tools.kinds.crm.soql.cursor import tokenize
from worksmith.tools.kinds.crm.soql.parser import parse
from worksmith.tools.kinds.crm.soql.tree import Compare, Member
from worksmith.tools.kinds.crm.sosl.parser import parse_search
from worksmith.tools.kinds.crm.sosl.tables import words
from worksmith.tools.kinds.crm.sosl.term import fts_query, pieces

SPECIAL = st.sampled_from(
    ["\\", "'", '"', "\n", "\r", "\t", "{", "}", "*", "?", "AND", "OR", "NOT", " ", "x"]
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.lists(SPECIAL).map("".join)


def no_wildcard(pattern: str) -> list[str]:
    raise AssertionError(f"{pattern} is a pattern")


@given(TEXTS)
@example("\\")
@example("x' OR Id != '")
@example("\\' OR Id != \\'")
@example("\\u0027")
@example("%_")
def test_a_literal_is_one_token_that_means_the_text(text: str) -> None:
    token, end = tokenize(literal(text))
    assert (token.kind, token.text) == ("string", text)
    assert end.kind == "end"


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_a_condition_has_the_values_and_nothing_else(values: list[str]) -> None:
    found = parse(f"SELECT Id FROM Case WHERE {one_of('Subject', values)}").clauses.where
    assert isinstance(found, Compare | Member)
    given_values = [found.value] if isinstance(found, Compare) else list(found.values)
    assert [value.text for value in given_values] == values


@given(TEXTS)
@example("shoe} RETURNING User {")
@example('say "shoe')
@example("shoe AND NOT sock")
@example("sho*")
@example("\\")
def test_a_search_term_is_its_words_without_operators(text: str) -> None:
    term = search_term(text)
    if not term:
        return
    found = parse_search(f"FIND {{{term}}} RETURNING Case")
    assert [query.clauses.source for query in found.returning] == ["Case"]
    assert found.term == term
    meant = re.sub(r"\\(.)", r"\1", term)
    assert set(words(meant)) <= set(words(text))
    if len(re.sub(r"[\s*?]", "", meant)) > 1:
        named = pieces(term, 0)
        assert not any(piece.operator or piece.kind != "word" for piece in named)
        fts_query(named, no_wildcard, any_word=True, end=len(term))
