"""The tables of an enterprise world. Each is one source: what policies, indexes and tools are named after.

Dates are ISO texts (`2022-03-04`, or `2022-03-04T09:30:00` where the time counts), amounts plain decimals in
the world's currency, flags `TRUE` or `FALSE`. A column called `emp_id` names the employee whom a record
belongs to.
"""

from __future__ import annotations

from tools.sqlite.schema import Table

LEAVES = tuple(
    f"{which}_{kind}_leaves" for kind in ("casual", "sick", "vacation") for which in ("total", "remaining")
)

EMPLOYEES = Table(
    "employees",
    (
        "emp_id",
        "name",
        "email",
        "department",  # a code: EN, IN, HR, BU, BP, FI, SA, MA; CE, CT, CO for the executives
        "category",  # the department's name
        "level",  # 09 to 14
        "title",
        "description",
        "experience",
        "skills",  # separated by ", "
        "doj",
        "reports_to",
        "is_valid",
        "dol",
        "salary",
        "age",
        "gender",
        "marital_status",
        "performance_rating",
        *LEAVES,
        "total_leaves_taken",
    ),
    generated=("emp_id",),
    free=("description", "experience"),
    indexes=("emp_id", "reports_to", "name", "email", "department"),
)
CONVERSATIONS = Table(
    "conversations",
    ("conversation_id", "sender_emp_id", "recipient_emp_id", "category", "date", "text"),
    generated=("conversation_id",),
    free=("text", "category"),
    indexes=("conversation_id", "sender_emp_id", "recipient_emp_id"),
)
MAIL = Table(
    "mail",
    (
        "email_id",
        "thread_id",
        "date",
        "sender_emp_id",
        "sender_email",
        "sender_name",
        "recipient_emp_id",
        "recipient_email",
        "recipient_name",
        "subject",
        "body",
        "importance",
        "category",
        "signature",
        "confidentiality_notice",
    ),
    generated=("email_id", "thread_id"),
    free=("subject", "body", "importance", "category", "signature", "confidentiality_notice"),
    indexes=("email_id", "thread_id", "sender_emp_id", "recipient_emp_id"),
)
REPOSITORIES = Table(
    "repositories",
    (
        "file_id",  # repository and path, "owner/name:src/parser.py"
        "repo_name",
        "path",
        "emp_id",
        "language",
        "license",
        "creation_date",
        "size",
        "copies",
        "hash",
        "code",
    ),
    generated=("file_id", "size", "hash"),
    indexes=("file_id", "repo_name", "emp_id"),
)
ISSUES = Table(
    "issues",
    (
        "issue_id",
        "repo_name",
        "path",
        "title",
        "description",
        "status",  # open, closed
        "created_at",
        "closed_at",
        "emp_id",
        "patch",
    ),
    generated=("issue_id",),
    free=("title", "description", "patch"),
    indexes=("issue_id", "repo_name", "emp_id"),
)
TICKETS = Table(
    "tickets",
    (
        "ticket_id",
        "priority",  # high, medium, low
        "category",
        "status",  # open, resolved
        "raised_by_emp_id",
        "assigned_date",
        "emp_id",
        "issue",
        "resolution",
        "closed_date",
    ),
    generated=("ticket_id",),
    free=("issue", "resolution"),
    indexes=("ticket_id", "raised_by_emp_id", "emp_id"),
)
PRODUCTS = Table(
    "products",
    (
        "product_id",
        "product_name",
        "category",  # from the widest to the narrowest, separated by "|"
        "discounted_price",
        "actual_price",
        "rating",
        "stock",
        "about_product",
    ),
    generated=("product_id",),
    free=("about_product",),
    indexes=("product_id", "product_name"),
)
CUSTOMERS = Table(
    "customers",
    (
        "customer_id",
        "customer_name",
        "region",
        "invoice_path",
        "purchase_order_path",
        "shipping_order_path",
    ),
    generated=("customer_id",),
    indexes=("customer_id", "customer_name"),
)
SALES = Table(
    "sales",
    (
        "sales_record_id",
        "product_id",
        "customer_id",
        "emp_id",
        "quantity",
        "discounted_price",
        "actual_price",
        "discount_percentage",
        "date_of_purchase",
    ),
    generated=("sales_record_id",),
    indexes=("sales_record_id", "product_id", "customer_id", "emp_id"),
)
SENTIMENTS = Table(
    "sentiments",
    ("sentiment_id", "product_id", "customer_id", "review_id", "review_content", "review_date"),
    generated=("sentiment_id", "review_id"),
    free=("review_content",),
    indexes=("sentiment_id", "product_id", "customer_id"),
)
SUPPORT_CHATS = Table(
    "support_chats",
    ("chat_id", "product_id", "customer_id", "emp_id", "interaction_date", "text"),
    generated=("chat_id",),
    free=("text",),
    indexes=("chat_id", "product_id", "customer_id", "emp_id"),
)
ORDERS = Table(
    "orders",
    (
        "order_id",
        "kind",
        "customer_id",
        "date",
        "total",
        "path",
        "text",
    ),  # invoice, purchase_order, shipping_order
    writable=False,
    indexes=("order_id", "customer_id"),
)
OVERFLOW = Table(
    "overflow",
    (
        "post_id",
        "post_type",  # question, answer
        "parent_id",
        "accepted_answer_id",
        "emp_id",
        "title",
        "body",
        "tags",  # separated by ", "
        "score",
        "view_count",
        "creation_date",
        "last_activity_date",
    ),
    generated=("post_id",),
    free=("title", "body"),
    indexes=("post_id", "parent_id", "emp_id"),
)
POSTS = Table(
    "posts",
    ("post_id", "title", "body", "emp_id", "author", "date"),
    generated=("post_id",),
    free=("title", "body"),
    indexes=("post_id", "emp_id"),
)
POLICIES = Table(
    "policies",
    ("page_id", "policy_id", "title", "page", "path", "text"),  # one row a page
    writable=False,
    indexes=("page_id", "policy_id"),
)
CLIENTS = Table(
    "clients",
    (
        "client_id",
        "business_name",
        "industry",
        "business_type",
        "contact_person_id",
        "contact_person_name",
        "contact_email",
        "phone_number",
        "registered_address",
        "tax_id",
        "monthly_revenue",
        "onboarding_date",
        "renewal_date",
        "current_poc_product",
        "poc_status",  # ongoing, accepted
        "engagement_description",
        "emp_id",
    ),
    writable=False,
    indexes=("client_id", "emp_id"),
)
VENDORS = Table(
    "vendors",
    (
        "vendor_id",
        "business_name",
        "industry",
        "business_type",
        "registered_address",
        "tax_id",
        "onboarding_date",
        "relationship_description",
        "emp_id",
    ),
    writable=False,
    indexes=("vendor_id", "emp_id"),
)
RESUMES = Table(
    "resumes",
    ("resume_id", "emp_id", "category", "name", "email", "created_date", "file_path", "content"),
    writable=False,
    indexes=("resume_id", "emp_id"),
)

TABLES = (
    EMPLOYEES,
    CONVERSATIONS,
    MAIL,
    REPOSITORIES,
    ISSUES,
    TICKETS,
    PRODUCTS,
    CUSTOMERS,
    SALES,
    SENTIMENTS,
    SUPPORT_CHATS,
    ORDERS,
    OVERFLOW,
    POSTS,
    POLICIES,
    CLIENTS,
    VENDORS,
    RESUMES,
)

KEYS = {table.name: table.columns[0] for table in TABLES}
"""The column that identifies a record of a source: the first one. A record's reference is `source/key`."""

DEPARTMENTS = {
    "EN": "Engineering",
    "IN": "Information Technology",
    "HR": "HR",
    "BU": "Business Development",
    "BP": "BPO",
    "FI": "Finance",
    "SA": "Sales",
    "MA": "Management",
    "CE": "Executive",
    "CT": "Executive",
    "CO": "Executive",
}
"""The names of the departments by code; CEO, CTO and COO have codes of their own."""
