"""Replies in another form that still name the tools to call.

Small models write them, and servers whose parser does not know the model's own form. A name is read only if
one tool alone can be meant, and no value is made up. The record of an episode names each leniency.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import dspy

from worksmith.programs.prompting.replies.reply import BLOCK, read_json, split_fields
from worksmith.tools.files.unicode import is_writable

PROSE = "text around"
OTHER_FORM = "another form"
PYTHON = "Python call"
SIGNATURE = "signature as name"
PREFIX = "prefix of name"

_NAMES = ("tool", "name", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_LISTS = ("calls", "tool_calls")
_FENCED = re.compile(r"```\w*\s*\n(.*?)\n?\s*```", re.DOTALL)
TAGGED_CALL = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|\Z)", re.DOTALL)
"""The JSON of a call as Qwen and Hermes write it."""

_CALLED = re.compile(r"[\w.]+\(")
_MOST = 20_000
"""Characters of a reply that is read leniently."""

_ENDS = 50
"""Closing brackets that are tried as the end of a Python call."""

_JSON = json.JSONDecoder(strict=False)


@dataclass
class Found:
    """The calls of a reply.

    Attributes:
        calls: each with `tool` and `arguments`.
        beside: other fields, which are texts.
        kinds: the leniencies by which they were read.
    """

    calls: list[dict[str, Any]] = field(default_factory=list)
    beside: dict[str, str] = field(default_factory=dict)
    kinds: list[str] = field(default_factory=list)


def found_calls(text: str, tools: Collection[str]) -> Found | None:
    """The calls that a reply makes; None without a readable one.

    Args:
        tools: the names of the tools on offer; an object with another name is not a call.
    """
    if len(text) > _MOST or not is_writable(text):
        return None
    for read in (_from_fields, _from_json, _from_python):
        with suppress(ValueError, RecursionError):
            found = read(text, tools)
            if found.calls and is_writable(found.calls):
                return found
    return None


def own_name(name: str, tools: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """The tool that a name means, and the leniencies by which it was found; the name itself otherwise.

    The signature of a tool stands for its name, and a name may lack its prefix or have one before it.
    """
    if name in tools:
        return name, ()
    plain = name.strip().strip("`'\"")
    bare = plain.partition("(")[0].strip().replace("__", ".")
    kinds = (SIGNATURE,) if "(" in plain else ()
    if bare in tools:
        return bare, kinds
    near = {each for each in tools if each.endswith(f".{bare}") or bare.endswith(f".{each}")}
    return (near.pop(), (*kinds, PREFIX)) if len(near) == 1 else (name, ())


def _from_fields(text: str, tools: Collection[str]) -> Found:
    """The calls of fields under markers."""
    fields = split_fields(text)
    others = {name: said for name, said in fields.items() if name not in ("tool", "arguments", "calls")}
    found = Found(beside=others)
    if "calls" in fields:
        found.calls = [*_calls(read_json("calls", fields["calls"], found.kinds), tools, found)]
    elif "tool" in fields and fields.get("arguments"):
        given = read_json("arguments", fields["arguments"], found.kinds)
        found.calls = [*_calls({"tool": fields["tool"], "arguments": given}, tools, found)]
    elif "tool" in fields:
        called = _from_python(fields["tool"], tools)
        found.calls, found.kinds = called.calls, called.kinds
    return found


def _from_json(text: str, tools: Collection[str]) -> Found:
    """The calls of JSON objects: alone, in code blocks, between tags, or in prose."""
    found = Found()
    blocks = TAGGED_CALL.findall(text)
    if not blocks and (blocks := _FENCED.findall(text)):
        found.kinds.append(BLOCK)
    for value in [read_json("the reply", each, found.kinds) for each in blocks] or _values(text, found.kinds):
        found.calls += _calls(value, tools, found)
    return found


def _from_python(text: str, tools: Collection[str]) -> Found:
    """The first call that is written as Python has it, with literals by name."""
    for match in _CALLED.finditer(text):
        name, kinds = own_name(match[0][:-1], tools)
        if name not in tools:
            continue
        rest = text[match.start() :]
        for end in [bracket.end() for bracket in re.finditer(r"\)", rest)][:_ENDS]:
            with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                called = ast.parse(rest[:end], mode="eval").body
                if not isinstance(called, ast.Call) or called.args:
                    break
                given = {str(each.arg): ast.literal_eval(each.value) for each in called.keywords if each.arg}
                if len(given) < len(called.keywords):
                    break
                return Found([{"tool": name, "arguments": given}], {}, [PYTHON, *kinds])
    return Found()


def _values(text: str, kinds: list[str]) -> Iterator[Any]:
    """The JSON of a text that is JSON, perhaps with slips, or else the JSON objects in it."""
    whole = text.strip()
    if whole.startswith(("{", "[")):
        try:
            value, end = _JSON.raw_decode(whole)
        except ValueError:
            yield read_json("the reply", whole, kinds)
            return
        if end < len(whole):
            kinds.append(PROSE)
        yield value
        return
    place = 0
    while (place := text.find("{", place)) >= 0:
        try:
            value, place = _JSON.raw_decode(text, place)
        except ValueError:
            place += 1
        else:
            yield value
            if PROSE not in kinds:
                kinds.append(PROSE)


def _calls(value: Any, tools: Collection[str], found: Found) -> Iterator[dict[str, Any]]:
    """The calls of a JSON value, with the texts beside them."""
    if isinstance(value, list):
        for each in value:
            yield from _calls(each, tools, found)
    if not isinstance(value, Mapping):
        return
    for key in _LISTS:
        if isinstance(value.get(key), list):
            found.beside |= {name: each for name, each in value.items() if isinstance(each, str)}
            yield from _calls(value[key], tools, found)
            return
    of = value["function"] if isinstance(value.get("function"), Mapping) else value
    name = next((of[key] for key in _NAMES if isinstance(of.get(key), str)), "")
    given = next((of[key] for key in _ARGUMENTS if key in of), None)
    given = read_json("arguments", given, found.kinds) if isinstance(given, str) else given
    known, kinds = own_name(name, tools)
    if known in tools and isinstance(given, Mapping):
        found.kinds += kinds
        found.beside |= {
            key: each for key, each in value.items() if isinstance(each, str) and key not in _NAMES
        }
        yield {"tool": known, "arguments": dict(given)}


def as_answer(found: Found, signature: type[dspy.Signature]) -> dict[str, Any] | None:
    """The output fields of a signature with these calls; None if one is missing."""
    said: dict[str, Any] = {**found.beside, "calls": found.calls, **found.calls[0]}
    fields = signature.output_fields
    answer = {
        name: said.get(name, None if field.is_required() else field.default) for name, field in fields.items()
    }
    return None if any(value is None for value in answer.values()) else answer
