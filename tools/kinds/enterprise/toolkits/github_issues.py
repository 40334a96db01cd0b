"""The issues of the company's repositories."""

from __future__ import annotations

from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.toolkits.crud import Cells, Change, crud
from worksmith.tools.kinds.enterprise.writing import today


def _follows(change: Change) -> Cells:
    cells = change.cells
    if change.new:
        file = change.guard.get("repositories", f"{cells['repo_name']}:{cells['path']}")
        return {name: file[name] for name in ("repo_name", "path")}
    more: Cells = {}
    if "patch" in cells:
        more["patch"] = change.given["patch"]  # as it is: blanks at its ends belong to it
    if "status" in cells:
        if change.stored()["status"] == cells["status"]:
            raise ToolError(f"{change.key} is {cells['status']} already.")
        more["closed_at"] = today(change.ctx) if cells["status"] == "closed" else None
    return more


TOOLKIT = crud("github_issues", follows=_follows)
