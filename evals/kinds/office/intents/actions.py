"""The writing calls that tasks ask for."""

from __future__ import annotations

from datetime import date, datetime

from worksmith.evals.kinds.office.intents.wording import moment_cell, weekday_of_next_week
from worksmith.evals.tasks.task import Action


def _action(tool: str, **arguments: str) -> Action:
    return Action(tool=tool, arguments=arguments)


def create_event(name: str, participant: str, start: datetime, minutes: int) -> Action:
    return _action(
        "calendar.create_event",
        event_name=name,
        participant_email=participant,
        event_start=moment_cell(start),
        duration=str(minutes),
    )


def delete_event(event_id: str) -> Action:
    return _action("calendar.delete_event", event_id=event_id)


def update_event(event_id: str, field: str, value: str) -> Action:
    return _action("calendar.update_event", event_id=event_id, field=field, new_value=value)


def send(recipient: str, subject: str, body: str) -> Action:
    return _action("email.send_email", recipient=recipient, subject=subject, body=body)


def forward(email_id: str, recipient: str) -> Action:
    return _action("email.forward_email", email_id=email_id, recipient=recipient)


def reply(email_id: str, body: str) -> Action:
    return _action("email.reply_email", email_id=email_id, body=body)


def delete_mail(email_id: str) -> Action:
    return _action("email.delete_email", email_id=email_id)


def plot(since: date, until: date, value: str, kind: str) -> Action:
    return _action(
        "analytics.create_plot",
        time_min=since.isoformat(),
        time_max=until.isoformat(),
        value_to_plot=value,
        plot_type=kind,
    )


def create_task(name: str, board: str, assignee: str, due: date) -> Action:
    """The call that creates a task in the backlog."""
    return _action(
        "project_management.create_task",
        task_name=name,
        board=board,
        assigned_to_email=assignee,
        due_date=due.isoformat(),
        list_name="Backlog",
    )


def improvement(metric: str, assignee: str, today: date) -> Action:
    """The call that creates a front-end task about a metric, due on Friday of next week."""
    return create_task(f"Improve {metric}", "Front end", assignee, weekday_of_next_week("Friday", today))


def update_task(task_id: str, field: str, value: str) -> Action:
    return _action("project_management.update_task", task_id=task_id, field=field, new_value=value)


def add_lead(name: str, assignee: str) -> Action:
    return _action(
        "customer_relationship_manager.add_customer",
        customer_name=name,
        assigned_to_email=assignee,
        status="Lead",
    )


def update_customer(customer_id: str, field: str, value: str) -> Action:
    return _action(
        "customer_relationship_manager.update_customer", customer_id=customer_id, field=field, new_value=value
    )


def delete_customer(customer_id: str) -> Action:
    return _action("customer_relationship_manager.delete_customer", customer_id=customer_id)
