"""Replies that are held to the tools on offer: any of them is a valid call, and any valid call is allowed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from worksmith.programs.parts.signatures import call_signature
from worksmith.programs.prompting.adapter import TrajectoryAdapter
from worksmith.programs.prompting.grammar import held_to
from worksmith.programs.prompting.native import read_message
from worksmith.programs.prompting.native_tools import NativeTools, native_tools
from worksmith.programs.strategies import strategy
from worksmith.tools.tool import FinishCall, Tool, tool

pytest.importorskip("llguidance")

import torch
from dspy import lm15

from tests.worksmith.training.tiny import tiny_tokenizer
from worksmith.models.transformer.chat import TAGGED, read_reply
from worksmith.models.transformer.constraint import Grammars, grammar_of

VALUES: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=9),
    int: st.integers(-999, 999),
    bool: st.booleans(),
    float: st.floats(-99, 99, width=16),
    Literal["open", "shut it"]: st.sampled_from(["open", "shut it"]),
    list[str]: st.lists(st.text('a b"\\{', max_size=4), max_size=3),
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
@given(toolsets(), st.sampled_from(["text", "json"]), st.sampled_from(["act", "react", "cot"]), st.data())
def test_calls_as_demonstrations_write_them_are_allowed(
    tools: dict[str, tuple[Tool, dict[str, Any]]], form: str, name: str, data: st.DataObject
) -> None:
    chosen = data.draw(st.sampled_from([*tools]))
    given_ = {
        argument: data.draw(values)
        for argument, (values, needed) in tools[chosen][1].items()
        if needed or data.draw(st.booleans())
    }
    call = {"tool": chosen, "arguments": given_}
    outputs = (
        {"calls": [call, call], "reasoning": "So.\nAnd so."} if name == "cot" else {**call, "thought": "Hm."}
    )
    signature = call_signature(strategy(name))
    text = TrajectoryAdapter(json=form == "json").format_assistant_message_content(
        signature, {field: outputs[field] for field in signature.output_fields}
    )
    grammar = grammar_of(request(form, name, offered(tools)), None)
    assert grammar is not None
    matcher = grammars().constraint(grammar, 9)._matcher
    tokens = grammars()._tokens.tokenize_str(text)

    assert matcher.try_consume_tokens(tokens) == len(tokens), text
    assert matcher.is_accepting()


def said(grammar: str, most: int, seed: int) -> str:
    """A reply of a model that has no idea, and never wants to end."""
    constraint, tokens = grammars().constraint(grammar, most), grammars()._tokens
    noise = torch.Generator().manual_seed(seed)
    reply: list[int] = []
    while len(reply) < most:
        scores = torch.rand(tokens.vocab_size + 5, generator=noise)
        scores[tokens.eos_token] = -1.0
        constraint.narrow(scores, reply)
        token = int(scores.argmax())
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
    config = lm15.Config(tool_choice=lm15.ToolChoice("required", parallel=False))
    asked = lm15.Request("m", (lm15.Message.user("Do it."),), tools=on_offer.functions, config=config)
    grammar = grammar_of(asked, TAGGED)
    assert grammar is not None
    assume("number" not in grammar)  # 1e999 is one, and no provider's message can have it
    kinds: list[str] = []
    read, _ = read_message(
        read_reply(said(grammar, 400, seed), TAGGED), on_offer, ("tool", "arguments"), kinds
    )

    assert kinds == []
    assert read["tool"] in ("finish", *tools)
