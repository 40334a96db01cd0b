"""Names of files and models."""

from __future__ import annotations

import re


def slug(label: str) -> str:
    """A label as a name for files and models: `react + knn` becomes `react-knn`."""
    return "-".join(re.findall(r"[A-Za-z0-9_]+", label))
