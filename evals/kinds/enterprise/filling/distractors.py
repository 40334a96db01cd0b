"""Near misses: other records that are like the one wanted in some way, so that guessing does not find it."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Facts

FEWEST = 2

_ALIKE = {
    "employees": ("department", "level", "reports_to"),
    "conversations": ("sender_emp_id", "recipient_emp_id", "category"),
    "mail": ("sender_emp_id", "recipient_emp_id", "category"),
    "repositories": ("repo_name", "emp_id", "license"),
    "issues": ("repo_name", "status", "emp_id"),
    "tickets": ("category", "priority", "emp_id"),
    "products": ("category", "rating"),
    "customers": ("region",),
    "sales": ("product_id", "customer_id"),
    "sentiments": ("product_id", "customer_id"),
    "support_chats": ("product_id", "customer_id", "emp_id"),
    "orders": ("kind",),
    "overflow": ("post_type",),
    "posts": ("emp_id", "date"),
    "policies": ("policy_id",),
    "clients": ("industry", "emp_id"),
    "vendors": ("industry", "emp_id"),
    "resumes": ("category",),
}
"""The columns in which records of a source are easily mistaken for each other."""


def near_misses(facts: Facts, ref: str) -> int:
    """How many other records share something with this one; counted only as far as it matters."""
    source = ref.partition("/")[0]
    row = facts.at(ref)
    if row is None:
        return 0
    found = 0
    for column in _ALIKE[source]:
        found += len(facts.where(source, **{column: row[column]})) - 1
        if found >= FEWEST:
            break
    return found
