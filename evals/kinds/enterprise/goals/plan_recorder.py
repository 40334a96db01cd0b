"""Making a gold plan: a goal's program calls tools as the persona, and every call becomes a step."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from worksmith.evals.authoring.plan_recorder import PlanRecorder as Recorder
from worksmith.evals.authoring.value_forms import tells
from worksmith.evals.kinds.enterprise.facts import Facts
from worksmith.evals.kinds.enterprise.goals.draw_context import UnfitError
from worksmith.evals.kinds.enterprise.goals.value_sources import Trace
from worksmith.evals.tasks.task import Action
from worksmith.tools.dispatch import Observation
from worksmith.tools.episode import Episode
from worksmith.tools.errors import WorksmithError
from worksmith.tools.kinds.enterprise.schema import KEYS

READERS = {
    "employees": "employee_data.read",
    "conversations": "conversations.read",
    "mail": "enterprise_mail_system.read",
    "repositories": "github.read",
    "issues": "github_issues.read",
    "tickets": "it_service_management.read_issue",
    "products": "products.read",
    "customers": "customers.read",
    "sales": "sales.read",
    "sentiments": "product_sentiment.read",
    "support_chats": "customer_support_chats.read",
    "orders": "orders.read",
    "overflow": "overflow.read",
    "posts": "social_platform.read",
    "policies": "document.read",
    "clients": "clients.read",
    "vendors": "vendors.read",
    "resumes": "resumes.read",
}
"""The tool that reads each source."""

MOST_READ = 50
"""So many records a program asks for where it needs all there are."""

_CUT = "…"
"""The end of a text of which a list shows only the beginning."""


class DeniedError(WorksmithError):
    """The persona may not go on with the plan.

    Attributes:
        rule: of the policy, by which the last step was denied.
        hidden: whether the step itself was allowed, and only a field of what it shows is hidden.
    """

    def __init__(self, rule: str, *, hidden: bool = False) -> None:
        super().__init__(f"denied by {rule}")
        self.rule = rule
        self.hidden = hidden


class Row(dict[str, str]):
    """A record as a tool showed it.

    Attributes:
        ref: the record, `source/key`; empty for a row of a SELECT.
        step: the index of the call that showed it.
    """

    def __init__(self, cells: dict[str, Any], source: str, step: int) -> None:
        super().__init__({name: "" if cell is None else str(cell) for name, cell in cells.items()})
        self.ref = f"{source}/{self.get(KEYS[source], '')}" if source else ""
        self.step = step


class Rows(list[Row]):
    """The result of a reading call.

    Attributes:
        total: the number of matching records; more than shown if the call had a limit.
        step: the index of the call.
    """

    def __init__(self, rows: list[Row], total: int, step: int) -> None:
        super().__init__(rows)
        self.total = total
        self.step = step

    @property
    def first(self) -> Row:
        """The record that is shown first.

        Raises:
            UnfitError: the result is empty.
        """
        if not self:
            raise UnfitError("there is nothing")
        return self[0]


class PlanRecorder(Recorder):
    """The persona, the clock and the tools for a goal's `solve`.

    Attributes:
        me: the persona.
        used: indexes of the steps whose outcome matters to a later step or to the answer.
        read_refs: the records that the plan needs, in the order of reading.
        picked: those of them that were picked out, not only counted or compared with others.
    """

    def __init__(self, episode: Episode, facts: Facts, query: str) -> None:
        super().__init__(episode)
        self.me = episode.persona
        self.used: set[int] = set()
        self.read_refs: list[str] = []
        self.picked: list[str] = []
        self._facts = facts
        self._trace = Trace(query)
        self._weighed: set[int] = set()

    def read(self, source: str, why: str, **arguments: str | int) -> Rows:
        """The records of a source that match, as its tool shows them."""
        tool = READERS[source]
        value = self._make(tool, why, arguments).value
        step = len(self.steps) - 1
        rows = [Row(cells, source, step) for cells in value["records"]]
        return Rows(rows, int(value["total"]), step)

    def one(self, source: str, why: str, **arguments: str | int) -> Row:
        """The only record that matches.

        Raises:
            UnfitError: not exactly one matches.
        """
        rows = self.read(source, why, **arguments)
        if len(rows) != 1 or rows.total != 1:
            raise UnfitError(f"{rows.total} {source} match {arguments}")
        return self.pick(rows[0])

    def every(self, source: str, why: str, **arguments: str | int) -> Rows:
        """All records that match, in full number; results computed from them depend on this step.

        Raises:
            UnfitError: there are more than a call shows.
        """
        rows = self.read(source, why, **{"limit": MOST_READ, **arguments})
        if rows.total > len(rows):
            raise UnfitError(f"{rows.total} {source} match {arguments}")
        self.read_refs += [row.ref for row in rows if row.ref not in self.read_refs]
        self.weigh(rows)
        return rows

    def select(self, why: str, sql: str) -> Rows:
        """The rows of a SELECT over all that the persona may read; the answer is worked out from them."""
        value = self._make("tables.query", why, {"sql": sql}).value
        step = len(self.steps) - 1
        rows = Rows([Row(cells, "", step) for cells in value["records"]], int(value["total"]), step)
        self.weigh(rows)
        return rows

    def word(self, why: str, prompt: str, reply: str) -> str:
        """Have the language model write a text.

        Args:
            reply: a good one. No model is asked: the task is the same with any reply.
        """
        self._episode.ask = lambda _: reply
        value = self._make("llm.call", why, {"prompt": prompt}).value
        self._episode.ask = None
        return str(value)

    def listing(self, rows: Rows, column: str) -> tuple[str, ...]:
        """The answer that lists the ids of some rows, or an empty one."""
        return tuple(row[column] for row in rows) if rows else self.none(rows)

    def none(self, rows: Rows) -> tuple[str, ...]:
        """The empty answer.

        Raises:
            UnfitError: a record matches.
        """
        if rows:
            raise UnfitError("there is something after all")
        self.weigh(rows)
        return ()

    def pick(self, row: Row) -> Row:
        """Note that the plan picks out this record."""
        for refs in (self.read_refs, self.picked):
            if row.ref not in refs:
                refs.append(row.ref)
        self._trace.pick(row, row.step)
        return row

    def fact(self, row: Row, name: str) -> str:
        """The value of `name` in the record's text, as a reader understands it.

        Raises:
            UnfitError: the shown text does not state it.
        """
        source, _, key = row.ref.partition("/")
        value = self._facts.fact(source, key, name)
        if value is None or not tells(" ".join(row.values()), value):
            raise UnfitError(f"{row.ref} does not show its {name}")
        self.pick(row)
        self.weigh(row)
        self._trace.understand(value, row.step)
        return value

    def understood(self, row: Row, name: str) -> str:
        """Like `fact`, for a fact that the text states in other words.

        Raises:
            UnfitError: the text was not shown in full.
        """
        source, _, key = row.ref.partition("/")
        value = self._facts.fact(source, key, name)
        if value is None or any(cell.endswith(_CUT) for cell in row.values()):
            raise UnfitError(f"{row.ref} does not show its {name}")
        self.pick(row)
        self.weigh(row)
        self._trace.understand(value, row.step)
        return value

    def quoted(self, row: Row, pattern: str) -> str:
        """The one part of a record's text that matches a pattern, such as the id of another record.

        Raises:
            UnfitError: nothing matches, or different things do.
        """
        found = set(re.findall(pattern, " ".join(row.values())))
        if len(found) != 1:
            raise UnfitError(f"{row.ref} quotes {sorted(found)}")
        (value,) = found
        self.pick(row)
        self._trace.understand(value, row.step)
        return str(value)

    def private(self, row: Row, field: str) -> str:
        """A private field of an employee's record.

        Raises:
            DeniedError: it is hidden from the persona.
        """
        self.used.add(row.step)
        if not row.get(field):
            raise DeniedError(self._private_rule(), hidden=True)
        return row[field]

    def weigh(self, *seen: Row | Rows) -> None:
        """Note that the next change or the answer is worked out from these."""
        self._weighed.update(item.step for item in seen)

    def write(self, tool: str, why: str, **arguments: str) -> Any:
        """Make a change; returns the result of the tool."""
        value = self._make(tool, why, arguments).value
        self.used.add(len(self.steps) - 1)
        return value

    def carry_out(self, why: str, change: Action) -> tuple[str, ...]:
        """Make a change that leaves nothing to answer."""
        self.write(change.tool, why, **change.arguments)
        return ()

    def answered(self, values: tuple[str, ...]) -> None:
        """Note which steps the answer comes from."""
        for value in values:
            found = self._trace.origin(value)
            if found is not None:
                self.used.add(found)
        self.used |= self._weighed

    def writes(self) -> tuple[Action, ...]:
        return tuple(
            Action(tool=step.tool, arguments=step.arguments) for step in self.steps if self._writes(step)
        )

    def disclosed(self, value: str) -> bool:
        """Whether any observation so far contains a value."""
        return self._trace.disclosed(value)

    def _make(self, tool: str, why: str, arguments: Mapping[str, str | int]) -> Observation:
        after = self._trace.sources(arguments)
        if self._episode.toolset[tool].writes:
            after |= self._weighed
            self._weighed = set()
        self.used |= after
        observation = self._call(tool, why, arguments, after)
        self._trace.observe(observation.value, observation.text)
        if observation.status == "denied":
            self.used.add(len(self.steps) - 1)
            decision = self._episode.calls[-1].decision
            raise DeniedError(decision.rule if decision else "")
        if observation.status != "ok":
            raise UnfitError(f"{tool}({arguments}): {observation.text}")
        return observation

    def _private_rule(self) -> str:
        document = getattr(self._episode.policy, "document", None)
        private = document.sources["employees"].private if document is not None else None
        return private.rule.id if private is not None else ""
