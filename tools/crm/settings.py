"""How one org behaves: which reading of the rules its functions follow, and what its id fields are."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from tools.access.faults import validation_fault
from tools.crm.schema import Links
from tools.errors import InputError
from tools.files import write_atomically

SETTINGS_FILE = "org.json"
"""The settings of one world, beside it; where there are none, the defaults hold."""

_HINT = '"mode" is clean or faithful, "links" is text or lookup'

Mode = Literal["clean", "faithful"]
"""`clean` follows the policies that agents are told; `faithful` does what the published system does."""


class OrgSettings(BaseModel):
    """The settings of an org.

    Attributes:
        links: see `tools.crm.schema.Links`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: Mode = "clean"
    links: Links = "text"


def read_settings(directory: Path) -> OrgSettings:
    """The settings of the world in `directory`.

    Raises:
        InputError: there is a file of them, but it cannot be read or says what is not known.
    """
    file = directory / SETTINGS_FILE
    if not os.path.lexists(file):
        return OrgSettings()
    raw: object = None
    try:
        raw = json.loads(file.read_text(encoding="utf-8"))
        return OrgSettings.model_validate(raw)
    except ValidationError as error:
        fault = validation_fault(error, raw)
        where = f"{file}: {fault.path}" if fault.path else str(file)
        raise InputError(fault.message, where=where, hint=_HINT) from error
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"not the settings of an org: {error}", where=str(file), hint=_HINT) from error


def write_settings(directory: Path, settings: OrgSettings) -> None:
    """Put settings beside the world in `directory`."""
    write_atomically(directory / SETTINGS_FILE, settings.model_dump_json(indent=2).encode() + b"\n")
