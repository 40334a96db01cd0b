"""Working out, from the world's rows, the answers that the original published wrong or one-sided."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from statistics import fmean

from worksmith.evals.tasks.task import Action
from worksmith.tools.kinds.office.schema import TABLES

Tables = Mapping[str, Sequence[Sequence[str | None]]]
"""A world's rows by table name, cells in column order."""

Answer = tuple[Action, ...]
Record = Mapping[str, str]

_QUOTED = re.compile(r"(?<!\w)'([^']+)'")
_SINCE = re.compile(r"since ([A-Z]\w+ \d{1,2})")
_THRESHOLD = re.compile(r"more than (\d+)")
_STAGE = re.compile(r"(\w+) stage\b.*\binterested in (\w+)")
_METRICS = ("total visits", "average session duration", "engaged users")


class Office:
    """The world's rows as records, and the questions that the answers below ask of them."""

    def __init__(self, tables: Tables, today: date) -> None:
        self.today = today
        self._records = {
            table.name: [
                {column: cell or "" for column, cell in zip(table.columns, row, strict=True)}
                for row in tables.get(table.name, ())
            ]
            for table in TABLES
        }
        self.addresses = [record["address"] for record in self._records["directory"]]
        self.tasks = self._records["tasks"]
        self.customers = self._records["customers"]

    def people(self, query: str) -> list[str]:
        """Addresses of the people whose first names a task mentions, in the order of mention."""
        by_name = {address.split(".", 1)[0]: address for address in self.addresses}
        return [by_name[word] for word in re.findall(r"[a-z]+", query.lower()) if word in by_name]

    def exceeded(self, metric: str, threshold: int, since: date) -> bool:
        """Whether a metric's daily value was above `threshold` on a day from `since` on."""
        visits: dict[str, list[Record]] = defaultdict(list)
        for visit in self._records["analytics"]:
            if visit["date_of_visit"] >= since.isoformat():
                visits[visit["date_of_visit"]].append(visit)
        return any(_daily(metric, day) > threshold for day in visits.values())


def fewest_overdue(query: str, published: Answer, office: Office) -> list[Answer]:
    """One answer for each employee with the fewest tasks that are overdue and not completed."""
    overdue = Counter(
        task["assigned_to_email"]
        for task in office.tasks
        if task["due_date"] < office.today.isoformat() and task["list_name"] != "Completed"
    )
    fewest = min((overdue[address] for address in office.addresses), default=0)
    chosen = [address for address in office.addresses if overdue[address] == fewest]
    return [tuple(_with(action, assigned_to_email=address) for action in published) for address in chosen]


def reprioritise(query: str, published: Answer, office: Office) -> list[Answer]:
    """Leads deleted and good news if the metric exceeded the threshold; else the other mail alone."""
    quoted, threshold, since = _QUOTED.findall(query), _THRESHOLD.search(query), _since(query, office)
    metric = next((name for name in _METRICS if name in query), None)
    people = office.people(query)
    if len(quoted) != 3 or not threshold or not since or not metric or not people:
        return []
    title, good, bad = quoted
    held = office.exceeded(metric, int(threshold[1]), since)
    leads = [c for c in office.customers if c["assigned_to_email"] == people[0] and c["status"] == "Lead"]
    deletions = [_delete_customer(lead) for lead in leads] if held else []
    mail = {"recipient": people[0], "subject": title, "body": good if held else bad}
    return [(*deletions, Action(tool="email.send_email", arguments=mail))]


def move_to_lost(query: str, published: Answer, office: Office) -> list[Answer]:
    """The customers that the task describes get the status Lost."""
    found, people = _STAGE.search(query), office.people(query)
    if not found or not people:
        return []
    status, product = found[1].capitalize(), found[2].capitalize()
    chosen = [
        customer
        for customer in office.customers
        if (customer["assigned_to_email"], customer["status"], customer["product_interest"])
        == (people[0], status, product)
        and status != "Lost"
    ]
    return [tuple(_update_customer(customer, "status", "Lost") for customer in chosen)]


def mail_title(query: str, published: Answer, office: Office) -> list[Answer]:
    """The mail gets the title that the task states instead of one with "Recent" in front."""
    quoted = _QUOTED.findall(query)
    answer = []
    for action in published:
        subject = action.arguments.get("subject", "")
        stated = subject.removeprefix("Recent ")
        wrong = subject not in quoted and stated in quoted
        answer.append(_with(action, subject=stated) if wrong else action)
    return [tuple(answer)]


def plot_until_today(query: str, published: Answer, office: Office) -> list[Answer]:
    """Plots that end yesterday may end today."""
    yesterday = (office.today - timedelta(days=1)).isoformat()
    open_ended = published and all(
        action.tool == "analytics.create_plot" and action.arguments["time_max"] == yesterday
        for action in published
    )
    if not open_ended:
        return []
    return [tuple(_with(action, time_max=office.today.isoformat()) for action in published)]


def unfinished(query: str, published: Answer, office: Office) -> list[Answer]:
    """Tasks in progress and those in review go to the backlog."""
    people = office.people(query)
    if not people:
        return []
    open_lists = ("In Progress", "In Review")
    return [
        tuple(
            _update_task(task, "list_name", "Backlog")
            for task in office.tasks
            if task["assigned_to_email"] == people[0] and task["list_name"] in open_lists
        )
    ]


def most_urgent(query: str, published: Answer, office: Office) -> list[Answer]:
    """One answer for each of the person's open tasks that are due first, on whatever list."""
    people = office.people(query)
    if len(people) != 2:
        return []
    open_tasks = [
        task
        for task in office.tasks
        if task["assigned_to_email"] == people[0] and task["list_name"] != "Completed"
    ]
    first = min((task["due_date"] for task in open_tasks), default="")
    return [
        (_update_task(task, "assigned_to_email", people[1]),)
        for task in open_tasks
        if task["due_date"] == first
    ]


def _daily(metric: str, visits: Iterable[Record]) -> float:
    if metric == "average session duration":
        return fmean(float(visit["session_duration_seconds"]) for visit in visits)
    return sum(1 for visit in visits if metric == "total visits" or visit["user_engaged"] == "True")


def _since(query: str, office: Office) -> date | None:
    found = _SINCE.search(query)
    if not found:
        return None
    try:
        day = datetime.strptime(f"{found[1]} {office.today.year}", "%B %d %Y").date()
    except ValueError:
        return None
    return day if day <= office.today else day.replace(year=day.year - 1)


def _with(action: Action, **changes: str) -> Action:
    return Action(tool=action.tool, arguments={**action.arguments, **changes})


def _delete_customer(customer: Record) -> Action:
    return Action(
        tool="customer_relationship_manager.delete_customer",
        arguments={"customer_id": customer["customer_id"]},
    )


def _update_customer(customer: Record, field: str, value: str) -> Action:
    return Action(
        tool="customer_relationship_manager.update_customer",
        arguments={"customer_id": customer["customer_id"], "field": field, "new_value": value},
    )


def _update_task(task: Record, field: str, value: str) -> Action:
    return Action(
        tool="project_management.update_task",
        arguments={"task_id": task["task_id"], "field": field, "new_value": value},
    )
