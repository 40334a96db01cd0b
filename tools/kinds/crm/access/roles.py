"""The document of the rights of roles on objects and fields of an org."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worksmith.tools.access.faults import FaultError, validation_fault
from worksmith.tools.errors import InputError
from worksmith.tools.files.data_files import read_text
from worksmith.tools.files.json_files import parsed, read_file
from worksmith.tools.kinds.crm.schema import OBJECTS

POLICY_FILE = "policy.json"
"""The roles of one world, beside it; by default those of the package."""


class Role(BaseModel):
    """The rights of one role.

    Attributes:
        title: the description of their person for agents.
        note: for people who read the document.
        objects: names of the objects that exist for the role.
        hidden: by object the hidden fields.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(min_length=1)
    note: str = ""
    objects: tuple[str, ...]
    hidden: dict[str, tuple[str, ...]] = {}


class Roles(BaseModel):
    """A document of roles. `format`: its version. `roles`: by id, which is that of the persona."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["worksmith-crm-roles/1"]
    roles: dict[str, Role] = Field(min_length=1)


def packaged_policy() -> str:
    return read_text(__package__, POLICY_FILE)


@cache
def packaged_roles() -> Roles:
    return parse_roles(packaged_policy(), "the packaged roles")


def read_roles(file: Path) -> Roles:
    """The roles in `file`.

    Raises:
        InputError: it cannot be read, is not such a document, or names unknown objects.
    """
    return parse_roles(read_file(file, "the roles"), str(file))


def parse_roles(text: str | bytes, where: str) -> Roles:
    """The roles in `text`.

    Args:
        where: its name in error messages.

    Raises:
        InputError: it is not such a document, or names unknown objects.
    """
    raw = parsed(text, "the roles", where=where)
    try:
        found = Roles.model_validate(raw)
        _check(found)
    except ValidationError as error:
        fault = validation_fault(error, raw)
        raise InputError(fault.message, where=_place(where, fault)) from error
    except FaultError as fault:
        raise InputError(fault.message, where=_place(where, fault)) from None
    return found


def _check(document: Roles) -> None:
    for name, role in document.roles.items():
        for place, each in enumerate(role.objects):
            if each not in OBJECTS:
                raise FaultError(f"roles.{name}.objects[{place}]", f"no object {each!r}")
        for each, fields in role.hidden.items():
            path = f"roles.{name}.hidden.{each}"
            if each not in role.objects:
                raise FaultError(path, "hides fields of an object that the role may not read at all")
            for place, field in enumerate(fields):
                if field not in OBJECTS[each].columns:
                    raise FaultError(f"{path}[{place}]", f"no field {field!r} of {each}")
                if field == "Id":
                    raise FaultError(f"{path}[{place}]", "ids cannot be hidden; leave out the object")


def _place(where: str, fault: FaultError) -> str:
    return f"{where}: {fault.path}" if fault.path else where
