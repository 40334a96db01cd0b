"""The settings of one org: its reading of the rules for functions, and its id fields."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.json_files import read_model
from worksmith.tools.kinds.crm.schema import Links

SETTINGS_FILE = "org.json"
"""The settings of one world, beside it; without them, the defaults hold."""

_HINT = '"mode" is clean or faithful, "links" is text or lookup'

Mode = Literal["clean", "faithful"]
"""`clean` follows the policies that agents read; `faithful` follows the published system."""


class OrgSettings(BaseModel):
    """The settings of an org. `links`: see `worksmith.tools.kinds.crm.schema.Links`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: Mode = "clean"
    links: Links = "text"


def read_settings(directory: Path) -> OrgSettings:
    """The settings of the world in `directory`.

    Raises:
        InputError: the file of them cannot be read, or has unknown settings.
    """
    file = directory / SETTINGS_FILE
    if not os.path.lexists(file):
        return OrgSettings()
    return read_model(file, OrgSettings, "the settings of an org", hint=_HINT)


def write_settings(directory: Path, settings: OrgSettings) -> None:
    """Put settings beside the world in `directory`."""
    write_atomically(directory / SETTINGS_FILE, settings.model_dump_json(indent=2).encode() + b"\n")
