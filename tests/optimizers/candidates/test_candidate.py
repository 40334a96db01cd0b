import pytest
from hypothesis import given
from hypothesis import strategies as st

from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.tools.errors import InputError

NAMES = st.sampled_from(["show", "selector.predict", "tickets.get"])
TEXTS = st.sampled_from(["Read the ticket first.", "kurz\n\u00e9", "0"])
BY_NAME = st.dictionaries(NAMES, TEXTS, min_size=1, max_size=2)
DEMOS = st.sampled_from(
    [{"show": "none"}, {"show": "fixed", "tasks": ["a", "b#2"]}, {"show": "nearest", "count": 4}]
)
TOOL = st.fixed_dictionaries({"arguments": BY_NAME}, optional={"description": TEXTS})
CANDIDATES = st.fixed_dictionaries(
    {},
    optional={
        "instructions": BY_NAME,
        "demonstrations": st.dictionaries(NAMES, DEMOS, min_size=1, max_size=2),
        "tools": st.dictionaries(NAMES, TOOL, min_size=1, max_size=2),
        "toolset": st.just("retrieved:4"),
        "prompt": st.just("json"),
        "strategy": st.just("act"),
        "temperature": st.floats(0, 2),
    },
).map(Candidate.from_json)


@given(one=CANDIDATES, other=CANDIDATES)
def test_a_candidate_is_its_parts(one: Candidate, other: Candidate) -> None:
    assert Candidate.from_json(one.to_json()) == one
    assert (one.digest == other.digest) == (one == other)
    for part in one.parts:
        less = one.without(part)
        assert set(less.parts) == set(one.parts) - {part}
        assert less.joined(one) == one
    both = one.joined(other)
    assert set(both.parts) == {*one.parts, *other.parts}
    assert both.joined(other) == both
    for part in set(one.parts) - set(other.parts):
        both = both.without(part)
    assert both.to_json() == other.to_json() or "demonstrations" in {*one.parts} & {*other.parts}
    with pytest.raises(InputError, match="has no part 'seed'"):
        one.without("seed")


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ([], "an object is needed"),
        ({"lm": "openai/gpt-4o"}, "lm"),
        ({"instructions": {"predict": "  "}}, "instructions.predict: the text is blank"),
        ({"demonstrations": {"predict": {"show": "nearest"}}}, "demonstrations.predict"),
        ({"demonstrations": {"predict": {"show": "none", "tasks": ["a"]}}}, "demonstrations.predict"),
        ({"demonstrations": {"predict": {"show": "fixed", "always": ["a"]}}}, "demonstrations.predict"),
        ({"tools": {"tickets.get": {}}}, "tools.tickets.get"),
        ({"tools": {"tickets.get": {"name": "x"}}}, "tools.tickets.get.name"),
        ({"temperature": 2.5}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"temperature": "1"}, "temperature"),
    ],
)
def test_other_data_is_refused_with_its_field(data: object, field: str) -> None:
    with pytest.raises(InputError, match=field) as raised:
        Candidate.from_json(data, where="best.json")
    assert raised.value.where == "best.json"
