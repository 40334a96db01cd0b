"""The CRM world kind, as the registry of world kinds takes it."""

from __future__ import annotations

from pathlib import Path

from worksmith.tools.files.data_files import read_text, read_toml
from worksmith.tools.kinds.crm import query
from worksmith.tools.kinds.crm.access.policy import find_persona, open_policy, role_names
from worksmith.tools.kinds.crm.functions.toolkits import functions_toolkit, plain_toolkit
from worksmith.tools.kinds.crm.schema import TABLES
from worksmith.tools.lazy import function_at
from worksmith.tools.tool import FinishCall
from worksmith.tools.world_kind import WorldKind


def _categories() -> dict[str, tuple[str, ...]]:
    """By category its functions, those that the published ablation took away first."""
    given = read_toml(__package__, "categories.toml")
    return {name: (*listed["tested"], *listed["others"]) for name, listed in given.items()}


def _salesforce(ids: Path | None) -> object:
    from worksmith.tools.kinds.crm.live.ids import translated
    from worksmith.tools.kinds.crm.live.org import SalesforceOrg

    live = SalesforceOrg.from_env()
    return translated(live, ids) if ids else live


CRM = WorldKind(
    name="crm",
    tables=TABLES,
    toolkits=(functions_toolkit(), plain_toolkit(), query.TOOLKIT),
    shared_toolkits=(),
    open_policy=open_policy,
    find_persona=find_persona,
    house_rules=read_text(__package__, "house_rules.txt").strip(),
    finish=FinishCall(**read_toml(__package__, "finish.toml")),
    toolset_for={"function_calling": "functions", "": "query"},
    categories=_categories(),
    stand_ins=(query.TOOLKIT.name,),
    persona_ids=role_names,
    explain_access=function_at("worksmith.tools.kinds.crm.access.explanations:explain_role"),
    check_policy=function_at("worksmith.tools.kinds.crm.access.explanations:check_roles"),
    live_systems={"salesforce": _salesforce},
)
