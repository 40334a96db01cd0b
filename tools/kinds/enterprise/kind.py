"""The enterprise world kind, as the registry of world kinds takes it."""

from __future__ import annotations

from pkgutil import resolve_name

from worksmith.tools.files.data_files import read_text, read_toml
from worksmith.tools.kinds.enterprise.access import find_persona, open_policy
from worksmith.tools.kinds.enterprise.documents import open_library
from worksmith.tools.kinds.enterprise.schema import DEPARTMENTS, TABLES
from worksmith.tools.tool import FinishCall
from worksmith.tools.world_kind import WorldKind

_TOOLKITS = (
    "toolkits.employee_data",
    "toolkits.enterprise_mail_system",
    "toolkits.conversations",
    "toolkits.github",
    "toolkits.github_issues",
    "toolkits.products",
    "toolkits.product_sentiment",
    "toolkits.sales",
    "toolkits.customers",
    "toolkits.customer_support_chats",
    "toolkits.orders",
    "toolkits.it_service_management",
    "toolkits.social_platform",
    "toolkits.overflow",
    "toolkits.document",
    "toolkits.clients",
    "toolkits.vendors",
    "toolkits.resumes",
    "select",
    "toolkits.llm",
)

ENTERPRISE = WorldKind(
    name="enterprise",
    tables=TABLES,
    toolkits=tuple(resolve_name(f"worksmith.tools.kinds.enterprise.{name}:TOOLKIT") for name in _TOOLKITS),
    shared_toolkits=("employee_data",),
    open_policy=open_policy,
    find_persona=find_persona,
    house_rules=read_text(__package__, "house_rules.txt").strip(),
    open_library=open_library,
    finish=FinishCall(**read_toml(__package__, "finish.toml")),
    departments=DEPARTMENTS,
)
