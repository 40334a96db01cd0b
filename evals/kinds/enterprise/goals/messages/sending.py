"""Messages to colleagues and posts, as a part of what a text asks for."""

from __future__ import annotations

from collections.abc import Callable

from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, action
from worksmith.evals.kinds.enterprise.goals.goal import Slots
from worksmith.evals.kinds.enterprise.goals.messages.news import draw_subject
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.record_changes import Change
from worksmith.evals.kinds.enterprise.goals.telling import chat, mail

Text = Callable[[Slots], str]


def chat_to(slot: str, text: Text) -> Change:
    """Send a chat message to a colleague whom the text names in a slot."""
    return Change(
        "", lambda ctx: Found(ctx.me, {slot: ctx.colleague()["name"]}), None, "I write it in the chat.",
        lambda _, slots: chat(slots[slot], text(slots)),
    )  # fmt: skip


def mail_to(slot: str, text: Text) -> Change:
    """Send a mail to such a colleague, with the subject that the text names."""
    return Change(
        "",
        lambda ctx: Found(ctx.me, {slot: ctx.colleague()["name"], "subject": draw_subject(ctx.rng)}),
        None,
        "I mail it.",
        lambda _, slots: mail(slots[slot], slots["subject"], text(slots)),
        mentions=("subject",),
    )


def post(text: Text) -> Change:
    """Publish a post under the title that the text names."""
    return Change(
        "", _titled, None, "I publish the post.",
        lambda _, slots: action("social_platform.create", title=slots["subject"], body=text(slots)),
        mentions=("subject",),
    )  # fmt: skip


def _titled(ctx: DrawContext) -> Found:
    return Found(ctx.me, {"subject": draw_subject(ctx.rng)})
