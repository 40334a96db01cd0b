"""Policy documents read from files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from tools.access.document import PolicyDocument
from tools.access.faults import FaultError, check, validation_fault
from tools.errors import InputError
from tools.files.json_files import parsed, read_file


def read_document(
    policy: Path | str,
    schema: Mapping[str, tuple[str, ...]] | None = None,
    tools: frozenset[str] | None = None,
) -> PolicyDocument:
    """A policy document from a file, or from its text.

    Args:
        policy: a path, or a text that starts with `{`.
        schema: the sources there are, with their fields; None leaves their names unchecked.
        tools: the names of the tools there are; None leaves them unchecked.

    Raises:
        InputError: it cannot be read or is invalid; `where` names the file and the place in it.
    """
    name, text = _read(policy)
    raw = parsed(text, "JSON", where=name)
    try:
        document = PolicyDocument.model_validate_json(
            text
        )  # its models are strict: lists are tuples only here
        check(document, schema, tools)
    except ValidationError as error:
        fault = validation_fault(error, raw)
        raise InputError(fault.message, where=_place(name, fault.path)) from error
    except FaultError as fault:
        raise InputError(fault.message, where=_place(name, fault.path)) from fault
    return document


def _place(name: str, path: str) -> str:
    return f"{name}: {path}" if path else name


def _read(policy: Path | str) -> tuple[str, str | bytes]:
    if isinstance(policy, str) and policy.lstrip().startswith("{"):
        return "policy", policy
    return str(policy), read_file(Path(policy), "the policy")
