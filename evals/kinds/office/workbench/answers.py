"""Working out, from the world's records, the answers that the original published wrong or one-sided."""

from __future__ import annotations

import re
from datetime import date, timedelta

from worksmith.evals.kinds.office.intents import actions
from worksmith.evals.kinds.office.intents.wording import past_day
from worksmith.evals.kinds.office.records import METRICS, Records
from worksmith.evals.tasks.task import Action

Answer = tuple[Action, ...]

_QUOTED = re.compile(r"(?<!\w)'([^']+)'")
_SINCE = re.compile(r"since ([A-Z]\w+ \d{1,2})")
_THRESHOLD = re.compile(r"more than (\d+)")
_STAGE = re.compile(r"(\w+) stage\b.*\binterested in (\w+)")


def fewest_overdue(query: str, published: Answer, records: Records) -> list[Answer]:
    """One answer for each employee with the fewest tasks that are overdue and not completed."""
    overdue = {
        employee.address: sum(
            task.due < records.today and task.list_name != "Completed"
            for task in records.tasks_of.get(employee.address, ())
        )
        for employee in records.employees
    }
    return [
        tuple(_with(action, assigned_to_email=address) for action in published)
        for address, count in overdue.items()
        if count == min(overdue.values())
    ]


def reprioritise(query: str, published: Answer, records: Records) -> list[Answer]:
    """Leads deleted and good news if the metric exceeded the threshold; else the other mail alone."""
    quoted, threshold, people = _QUOTED.findall(query), _THRESHOLD.search(query), _people(query, records)
    stated = _SINCE.search(query)
    since = past_day(stated[1], records.today) if stated else None
    metric = next((name for name in METRICS if name in query), None)
    if len(quoted) != 3 or not threshold or not since or not metric or not people:
        return []
    title, good, bad = quoted
    held = any(value > int(threshold[1]) for value in records.series(metric, since, date.max).values())
    leads = [c for c in records.customers_of.get(people[0], ()) if c.status == "Lead" and held]
    mail = actions.send(people[0], title, good if held else bad)
    return [(*(actions.delete_customer(lead.id) for lead in leads), mail)]


def move_to_lost(query: str, published: Answer, records: Records) -> list[Answer]:
    """The customers that the task describes get the status Lost."""
    found, people = _STAGE.search(query), _people(query, records)
    if not found or not people:
        return []
    status, product = found[1].capitalize(), found[2].capitalize()
    return [
        tuple(
            actions.update_customer(customer.id, "status", "Lost")
            for customer in records.customers_of.get(people[0], ())
            if (customer.status, customer.product) == (status, product) and status != "Lost"
        )
    ]


def mail_title(query: str, published: Answer, records: Records) -> list[Answer]:
    """The mail gets the title that the task states instead of one with "Recent" in front."""
    quoted = _QUOTED.findall(query)
    answer = []
    for action in published:
        subject = action.arguments.get("subject", "")
        stated = subject.removeprefix("Recent ")
        wrong = subject not in quoted and stated in quoted
        answer.append(_with(action, subject=stated) if wrong else action)
    return [tuple(answer)]


def plot_until_today(query: str, published: Answer, records: Records) -> list[Answer]:
    """Plots that end yesterday may end today."""
    yesterday = (records.today - timedelta(days=1)).isoformat()
    open_ended = published and all(
        action.tool == "analytics.create_plot" and action.arguments["time_max"] == yesterday
        for action in published
    )
    if not open_ended:
        return []
    return [tuple(_with(action, time_max=records.today.isoformat()) for action in published)]


def unfinished(query: str, published: Answer, records: Records) -> list[Answer]:
    """Tasks in progress and those in review go to the backlog."""
    people = _people(query, records)
    if not people:
        return []
    return [
        tuple(
            actions.update_task(task.id, "list_name", "Backlog")
            for task in records.tasks
            if task.assignee == people[0] and task.list_name in ("In Progress", "In Review")
        )
    ]


def most_urgent(query: str, published: Answer, records: Records) -> list[Answer]:
    """One answer for each of the person's open tasks that are due first, on any list."""
    people = _people(query, records)
    if len(people) != 2:
        return []
    tasks = [task for task in records.tasks_of.get(people[0], ()) if task.list_name != "Completed"]
    return [
        (actions.update_task(task.id, "assigned_to_email", people[1]),)
        for task in tasks
        if task.due == tasks[0].due
    ]


def _people(query: str, records: Records) -> list[str]:
    """Addresses of the people whose first names a task mentions, in the order of mention."""
    by_name = {employee.first_name.lower(): employee.address for employee in records.employees}
    return [by_name[word] for word in re.findall(r"[a-z]+", query.lower()) if word in by_name]


def _with(action: Action, **changes: str) -> Action:
    return action.model_copy(update={"arguments": {**action.arguments, **changes}})
