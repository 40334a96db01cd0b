"""The office world kind, as the registry of world kinds takes it."""

from __future__ import annotations

from worksmith.tools.files.data_files import read_text
from worksmith.tools.kinds.office.policy import OwnOffice, find_persona
from worksmith.tools.kinds.office.schema import TABLES
from worksmith.tools.kinds.office.toolkits import TOOLKITS
from worksmith.tools.world_kind import WorldKind

OFFICE = WorldKind(
    name="office",
    tables=TABLES,
    toolkits=TOOLKITS,
    shared_toolkits=("company_directory",),
    open_policy=lambda _world: OwnOffice(),
    find_persona=find_persona,
    house_rules=read_text(__package__, "house_rules.txt").strip(),
    # With a field that does not exist, the original's tool adds a column to the whole table.
    table_changes={"workbench": ("calendar.update_event", "Field not found.")},
)
