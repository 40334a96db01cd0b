"""What is served to whom."""

from __future__ import annotations

from dataclasses import dataclass

from tools.kinds.crm.schema import Schema


@dataclass(frozen=True)
class Serving:
    """What clients may see and do.

    Attributes:
        schema: the objects and fields that there are for them.
        writable: whether they may change records.
        audit: whether new records may give dates that are otherwise the system's own.
    """

    schema: Schema
    writable: bool = False
    audit: bool = False
