"""Reading a model's reply: fields under markers, checked by readers that are made once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from typing import Any, NamedTuple, get_origin

import dspy

from worksmith.tools.files.unicode import is_writable

# A marker counts only at the start of a line: inside JSON text a line break is escaped.
_MARKER = re.compile(r"^[ \t]*\[\[ ## (\w+) ## \]\]", re.MULTILINE)
_COMPLETED = "completed"
_STRUCTURE = re.compile(r"[{\[]")
_STRICT = json.JSONDecoder(strict=False)
_FENCE = re.compile(r"^```\w*\s*\n(.*?)\n?```$", re.DOTALL)

MENDED, BLOCK = "mended JSON", "code block"
"""Leniencies in reading JSON."""

LONGEST_MENDED = 20_000
"""Characters of a value whose slips are mended. That takes up to 0.1 ms a character."""

Read = Callable[[str, list[str]], Any]
"""Reads a text; a list gets the leniencies that this took."""


class FieldReader(NamedTuple):
    """How a field is read: raises `ValueError` where it cannot. With a default it may be left out."""

    read: Read
    default: Any = None


def field_readers(signature: type[dspy.Signature]) -> dict[str, FieldReader]:
    return {
        name: FieldReader(_read(name, field.annotation), None if field.is_required() else field.default)
        for name, field in signature.output_fields.items()
    }


def read_reply(text: str, fields: dict[str, FieldReader], kinds: list[str]) -> dict[str, Any]:
    """The values of a reply's fields.

    A reply of one text field may leave its marker out.

    Args:
        kinds: gets the leniencies by which they were read.

    Raises:
        ValueError: a field is missing or cannot be read; the message names it.
    """
    if not text.strip():
        raise ValueError("the reply is empty")
    check_unicode("the reply", text)
    found = split_fields(text)
    if len(fields) == 1 and found.keys().isdisjoint(fields) and next(iter(fields.values())).read is _text:
        found = {next(iter(fields)): text.strip()}
    missing = [name for name, reader in fields.items() if name not in found and reader.default is None]
    if missing:
        raise ValueError(f"there is no [[ ## {missing[0]} ## ]]")
    return {
        name: reader.read(found[name], kinds) if name in found else reader.default
        for name, reader in fields.items()
    }


def check_whole(text: str, texts: Collection[str]) -> None:
    """Check that a reply which reached the limit of output tokens ends with a whole value.

    Half of a value could be mended into one that the model did not mean.

    Args:
        texts: names of the output fields that are texts.

    Raises:
        ValueError: it ends with half of one.
    """
    markers = list(_MARKER.finditer(text))
    if markers and markers[-1][1] in {*texts, _COMPLETED}:
        return
    last = text[markers[-1].end() :] if markers else text
    begun = _STRUCTURE.search(last)
    try:
        if begun is not None:
            _STRICT.raw_decode(last, begun.start())
        elif markers and not last.strip():
            raise ValueError("it ends with a marker")
    except (ValueError, RecursionError):
        raise ValueError("its last value is not whole") from None


def split_fields(text: str) -> dict[str, str]:
    """The text under each marker; of a marker that comes twice, the first."""
    markers = list(_MARKER.finditer(text))
    ends = [marker.start() for marker in markers[1:]] + [len(text)]
    fields: dict[str, str] = {}
    for marker, end in zip(markers, ends, strict=False):
        fields.setdefault(marker[1], text[marker.end() : end].strip())
    return fields


def _read(name: str, annotation: Any) -> Read:
    if annotation is str:
        return _text
    if name == "calls":
        return _calls
    if get_origin(annotation) is dict:
        return lambda text, kinds: read_object(name, text, kinds)
    from dspy.adapters.utils import parse_value

    return lambda text, kinds: parse_value(_not_endless(name, text), annotation)


def _text(text: str, kinds: list[str]) -> str:
    return text


def read_object(name: str, text: str, kinds: list[str], *, mended: bool = True) -> dict[str, Any]:
    """A JSON object; no text stands for an empty one.

    Args:
        kinds, mended: as in `read_json`.

    Raises:
        ValueError: it is not an object; the message has `name`.
    """
    value = read_json(name, text, kinds, mended=mended) if text else {}
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be a JSON object")
    return value


def _calls(text: str, kinds: list[str]) -> list[dict[str, Any]]:
    value = read_json("calls", text, kinds)
    calls = [value] if isinstance(value, dict) else value
    if not isinstance(calls, list):
        raise ValueError("calls must be a JSON list")
    return [_call(call) for call in calls]


def check_values(values: dict[str, Any]) -> None:
    """Check the fields of a reply that other code has read, or raise `ValueError`."""
    for name, value in values.items():
        check_unicode(name, value)
    if isinstance(values.get("calls"), list):
        values["calls"] = [_call(call) for call in values["calls"]]


def _call(call: Any) -> dict[str, Any]:
    if not isinstance(call, dict) or not isinstance(call.get("tool"), str):
        raise ValueError('each of calls must be {"tool": name, "arguments": {...}}')
    arguments = call.get("arguments", {})
    if not isinstance(arguments, dict):
        raise ValueError(f"the arguments of {call['tool']} must be a JSON object")
    return {"tool": call["tool"], "arguments": arguments}


def read_json(name: str, text: str, kinds: list[str], *, mended: bool = True) -> Any:
    """A JSON value, perhaps in a code block.

    Args:
        kinds: gets the leniencies by which it was read.
        mended: whether small slips are mended.

    Raises:
        ValueError: it is not JSON; the message has `name`.
    """
    if fenced := _FENCE.match(text):
        text = fenced[1].strip()
        kinds.append(BLOCK)
    try:
        value = json.loads(text, strict=False)
    except RecursionError:
        raise ValueError(f"{name} is nested too deeply") from None
    except ValueError as error:
        # Small slips are mended; a text that was cut off is not: half an argument must not become a call.
        if not mended or not text.endswith(("}", "]")):
            raise ValueError(f"{name} is not JSON: {error}") from None
        value = _mended(name, text)
        kinds.append(MENDED)
    if "\\u" in text:
        check_unicode(name, value)
    return value


def check_unicode(name: str, value: Any) -> None:
    """Refuse halves of surrogate pairs: no database and no model takes them.

    Raises:
        ValueError: `value` has one; the message has `name`.
    """
    if not is_writable(value):
        raise ValueError(f"{name} has text that is not valid Unicode")


def _not_endless(name: str, text: str) -> str:
    if len(text) > LONGEST_MENDED:
        raise ValueError(f"{name} is not JSON, and too long to be repaired")
    return text


def _mended(name: str, text: str) -> Any:
    import json_repair

    try:
        return json_repair.loads(_not_endless(name, text))
    except RecursionError:
        raise ValueError(f"{name} is nested too deeply") from None
