"""The seven tables of an office world, from `tables.toml`."""

from __future__ import annotations

from worksmith.tools.sqlite.schema import read_tables

TABLES = read_tables("worksmith.tools.kinds.office", "tables.toml")
CALENDAR, EMAIL, ANALYTICS, PLOTS, TASKS, CUSTOMERS, DIRECTORY = TABLES

Row = tuple[str | None, ...]
"""The cells of one record, in the order of its table's columns."""

BOARDS = ("Back end", "Front end", "Design")
LISTS = ("Backlog", "In Progress", "In Review", "Completed")
STATUSES = ("Qualified", "Won", "Lost", "Lead", "Proposal")
PRODUCTS = ("Software", "Hardware", "Services", "Consulting", "Training")
TRAFFIC_SOURCES = ("direct", "referral", "search engine", "social media")
