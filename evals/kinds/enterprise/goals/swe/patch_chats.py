"""SWE: faults that a chat mentions: the chat, the issue, the code, and who reported it."""

from __future__ import annotations

from functools import partial

from evals.kinds.enterprise.goals.draw_context import DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup
from evals.kinds.enterprise.goals.paths import HERE, MANAGER, Ask, Found, Question, Start
from evals.kinds.enterprise.goals.swe.issue_lookup import (
    AUTHOR,
    FAULT_LINE,
    OTHER_AUTHOR,
    chats_about_issues,
    draw_chat_issue,
    find_chat_issue,
    on_one_line,
)
from evals.kinds.enterprise.goals.unfit import UnfitError

GROUP = GoalGroup("swe/patch_chats.toml")


def _draw(ctx: DrawContext, *, fault: bool = False, levels: int = 0) -> Found:
    """An issue that a chat names.

    Args:
        fault: whether the issue is open and its fault on one line.
        levels: so far above the reporter somebody is asked for, who must not be the partner of the chat.
    """
    chat, issue, told, slots = draw_chat_issue(ctx, "open" if fault else "")
    if fault and not on_one_line(told):
        raise UnfitError
    if levels and ctx.above(issue, levels)["name"] == slots["name"]:
        raise UnfitError
    return Found(issue, slots, [("conversations", chat)])


def _question(*asks: Ask, fault: bool = False, levels: int = 0) -> Question:
    return Question(Start("issues", partial(_draw, fault=fault, levels=levels), find_chat_issue), *asks)


_FUNCTION = HERE.fact("issues", "function")
_MANAGER = HERE.to(AUTHOR, MANAGER)

GROUP.add(
    chats_about_issues,
    chat_function=_question(HERE.ident("issue_id"), _FUNCTION),
    chat_reporter=_question(_FUNCTION, HERE.to(OTHER_AUTHOR).email()),
    chat_manager=_question(_FUNCTION, _MANAGER.email(), levels=1),
    chat_line=_question(HERE.text("path"), FAULT_LINE, fault=True),
    chat_line_manager=_question(_FUNCTION, FAULT_LINE, _MANAGER.email(), fault=True, levels=1),
    chat_line_chain=_question(_FUNCTION, FAULT_LINE, _MANAGER.to(MANAGER).email(), fault=True, levels=2),
)
