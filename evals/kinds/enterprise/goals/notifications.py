"""Messages to people whom a change concerns."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.goals.draw_context import action
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from worksmith.evals.tasks.task import Action

CHAT, MAIL = "conversations.create", "enterprise_mail_system.create"


def chat(recipient: str, text: str) -> Action:
    """Send a chat message."""
    return action(CHAT, recipient=recipient, text=text)


def mail(recipient: str, subject: str, body: str) -> Action:
    return action(MAIL, recipient=recipient, subject=subject, body=body)


def my_manager(plan: PlanRecorder) -> str:
    """Look up the id of the persona's manager."""
    return plan.one("employees", "I look up to whom I report.", emp_id="me")["reports_to"]
