"""Which fields of the original become which columns; an export writes a field's first name."""

from __future__ import annotations

from dataclasses import dataclass

from tools.kinds.enterprise.importing import cells
from tools.kinds.enterprise.importing.cells import Cell


@dataclass(frozen=True)
class Field:
    """A column and its names in the files."""

    column: str
    names: tuple[str, ...]
    cell: Cell = cells.TEXT


def _same(*columns: str, cell: Cell = cells.TEXT) -> tuple[Field, ...]:
    """Columns that have the original's own names."""
    return tuple(Field(column, (column,), cell) for column in columns)


_LEAVES = tuple(
    Field(f"{which.lower()}_{kind.lower()}_leaves", (f"{which} {kind} Leaves",), cells.WHOLE)
    for kind in ("Casual", "Sick", "Vacation")
    for which in ("Total", "Remaining")
)

_CHAT, _SALE, _POST = cells.numbered("SCH"), cells.numbered("SAL"), cells.numbered("OVF")
_SENTIMENT = cells.numbered("SEN")

FIELDS: dict[str, tuple[Field, ...]] = {
    "employees": (
        *_same("emp_id"),
        Field("name", ("Name", "employee_name")),
        *_same("email", "category"),
        Field("level", ("Level",), cells.LEVEL),
        *_same("title"),
        *_same("description", cell=cells.BODY),
        Field("experience", ("Experience",), cells.BODY),
        *_same("skills", cell=cells.TEXTS),
        Field("doj", ("DOJ", "date_of_joining"), cells.JOINED),
        *_same("reports_to"),
        *_same("is_valid", cell=cells.FLAG),
        Field("dol", ("DOL", "date_of_leaving"), cells.LEFT),
        Field("salary", ("Salary",), cells.RUPEES),
        Field("age", ("Age",), cells.WHOLE),
        Field("gender", ("Gender",)),
        Field("marital_status", ("Marital Status",)),
        Field("performance_rating", ("Performance Rating",), cells.NUMBER),
        *_LEAVES,
        Field("total_leaves_taken", ("Total Leaves Taken",), cells.WHOLE),
    ),
    "conversations": (
        *_same("conversation_id"),
        Field("sender_emp_id", ("sender_emp_id", "emp1_id", "github_author_id", "sender.emp_id")),
        Field("recipient_emp_id", ("recipient_emp_id", "emp2_id", "employee_id", "recipient.emp_id")),
        *_same("category"),
        Field("date", ("date", "conversation_date", "assigned_date"), cells.DATE),
        *_same("text", cell=cells.BODY),
    ),
    "mail": (
        *_same("email_id", "thread_id"),
        *_same("date", cell=cells.MAIL_DATE),
        *_same("sender_emp_id", "sender_email", "sender_name"),
        *_same("recipient_emp_id", "recipient_email", "recipient_name"),
        *_same("subject"),
        *_same("body", cell=cells.BODY),
        *_same("importance", "category", cell=cells.TOKEN),
        *_same("signature", "confidentiality_notice", cell=cells.BODY),
    ),
    "repositories": (
        *_same("repo_name", "path"),
        Field("emp_id", ("emp_id", "employee_id", "owner_emp_id")),
        *_same("language", "license"),
        *_same("creation_date", cell=cells.DATE),
        *_same("size", "copies", cell=cells.WHOLE),
        *_same("hash"),
        *_same("code", cell=cells.BODY),
    ),
    "issues": (
        Field("issue_id", ("id", "issue_id")),
        *_same("path", "title"),
        *_same("description", cell=cells.BODY),
        *_same("status", cell=cells.PRIORITY),
        *_same("created_at", "closed_at", cell=cells.DATE),
        *_same("emp_id"),
        *_same("patch", cell=cells.BODY),
    ),
    "tickets": (
        Field("ticket_id", ("id", "ticket_id", "issue_id"), cells.TEXT),
        *_same("priority", cell=cells.PRIORITY),
        *_same("category", "status", "raised_by_emp_id"),
        *_same("assigned_date", cell=cells.DATE),
        *_same("emp_id"),
        Field("issue", ("Issue",), cells.BODY),
        Field("resolution", ("Resolution",), cells.BODY),
        *_same("closed_date", cell=cells.DATE),
    ),
    "products": (
        *_same("product_id", "product_name", "category"),
        *_same("discounted_price", "actual_price", cell=cells.RUPEES),
        *_same("rating", cell=cells.NUMBER),
        *_same("stock", cell=cells.WHOLE),
        *_same("about_product", cell=cells.BODY),
    ),
    "customers": (
        *_same("customer_id", "customer_name", "region"),
        Field("invoice_path", ("invoice_paths", "invoice_path"), cells.TEXTS),
        Field("purchase_order_path", ("purchase_order_paths", "purchase_order_path"), cells.TEXTS),
        Field("shipping_order_path", ("shipping_order_paths", "shipping_order_path"), cells.TEXTS),
    ),
    "sales": (
        Field("sales_record_id", ("sales_record_id", "sale_id"), _SALE),
        *_same("product_id", "customer_id", "emp_id"),
        *_same("quantity", cell=cells.WHOLE),
        *_same("discounted_price", "actual_price", cell=cells.RUPEES),
        *_same("discount_percentage", cell=cells.PERCENT),
        Field("date_of_purchase", ("Date_of_Purchase", "purchase_date"), cells.DATE),
    ),
    "sentiments": (
        Field("sentiment_id", ("sentiment_id",), _SENTIMENT),
        *_same("product_id", "customer_id", "review_id"),
        *_same("review_content", cell=cells.BODY),
        *_same("review_date", cell=cells.DATE),
    ),
    "support_chats": (
        Field("chat_id", ("chat_id",), _CHAT),
        *_same("product_id", "customer_id", "emp_id"),
        *_same("interaction_date", cell=cells.DATE),
        *_same("text", cell=cells.BODY),
    ),
    "overflow": (
        Field("post_id", ("id", "post_id"), _POST),
        Field("post_type", ("PostTypeId", "post_type")),
        Field("parent_id", ("ParentId",), _POST),
        Field("accepted_answer_id", ("AcceptedAnswerId", "Accepted_Answer_id"), _POST),
        *_same("emp_id"),
        Field("title", ("Title",)),
        *_same("body", cell=cells.BODY),
        Field("tags", ("Tags",), cells.TAGS),
        Field("score", ("Score",), cells.WHOLE),
        Field("view_count", ("ViewCount",), cells.WHOLE),
        Field("creation_date", ("CreationDate",), cells.DATE),
        Field("last_activity_date", ("LastActivityDate",), cells.DATE),
    ),
    "posts": (
        *_same("post_id"),
        Field("title", ("Title",)),
        Field("body", ("Post", "body"), cells.BODY),
        *_same("emp_id", "author"),
        *_same("date", cell=cells.DATE),
    ),
    "clients": (
        *_same("client_id", "business_name", "industry", "business_type", "contact_person_id"),
        *_same("contact_person_name", "contact_email", "phone_number", "registered_address", "tax_id"),
        *_same("monthly_revenue", cell=cells.DOLLARS),
        *_same("onboarding_date", "renewal_date", cell=cells.DATE),
        Field("current_poc_product", ("current_POC_product",)),
        Field("poc_status", ("POC_status",), cells.PRIORITY),
        *_same("engagement_description", cell=cells.BODY),
        Field("emp_id", ("business_representative_employee", "emp_id")),
    ),
    "vendors": (
        Field("vendor_id", ("client_id", "vendor_id")),
        *_same("business_name", "industry", "business_type", "registered_address", "tax_id"),
        *_same("onboarding_date", cell=cells.DATE),
        *_same("relationship_description", cell=cells.BODY),
        Field("emp_id", ("management_representative_employee", "emp_id")),
    ),
    "orders": (
        *_same("order_id", "kind", "customer_id"),
        *_same("date", cell=cells.DATE),
        *_same("total", cell=cells.RUPEES),
        *_same("path"),
        *_same("text", cell=cells.BODY),
    ),
    "policies": (
        *_same("page_id", "policy_id", "title"),
        *_same("page", cell=cells.WHOLE),
        *_same("path"),
        *_same("text", cell=cells.BODY),
    ),
    "resumes": (
        *_same("resume_id", "emp_id", "category", "name", "email"),
        *_same("created_date", cell=cells.DATE),
        *_same("file_path"),
        *_same("content", cell=cells.BODY),
    ),
}
"""By source, all but the columns that are made from others: an employee's department, a file's id, an issue's
repository."""

