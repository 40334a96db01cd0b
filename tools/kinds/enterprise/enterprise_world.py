"""The enterprise world kind, as the registry of world kinds takes it."""

from __future__ import annotations

from worksmith.tools.files.data_files import read_text, read_toml
from worksmith.tools.kinds.enterprise.access import find_persona, open_policy
from worksmith.tools.kinds.enterprise.documents import open_library
from worksmith.tools.kinds.enterprise.schema import DEPARTMENTS, TABLES
from worksmith.tools.kinds.enterprise.toolkits import TOOLKITS
from worksmith.tools.tool import FinishCall
from worksmith.tools.world_kind import WorldKind

ENTERPRISE = WorldKind(
    name="enterprise",
    tables=TABLES,
    toolkits=TOOLKITS,
    shared_toolkits=("employee_data",),
    open_policy=open_policy,
    find_persona=find_persona,
    house_rules=read_text(__package__, "house_rules.txt").strip(),
    open_library=open_library,
    finish=FinishCall(**read_toml(__package__, "finish.toml")),
    departments=DEPARTMENTS,
)
