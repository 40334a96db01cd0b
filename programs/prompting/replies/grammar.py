"""The replies that a request allows, for models that can be held to them.

Where replies are JSON it is a JSON schema. Where they are fields under markers it is a grammar in the dialect
of Lark that llguidance reads, with JSON schemas in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import dspy
from dspy.lm15 import Config

from worksmith.programs.prompting.forms import JSON
from worksmith.programs.prompting.native_tools import NativeTools
from worksmith.programs.prompting.tool_calling import itself

AS_WRITTEN: Any = {
    "item_separator": ", ",
    "key_separator": ": ",
    "whitespace_flexible": False,
    "lenient": True,
}
"""JSON on one line, as demonstrations show it."""

_CALLS = 32
"""The most calls of one reply."""

_TEXT = r"TEXT: /[^\[<]*\n/"
"""A text ends before the next marker, so it has no bracket."""


def held_to(config: Config, lm: Any, signature: Any, tools: NativeTools | None, form: str) -> Config:
    """The settings of a request, with the replies that it allows where the model can be held to them."""
    if tools is None or not is_constrained(lm, form):
        return config
    if form == JSON:
        schema = reply_schema(signature, tools)
        asked = {"type": "json_schema", "name": "reply", "schema": schema}
        return config if schema is None else replace(config, response_format=asked)
    grammar = reply_grammar(signature, tools)
    more = {**(config.extensions or {}), "grammar": grammar}
    return config if grammar is None else replace(config, extensions=more)


def is_constrained(lm: Any, form: str) -> bool:
    """Whether a model is held to a form of replies: by its engine, or by a server with that setting."""
    model = itself(lm)
    setting = getattr(model, "constrained", None)
    if setting == "json_schema":
        return form == JSON
    return setting != "off" and form in getattr(getattr(model, "engine", None), "constrained_forms", ())


@lru_cache(maxsize=256)
def reply_schema(signature: type[dspy.Signature], tools: NativeTools) -> dict[str, Any] | None:
    """The JSON schema of a reply that is one object; None if it has other fields than texts and calls."""
    texts = _texts(signature)
    if texts is None:
        return None
    said = {name: {"type": "string"} for name in texts}
    required = [name for name, needed in texts.items() if needed]
    if "calls" in signature.output_fields:
        return _object({**said, "calls": _list(tools)}, [*required, "calls"])
    return {"anyOf": [_call(name, given, said, required) for name, given in _offered(tools).items()]}


@lru_cache(maxsize=256)
def reply_grammar(signature: type[dspy.Signature], tools: NativeTools) -> str | None:
    """The grammar of a reply whose fields are under markers; None as in `reply_schema`."""
    texts = _texts(signature)
    if texts is None:
        return None
    before = [f"({_marker(name)} TEXT){'' if needed else '?'}" for name, needed in texts.items()]
    if "calls" in signature.output_fields:
        rules = [f"call: {_marker('calls')} arguments", f"arguments: {as_json(_list(tools))}"]
    else:
        rules = [f"call: {' | '.join(f'call_{number}' for number in range(len(tools.names)))}"]
        for number, (name, given) in enumerate(_offered(tools).items()):
            chosen = [_marker("tool"), _literal(name + "\n\n"), _marker("arguments"), f"arguments_{number}"]
            rules += [f"call_{number}: {' '.join(chosen)}", f"arguments_{number}: {as_json(given)}"]
    ending = '"\\n\\n[[ ## completed ## ]]"?'
    return "\n".join([f"start: {' '.join([*before, 'call', ending])}", *rules, *([_TEXT] if texts else [])])


def as_json(schema: Mapping[str, Any]) -> str:
    return f"%json {json.dumps({'x-guidance': AS_WRITTEN, **schema})}"


def closed(schema: Any) -> Any:
    """A schema without notes, whose objects have no other properties than those it names."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    found = {key: closed(value) for key, value in schema.items() if key not in ("description", "default")}
    if "properties" in schema:
        found["properties"] = {name: closed(each) for name, each in schema["properties"].items()}
        found["additionalProperties"] = False
    return found


def _texts(signature: type[dspy.Signature]) -> dict[str, bool] | None:
    """The fields before the calls, and whether each is required; None if they are not texts."""
    fields = signature.output_fields
    names = [*fields]
    calls = 2 if names[-2:] == ["tool", "arguments"] else int(names[-1:] == ["calls"])
    texts = names[: len(names) - calls]
    if not calls or any(fields[name].annotation is not str for name in texts):
        return None
    return {name: fields[name].is_required() for name in texts}


def _offered(tools: NativeTools) -> dict[str, Any]:
    return {tools.names[each.name]: closed(each.parameters) for each in tools.functions}


def _list(tools: NativeTools) -> dict[str, Any]:
    calls = [_call(name, given, {}, []) for name, given in _offered(tools).items()]
    return {"type": "array", "items": {"anyOf": calls}, "maxItems": _CALLS}


def _call(name: str, given: Any, said: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    chosen = {"tool": {"enum": [name]}, "arguments": given}
    return _object({**said, **chosen}, [*required, *chosen])


def _object(properties: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _marker(name: str) -> str:
    return _literal(f"[[ ## {name} ## ]]\n")


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
