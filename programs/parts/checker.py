"""The access checker: an opinion on every call before it is made.

It is measured and never enforces: the world's policy does that at the one dispatch point. An opinion can only
keep the agent from a call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import dspy

from worksmith.programs.parts.rules import rules_text
from worksmith.programs.parts.signatures import CheckAccess, one_paragraph
from worksmith.programs.prompting.replies.unreadable import UnreadableReplyError
from worksmith.programs.rollout import Rollout
from worksmith.tools.dispatch import decide
from worksmith.tools.episode import Episode
from worksmith.tools.errors import unknown
from worksmith.tools.policy import Decision, Opinion
from worksmith.tools.tool import BadArgumentsError

Access = Literal["policy", "model", "both"]
"""Who gives an opinion on a call: the policy itself, the model, or both.

With `policy` the opinion is only kept. A call that the model denies is not made; with `both` neither is one
that the policy denies to this persona for every record, and the model is not asked about it.
"""

_VERDICTS = {"allowed": True, "denied": False}


@dataclass(frozen=True, slots=True)
class Check:
    """The result of a check.

    Attributes:
        verdict: of the policy, as far as it can be given before the call; None without one.
        opinion: of the model; None if it was not asked.
        refusal: why the call is not to be made; None for one that is.
    """

    verdict: Decision | None = None
    opinion: Opinion | None = None
    refusal: str | None = None


class AccessChecker(dspy.Module):  # type: ignore[misc]
    """Gives the verdict of the world's policy without a model, and by the mode also asks the model.

    Raises:
        InputError: the mode is unknown.
    """

    def __init__(self, access: Access = "policy") -> None:
        super().__init__()
        if access not in get_args(Access):
            raise unknown("no access mode", access, get_args(Access), "--access")
        self.access = access
        if access != "policy":
            self.predict = dspy.Predict(one_paragraph(CheckAccess))

    def forward(self, rollout: Rollout, tool: str, arguments: Mapping[str, Any]) -> Check:
        """The check of a call that is about to be made.

        Raises:
            Exception: the model gave no reply.
        """
        verdict = policy_verdict(rollout.episode, tool, arguments)
        if self.access == "both" and verdict is not None and not verdict.allow:
            return Check(verdict, refusal=f"It is denied by {verdict.rule}.")
        if self.access == "policy" or verdict is None:
            return Check(verdict)
        opinion = self._opinion(rollout, tool, arguments)
        return Check(verdict, opinion, opinion.reason if opinion.allow is False else None)

    def _opinion(self, rollout: Rollout, tool: str, arguments: Mapping[str, Any]) -> Opinion:
        """The model's opinion; one that cannot be read refuses nothing."""
        try:
            reply = rollout.ask(
                self.predict,
                context=rollout.clock,
                task=rollout.task.query,
                rules=rules_text(rollout.episode.policy, tool),
                tool=tool,
                arguments=dict(arguments),
            )
        except UnreadableReplyError as error:
            return Opinion(None, error.problem)
        allow = _VERDICTS.get(str(reply.verdict).strip().strip("*.\"'").casefold())
        truth = foretell(rollout.episode, tool, arguments) if allow is False else None
        return Opinion(allow, str(reply.get("reason") or ""), truth)


def policy_verdict(episode: Episode, tool: str, arguments: Mapping[str, Any]) -> Decision | None:
    """The policy's verdict on a call; None for one that no tool would take: no such tool, unfit arguments."""
    known = episode.toolset.get(tool)
    if known is None:
        return None
    try:
        checked = known.validate(arguments)
    except BadArgumentsError:
        return None
    return decide(episode.policy, episode.persona, known, checked)


def foretell(episode: Episode, tool: str, arguments: Mapping[str, Any]) -> Decision | None:
    """The policy's decision on a call that is not made, down to the records it would meet.

    The call is tried in a copy of the episode that is thrown away; nothing of it is shown to anybody.
    """
    copy = episode.copy()
    copy.call(tool, arguments)
    return copy.calls[-1].decision
