"""Functions about agents: what they handled, how fast, and what they passed on."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from worksmith.tools.kinds.crm.functions.base import Base, Counts, Ids, Records, Values, means, tally
from worksmith.tools.kinds.crm.functions.statements import distinct

_ASSIGNED = "Field__c = 'Owner Assignment'"


class Staff(Base):
    """Functions that count by agent."""

    def get_agents_with_max_cases(self, subset_cases: Records) -> Ids:
        return self._owners(subset_cases, max)

    def get_agents_with_min_cases(self, subset_cases: Records) -> Ids:
        return self._owners(subset_cases, min)

    def _owners(self, cases: Records, extreme: Callable[[Iterable[int]], int]) -> Ids:
        self.need("subset_cases", cases, "OwnerId")
        counts = tally(self.owner("subset_cases", place, case) for place, case in enumerate(cases))
        if not counts:
            return []
        best = extreme(counts.values())
        return [agent for agent, count in counts.items() if count == best]

    def calculate_average_handle_time(self, cases: Records) -> Values:
        self.need("cases", cases, "OwnerId")
        owners = [self.owner("cases", place, case) for place, case in enumerate(cases)]
        times = self.seconds("cases", cases)
        pairs = zip(owners, times, strict=True)
        return means((owner, seconds / 60) for owner, seconds in pairs if seconds is not None)

    def get_agent_handled_cases_by_period(self, start_date: str, end_date: str) -> Counts:
        # A case's first assignment has no owner before it; the published system counts transfers as well.
        first = ["OldValue__c = null"] if self.clean else []
        return self._by("NewValue__c", [*self.within(start_date, end_date, last=True), *first])

    def get_qualified_agent_ids_by_case_count(self, agent_handled_cases: Counts, n_cases: int) -> Ids:
        return [agent for agent, count in agent_handled_cases.items() if count > n_cases]

    def get_non_transferred_case_ids(self, start_date: str, end_date: str) -> Ids:
        window = self.within(start_date, end_date, last=True)
        if not self.clean:  # sees one assignment inside the window, with any others outside
            return self._assigned_once([_ASSIGNED, *window], [])
        bounds = [bound.replace("CreatedDate", "MIN(CreatedDate)") for bound in window]
        return self._assigned_once([_ASSIGNED], bounds)

    def _assigned_once(self, conditions: list[str], bounds: list[str]) -> Ids:
        having = " AND ".join(["COUNT(Id) = 1", *bounds])
        rows = self.select(
            "CaseId__c", "CaseHistory__c", conditions, tail=f" GROUP BY CaseId__c HAVING {having}"
        )
        return [row["CaseId__c"] for row in rows if row["CaseId__c"] is not None]

    def get_agent_transferred_cases_by_period(
        self, start_date: str, end_date: str, qualified_agent_ids: Ids | None = None
    ) -> Counts:
        window = self.within(start_date, end_date, last=True)
        counts = self._by("OldValue__c", ["OldValue__c != null", *window])
        if qualified_agent_ids is None or (not qualified_agent_ids and not self.clean):
            return counts
        found = {agent: counts.get(agent, 0) for agent in distinct(qualified_agent_ids)}
        return found if self.clean else {agent: count for agent, count in found.items() if count}

    def _by(self, agent: str, conditions: list[str]) -> Counts:
        """The number of assignments by one of their two agents."""
        rows = self.select(
            f"{agent}, COUNT(Id) cases", "CaseHistory__c", [_ASSIGNED, *conditions], tail=f" GROUP BY {agent}"
        )
        return {row[agent]: row["cases"] for row in rows if row[agent] is not None}
