"""The toolkits of an enterprise, in the order of prompts."""

from __future__ import annotations

from worksmith.tools.kinds.enterprise import select
from worksmith.tools.kinds.enterprise.toolkits import (
    conversations,
    document,
    employee_data,
    enterprise_mail_system,
    github,
    github_issues,
    it_service_management,
    llm,
    overflow,
    products,
    sales,
)
from worksmith.tools.kinds.enterprise.toolkits.crud import crud

TOOLKITS = (
    employee_data.TOOLKIT,
    enterprise_mail_system.TOOLKIT,
    conversations.TOOLKIT,
    github.TOOLKIT,
    github_issues.TOOLKIT,
    products.TOOLKIT,
    crud("product_sentiment"),
    sales.TOOLKIT,
    crud("customers"),
    crud("customer_support_chats"),
    crud("orders"),
    it_service_management.TOOLKIT,
    crud("social_platform"),
    overflow.TOOLKIT,
    document.TOOLKIT,
    crud("clients"),
    crud("vendors"),
    crud("resumes"),
    select.TOOLKIT,
    llm.TOOLKIT,
)
