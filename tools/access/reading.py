"""Policy documents read from files."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from worksmith.tools.access.checks import Surroundings, check
from worksmith.tools.access.document import PolicyDocument
from worksmith.tools.access.faults import FaultError, validation_fault
from worksmith.tools.errors import InputError
from worksmith.tools.files.json_files import parsed, read_file


def read_document(policy: Path | str, around: Surroundings) -> PolicyDocument:
    """A policy document from a file, or from its text.

    Args:
        policy: a path, or a text that starts with `{`.
        around: the tools and tables of the policy. It completes the parts that the document leaves out: keys,
            people.
    """
    name, text = _read(policy)
    raw = parsed(text, "JSON", where=name)
    try:
        # The models are strict: lists are tuples only in JSON.
        document = _completed(PolicyDocument.model_validate_json(text), around)
        check(document, around)
    except ValidationError as error:
        fault = validation_fault(error, raw)
        raise InputError(fault.message, where=_place(name, fault.path)) from error
    except FaultError as fault:
        raise InputError(fault.message, where=_place(name, fault.path)) from fault
    return document


def _completed(document: PolicyDocument, around: Surroundings) -> PolicyDocument:
    sources = {
        name: source.model_copy(update={"key": source.key or around.keys.get(name, "")})
        for name, source in document.sources.items()
    }
    return document.model_copy(update={"sources": sources, "people": document.people or around.people})


def _place(name: str, path: str) -> str:
    return f"{name}: {path}" if path else name


def _read(policy: Path | str) -> tuple[str, str | bytes]:
    if isinstance(policy, str) and policy.lstrip().startswith("{"):
        return "policy", policy
    return str(policy), read_file(Path(policy), "the policy")
