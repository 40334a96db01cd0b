"""The tables of an enterprise world, from `tables.toml`. Each is one source."""

from __future__ import annotations

from worksmith.tools.sqlite.schema import read_tables

TABLES = read_tables("worksmith.tools.kinds.enterprise", "tables.toml")

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
"""The names of the departments by code; CEO, CTO and COO have their own codes."""
