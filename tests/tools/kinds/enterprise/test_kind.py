"""The enterprise kind as a whole: its tools by name, and what prompts show of them."""

from __future__ import annotations

from worksmith.tools.sqlite.schema import Table
from worksmith.tools.world_kind import world_kind

KIND = world_kind("enterprise")
TOOLS = {tool.name: tool for toolkit in KIND.toolkits for tool in toolkit.tools}

OPERATIONS = ("create", "read", "update", "delete")
APPS = (
    "employee_data",
    "enterprise_mail_system",
    "conversations",
    "github",
    "products",
    "product_sentiment",
    "sales",
    "customer_support_chats",
    "social_platform",
    "overflow",
)
PUBLISHED = {
    *(f"{app}_{operation}" for app in APPS for operation in OPERATIONS),
    *(f"it_service_management_{operation}_issue" for operation in OPERATIONS),
    "document_read",
    "llm_call",
}
"""The tools of EnterpriseBench, Table 8."""


def test_every_published_tool_is_there() -> None:
    ours = {name.replace(".", "_") for name in TOOLS}

    assert len(PUBLISHED) == 46
    assert ours >= PUBLISHED
    assert len(ours) == 59


def test_the_tools_fit_a_prompt() -> None:
    lines = [
        line for name, tool in TOOLS.items() if name != "tables.query" for line in tool.text.splitlines()
    ]

    assert len(lines) <= 90
    assert sum(len(line) for line in lines) < 11_000


def test_no_argument_says_who_asks() -> None:
    actors = {
        "user",
        "user_id",
        "sender_emp_id",
        "raised_by_emp_id",
        "author",
        "sender",
        "raised_by",
        "seller",
    }

    for tool in TOOLS.values():
        if tool.writes:
            assert not actors & set(tool.arguments), tool.name


def test_the_query_tool_names_every_table_and_column() -> None:
    def shown(table: Table) -> str:
        return f"{table.name}({', '.join(table.columns)})"

    assert all(shown(table) in TOOLS["tables.query"].text for table in KIND.tables)
