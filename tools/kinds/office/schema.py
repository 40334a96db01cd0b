"""The seven tables of an office world."""

from __future__ import annotations

from tools.sqlite.schema import Table

CALENDAR = Table(
    "calendar",
    ("event_id", "event_name", "participant_email", "event_start", "duration"),
    generated=("event_id",),
    indexes=("event_id",),
)
EMAIL = Table(
    "email",
    ("email_id", "inbox/outbox", "sender/recipient", "subject", "sent_datetime", "body"),
    generated=("email_id",),
    indexes=("email_id",),
)
ANALYTICS = Table(
    "analytics",
    (
        "date_of_visit",
        "visitor_id",
        "page_views",
        "session_duration_seconds",
        "traffic_source",
        "user_engaged",
    ),
    writable=False,
    indexes=("date_of_visit", "visitor_id"),
)
PLOTS = Table("plots", ("file_path",))
TASKS = Table(
    "tasks",
    ("task_id", "task_name", "assigned_to_email", "list_name", "due_date", "board"),
    generated=("task_id",),
    exact=("list_name", "board"),
    indexes=("task_id", "assigned_to_email"),
)
CUSTOMERS = Table(
    "customers",
    (
        "customer_id",
        "assigned_to_email",
        "customer_name",
        "customer_email",
        "customer_phone",
        "last_contact_date",
        "product_interest",
        "status",
        "follow_up_by",
        "notes",
    ),
    generated=("customer_id",),
    exact=("status",),
    indexes=("customer_id",),
)
DIRECTORY = Table("directory", ("address",), writable=False)

Row = tuple[str | None, ...]
"""The cells of one record, in the order of its table's columns."""

TABLES = (CALENDAR, EMAIL, ANALYTICS, PLOTS, TASKS, CUSTOMERS, DIRECTORY)

BOARDS = ("Back end", "Front end", "Design")
LISTS = ("Backlog", "In Progress", "In Review", "Completed")
STATUSES = ("Qualified", "Won", "Lost", "Lead", "Proposal")
PRODUCTS = ("Software", "Hardware", "Services", "Consulting", "Training")
TRAFFIC_SOURCES = ("direct", "referral", "search engine", "social media")
