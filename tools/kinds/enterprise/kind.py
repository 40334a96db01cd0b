"""The enterprise world kind, as the registry of world kinds takes it."""

from __future__ import annotations

import tomllib
from importlib.resources import files

from tools.kinds.enterprise import select
from tools.kinds.enterprise.access import find_persona, open_policy
from tools.kinds.enterprise.documents import open_library
from tools.kinds.enterprise.schema import DEPARTMENTS, TABLES
from tools.kinds.enterprise.toolkits import (
    clients,
    conversations,
    customer_support_chats,
    customers,
    document,
    employee_data,
    enterprise_mail_system,
    github,
    github_issues,
    it_service_management,
    llm,
    orders,
    overflow,
    product_sentiment,
    products,
    resumes,
    sales,
    social_platform,
    vendors,
)
from tools.tool import FinishCall
from tools.world_kind import WorldKind

_FOLDER = files("tools.kinds.enterprise")

ENTERPRISE = WorldKind(
    name="enterprise",
    tables=TABLES,
    toolkits=(
        employee_data.TOOLKIT,
        enterprise_mail_system.TOOLKIT,
        conversations.TOOLKIT,
        github.TOOLKIT,
        github_issues.TOOLKIT,
        products.TOOLKIT,
        product_sentiment.TOOLKIT,
        sales.TOOLKIT,
        customers.TOOLKIT,
        customer_support_chats.TOOLKIT,
        orders.TOOLKIT,
        it_service_management.TOOLKIT,
        social_platform.TOOLKIT,
        overflow.TOOLKIT,
        document.TOOLKIT,
        clients.TOOLKIT,
        vendors.TOOLKIT,
        resumes.TOOLKIT,
        select.TOOLKIT,
        llm.TOOLKIT,
    ),
    shared_toolkits=("employee_data",),
    open_policy=open_policy,
    find_persona=find_persona,
    house_rules=_FOLDER.joinpath("house_rules.txt").read_text(encoding="utf-8").strip(),
    open_library=open_library,
    finish=FinishCall(**tomllib.loads(_FOLDER.joinpath("finish.toml").read_text(encoding="utf-8"))),
    departments=DEPARTMENTS,
)
