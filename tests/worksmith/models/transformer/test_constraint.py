"""Replies that are held to the tools on offer: any of them is a valid call, and any valid call is allowed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from worksmith.programs.parts.signatures import call_signature
from worksmith.programs.prompting.adapter import TrajectoryAdapter
from worksmith.programs.prompting.native import read_message
from worksmith.programs.prompting.native_tools import NativeTools, native_name, native_tools
from worksmith.programs.prompting.replies.grammar import held_to
from worksmith.programs.strategies import strategy
from worksmith.tools.tool import FinishCall, Tool, tool

pytest.importorskip("llguidance")

import torch
from dspy import lm15

from tests.worksmith.training.tiny import tiny_tokenizer
from worksmith.models.transformer.chat import TAGGED, read_reply
from worksmith.models.transformer.constraint import Grammars, grammar_of
from worksmith.models.transformer.sampling import Sampling, next_token

VALUES: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=9),
    int: st.integers(-999, 999),
    bool: st.booleans(),
    float: st.floats(-99, 99, width=16),
    Literal["open", "shut it"]: st.sampled_from(["open", "shut it"]),
    list[str]: st.lists(st.text('a b"\\{', max_size=4), max_size=3),
    list[dict[str, int]]: st.lists(
        st.dictionaries(st.text("ab ", min_size=1), st.integers(0, 9)), max_size=2
    ),
    bool | None: st.sampled_from([None, True]),
    dict[str, Any]: st.dictionaries(st.text("ab", min_size=1), st.integers(0, 9), max_size=2),
}
FORMS, STRATEGIES = st.sampled_from(["text", "json"]), st.sampled_from(["act", "react", "cot"])
FINISH = FinishCall("End.", {"answer": "What was found."})


class Held:
    """An engine that can hold replies to a grammar."""

    constrained_forms = ("text", "json", "native")


class Model:
    engine = Held()


@cache
def grammars() -> Grammars:
    tokenizer = tiny_tokenizer()
    return Grammars(tokenizer, [tokenizer.eos_token_id])


@st.composite
def toolsets(draw: st.DrawFn) -> dict[str, tuple[Tool, dict[str, Any]]]:
    """Tools with the kinds of their required and optional arguments."""
    found = {}
    for name in ("look", "put_it")[: draw(st.integers(1, 2))]:
        kinds = draw(st.lists(st.sampled_from([*VALUES]), max_size=4))
        needed = draw(st.integers(0, len(kinds)))
        found[f"desk.{name}"] = Tool("desk", _function(name, kinds, needed)), _arguments(kinds, needed)
    return found


def _function(name: str, kinds: list[Any], needed: int) -> Callable[..., Any]:
    arguments = ", ".join(f"a{n}" + ("" if n < needed else "=None") for n in range(len(kinds)))
    scope: dict[str, Any] = {}
    exec(f'def {name}(context, {arguments}):\n    """Do it."""', scope)  # noqa: S102
    made = tool()(scope[name])
    made.__annotations__ = {f"a{n}": kind if n < needed else kind | None for n, kind in enumerate(kinds)}
    return made


def _arguments(kinds: list[Any], needed: int) -> dict[str, Any]:
    return {f"a{n}": (VALUES[kind], n < needed) for n, kind in enumerate(kinds)}


def offered(tools: dict[str, tuple[Tool, dict[str, Any]]]) -> NativeTools:
    return native_tools(tuple(each for each, _ in tools.values()), FINISH)


def request(form: str, name: str, tools: NativeTools) -> lm15.Request:
    config = held_to(lm15.Config(), Model(), call_signature(strategy(name)), tools, form)
    return lm15.Request("m", (lm15.Message.user("Do it."),), config=config)


@settings(max_examples=60, deadline=None)
@given(
    toolsets(),
    st.sampled_from(["text", "json", "compact", "native"]),
    st.sampled_from(["act", "react", "cot"]),
    st.booleans(),
    st.data(),
)
def test_a_model_that_writes_calls_as_demonstrations_do_is_left_alone(
    tools: dict[str, tuple[Tool, dict[str, Any]]], form: str, name: str, whole: bool, data: st.DataObject
) -> None:
    chosen = data.draw(st.sampled_from([*tools]))
    given_ = {
        argument: data.draw(values)
        for argument, (values, needed) in tools[chosen][1].items()
        if needed or data.draw(st.booleans())
    }
    call = {"tool": chosen, "arguments": given_}
    on_offer = offered(tools)
    if form == "native":
        text, grammar = written(native_name(chosen), given_), grammar_of(natively(on_offer), TAGGED)
    else:
        beside = {"reasoning": "So.\nAnd so."} if name == "cot" else {"thought": "Hm."}
        outputs = {**beside, **({"calls": [call, call]} if name == "cot" else call)}
        signature = call_signature(strategy(name))
        adapter = TrajectoryAdapter(json=form == "json", observation=99 if form == "compact" else None)
        text = adapter.format_assistant_message_content(
            signature, {field: outputs[field] for field in signature.output_fields}
        )
        grammar = grammar_of(request("text" if form == "text" else "json", name, on_offer), None)
    assert grammar is not None
    tokens = grammars()._tokens
    wanted = tokens.tokenize_str(text) if whole else [*map(letter, text.encode())]
    sampling = Sampling(0.0, 1.0, 0, (), grammars().constraint(grammar, 2 * len(wanted) + 4))
    reply: list[int] = []
    for token in [*wanted, tokens.eos_token]:
        scores = torch.zeros(tokens.vocab_size + 5)
        scores[token] = 1.0
        reply.append(next_token(scores, sampling, reply))

    assert reply == [*wanted, tokens.eos_token], tokens.decode_str(reply)


def written(name: str, arguments: dict[str, Any]) -> str:
    """A native call as a chat template shows it."""
    return (
        f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments}, ensure_ascii=False)}\n</tool_call>"
    )


def natively(tools: NativeTools) -> lm15.Request:
    config = lm15.Config(tool_choice=lm15.ToolChoice("required", parallel=False))
    return lm15.Request("m", (lm15.Message.user("Do it."),), tools=tools.functions, config=config)


@cache
def letter(byte: int) -> int:
    """The token of a single byte, as no tokenizer would write a text."""
    tokens = grammars()._tokens
    return next(n for n in range(tokens.vocab_size) if tokens.decode_bytes([n]) == bytes([byte]))


def said(grammar: str, most: int, seed: int) -> str:
    """A reply of a model that has no idea, and never wants to end."""
    sampling = Sampling(0.0, 1.0, 0, (), grammars().constraint(grammar, most))
    tokens = grammars()._tokens
    noise = torch.Generator().manual_seed(seed)
    reply: list[int] = []
    while len(reply) < most:
        scores = torch.rand(tokens.vocab_size + 5, generator=noise)
        scores[tokens.eos_token] = -1.0
        token = next_token(scores, sampling, reply)
        if token == tokens.eos_token:
            return str(tokens.decode_str(reply))
        reply.append(token)
    pytest.fail(f"no end: {tokens.decode_str(reply)}")


@settings(max_examples=60, deadline=None)
@given(
    toolsets(),
    st.sampled_from(["text", "json"]),
    st.sampled_from(["act", "react", "cot"]),
    st.integers(0, 99),
)
def test_every_reply_is_a_valid_call_and_ends_before_its_limit(
    tools: dict[str, tuple[Tool, dict[str, Any]]], form: str, name: str, seed: int
) -> None:
    signature, on_offer = call_signature(strategy(name)), offered(tools)
    grammar = grammar_of(request(form, name, on_offer), None)
    assert grammar is not None
    reply = said(grammar, 400, seed)
    assume(not re.search(r"\d[.eE]", reply))  # 1e999 is infinite, 5.0 no integer
    read = TrajectoryAdapter(json=form == "json").parse(signature, reply)

    for call in read.get("calls", [read]):
        if call["tool"] != "finish":
            tools[call["tool"]][0].validate(call["arguments"])
        else:
            assert isinstance(call["arguments"]["answer"], str)


@settings(max_examples=20, deadline=None)
@given(toolsets(), st.integers(0, 99))
def test_native_replies_are_calls(tools: dict[str, tuple[Tool, dict[str, Any]]], seed: int) -> None:
    on_offer = offered(tools)
    grammar = grammar_of(natively(on_offer), TAGGED)
    assert grammar is not None
    assume("number" not in grammar)  # 1e999 is one, and no provider's message can have it
    kinds: list[str] = []
    read, _ = read_message(
        read_reply(said(grammar, 400, seed), TAGGED), on_offer, ("tool", "arguments"), kinds
    )

    assert kinds == []
    assert read["tool"] in ("finish", *tools)
