"""The code of the company: repositories with their files, and the issues of these."""

from __future__ import annotations

from worksmith.tools.kinds.enterprise.generate.code.code_files import plan_code
from worksmith.tools.kinds.enterprise.generate.code.issues import add_issues
from worksmith.tools.kinds.enterprise.generate.code.repositories import add_repositories
from worksmith.tools.kinds.enterprise.generate.draft import Draft


def add_code(draft: Draft) -> None:
    """Plan all files, then add them and their issues."""
    files = plan_code(draft)
    add_repositories(draft, files)
    add_issues(draft, files)
