"""Messages to people whom a change concerns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, action
from worksmith.evals.kinds.enterprise.goals.goal import Logic, Slots, Solvable, Values
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
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


@dataclass(frozen=True)
class Recipient:
    """Somebody who is told of a change of a record.

    Attributes:
        why: the thought that leads to the message.
        truth: finds the recipient in the truth, from the record.
        lookup: finds the recipient's id through the tools.
        by: the way of the message.
    """

    why: str
    truth: Callable[[DrawContext, Record], Record]
    lookup: Callable[[PlanRecorder, Row], str]
    by: Literal["chat", "mail"] = "chat"

    def message(self, to: str, subject: str, text: str) -> Action:
        return chat(to, text) if self.by == "chat" else mail(to, subject, text)


def telling_my_manager(
    logic: Solvable,
    message: Callable[[str, Slots], Action],
    *,
    mentions: tuple[str, ...] = (),
    why: str = "I tell my manager.",
    look_up_first: bool = False,
) -> Logic:
    """Extend a goal by a message to the persona's manager.

    Args:
        message: made of the manager's id and the words of the text.
        mentions: slots that the message must contain, beside what the goal mentions.
        look_up_first: whether the manager is looked up before the change is made.
    """

    def draw(ctx: DrawContext) -> Draw:
        drawn, manager = logic.draw(ctx), ctx.above(ctx.me)["emp_id"]
        if any(manager in change.arguments.values() for change in drawn.actions):
            raise UnfitError
        return drawn.adding(message(manager, drawn.slots), mentions=[drawn.slots[name] for name in mentions])

    def solve(slots: Slots, plan: PlanRecorder) -> Values:
        manager = my_manager(plan) if look_up_first else ""
        logic.solve(slots, plan)
        return plan.carry_out(why, message(manager or my_manager(plan), slots))

    return Logic(draw, solve)
