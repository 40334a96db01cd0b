"""The records of orgs, for questions."""

from __future__ import annotations

from functools import cache

from tests.tools.kinds.crm.generate.orgs import small
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords


@cache
def small_org(seed: int = 7) -> OrgRecords:
    """The records of a small org; shared, so they are not to be changed."""
    return OrgRecords(small(seed))