CURRENCIES = {
    source: {"₹": "INR", "$": "USD"}[mark]
    for source, mark in (("employees", "₹"), ("products", "₹"), ("sales", "₹"), ("clients", "$"))
}
"""What amounts are in; amounts of another currency are left out."""

PEOPLE: dict[str, tuple[str, ...]] = {
    "conversations": ("sender_emp_id", "recipient_emp_id"),
    "mail": ("sender_emp_id", "recipient_emp_id"),
    "repositories": ("emp_id",),
    "issues": ("emp_id",),
    "tickets": ("raised_by_emp_id", "emp_id"),
    "sales": ("emp_id",),
    "support_chats": ("emp_id",),
    "overflow": ("emp_id",),
    "posts": ("emp_id",),
    "clients": ("emp_id",),
    "vendors": ("emp_id",),
    "resumes": ("emp_id",),
}
"""The columns that name employees."""

LINKS: dict[str, tuple[tuple[str, str], ...]] = {
    "sales": (("product_id", "products"), ("customer_id", "customers")),
    "sentiments": (("product_id", "products"), ("customer_id", "customers")),
    "support_chats": (("product_id", "products"), ("customer_id", "customers")),
    "orders": (("customer_id", "customers"),),
    "overflow": (("parent_id", "overflow"), ("accepted_answer_id", "overflow")),
}
"""The columns that name records of other sources."""
