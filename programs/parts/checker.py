"""The access checker: an opinion on every call before it is made.

It is measured, it never enforces: the world's policy does that at the one dispatch point, whatever the
checker thinks. All that its opinion can do is to keep the agent from a call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import dspy

from programs.lm_calls import ask
from programs.parts.rules import rules_text
from programs.parts.signatures import check_signature
from programs.prompting.adapter import UnreadableReplyError
from tools.dispatch import Observation
from tools.episode import Episode
from tools.errors import InputError
from tools.policy import Decision, Opinion
from tools.tool import BadArgumentsError

if TYPE_CHECKING:
    from programs.rollout import Run

Access = Literal["policy", "model", "both"]
"""Who gives an opinion on a call: the policy itself, the model, or both.

With `policy` the opinion is only kept. A call that the model denies is not made; with `both` neither is one
that the policy denies to this persona whatever the record, and the model is not asked about it.
"""


class AccessChecker(dspy.Module):  # type: ignore[misc]
    """Gives the verdict of the world's own policy, without a model, and asks the model if it is to.

    Raises:
        InputError: there is no such way to check.
    """

    def __init__(self, access: Access = "policy") -> None:
        super().__init__()
        if access not in get_args(Access):
            raise InputError(
                f"no access mode {access!r}",
                where="--access",
                hint=f"there are {', '.join(get_args(Access))}",
            )
        self.access = access
        if access != "policy":
            self.predict = dspy.Predict(check_signature())

    def forward(self, *, episode: Episode, tool: str, arguments: Mapping[str, Any]) -> Decision | None:
        """The policy's verdict on a call, as far as it can be given before; None if there is none to give.

        There is none on a call that no tool would take: no such tool, unfit arguments.
        """
        known = episode.toolset.get(tool)
        if known is None:
            return None
        try:
            checked = known.validate(arguments)
        except BadArgumentsError:
            return None
        return episode.policy.decide(episode.persona, tool, checked)

    def opinion(self, run: Run, tool: str, arguments: Mapping[str, Any]) -> Opinion | None:
        """The model's opinion on the call that a run is about to make, kept in the run as well.

        None where no model is asked, or there is nothing to decide.

        Raises:
            Exception: the model gave no reply.
        """
        if self.access == "policy":
            return None
        decidable = run.verdicts[-1] is not None
        opinion = self._ask(run, tool, arguments) if decidable else None
        run.opinions.append(opinion)
        return opinion

    def _ask(self, run: Run, tool: str, arguments: Mapping[str, Any]) -> Opinion:
        inputs = {
            "context": run.clock,
            "task": run.task.query,
            "rules": rules_text(run.episode.policy, tool),
            "tool": tool,
            "arguments": dict(arguments),
        }
        try:
            with run.asking("check"):
                reply = ask(self.predict, reader=run.reader, **inputs)
        except UnreadableReplyError as error:
            run.unreadable += 1
            return Opinion(None, error.problem)
        run.traces.append((self.predict, inputs, reply))
        allow = _VERDICTS.get(str(reply.verdict).strip().strip("*.\"'").casefold())
        truth = foretell(run.episode, tool, arguments) if allow is False else None
        return Opinion(allow, str(reply.get("reason") or ""), truth)


_VERDICTS = {"allowed": True, "denied": False}


def foretell(episode: Episode, tool: str, arguments: Mapping[str, Any]) -> Decision | None:
    """What the policy would decide on a call that is not made, down to the records it would meet.

    The call is tried in a copy of the episode that is thrown away; nothing of it is shown to anybody.
    """
    copy = episode.copy()
    copy.call(tool, arguments)
    return copy.calls[-1].decision


def refusal(tool: str, reason: str) -> Observation:
    """What the agent gets for a call that its checker refused."""
    text = f"Your own access check refused {tool}, so it was not called. {reason}".rstrip()
    return Observation("refused", text, text)
