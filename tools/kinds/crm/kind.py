"""The CRM world kind, as the registry of world kinds takes it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from tools.kinds.crm import query
from tools.kinds.crm.access.policy import find_persona, open_policy, role_names
from tools.kinds.crm.functions.toolkits import functions_toolkit, plain_toolkit
from tools.kinds.crm.schema import TABLES
from tools.tool import FinishCall
from tools.tool_context import ToolContext
from tools.world_kind import Explanation, WorldKind

_FOLDER = files("tools.kinds.crm")


def _text(name: str) -> str:
    return _FOLDER.joinpath(name).read_text(encoding="utf-8").strip()


def _categories() -> dict[str, tuple[str, ...]]:
    """By category its functions, those that the published ablation took away first."""
    given = tomllib.loads(_text("categories.toml"))
    return {name: (*listed["tested"], *listed["others"]) for name, listed in given.items()}


def _explain(
    ctx: ToolContext, source: str | None, operations: Sequence[str], record: str | None
) -> Explanation:
    from tools.kinds.crm.access.told import explain_role

    return explain_role(ctx, source, operations, record)


def _check_policy(file: Path) -> Explanation:
    from tools.kinds.crm.access.told import check_roles

    return check_roles(file)


def _salesforce(ids: Path | None) -> object:
    from tools.kinds.crm.live.ids import translated
    from tools.kinds.crm.live.org import SalesforceOrg

    live = SalesforceOrg.from_env()
    return translated(live, ids) if ids else live


CRM = WorldKind(
    name="crm",
    tables=TABLES,
    toolkits=(functions_toolkit(), plain_toolkit(), query.TOOLKIT),
    shared_toolkits=(),
    open_policy=open_policy,
    find_persona=find_persona,
    house_rules=_text("house_rules.txt"),
    finish=FinishCall(**tomllib.loads(_text("finish.toml"))),
    toolset_for={"function_calling": "functions", "": "query"},
    categories=_categories(),
    stand_ins=(query.TOOLKIT.name,),
    persona_ids=role_names,
    explain_access=_explain,
    check_policy=_check_policy,
    live_systems={"salesforce": _salesforce},
)
