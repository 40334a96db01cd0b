"""The access checker: an opinion on every call before it is made.

It is measured, it never enforces: the world's policy does that at the one dispatch point, whatever the
checker thinks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dspy

from tools.episode import Episode
from tools.policy import Decision
from tools.tool import BadArgumentsError


class AccessChecker(dspy.Module):  # type: ignore[misc]
    """Gives the verdict of the world's own policy, without a model."""

    def forward(self, *, episode: Episode, tool: str, arguments: Mapping[str, Any]) -> Decision | None:
        """The verdict on a call; None where there is nothing to decide (no such tool, unfit arguments)."""
        known = episode.toolset.get(tool)
        if known is None:
            return None
        try:
            checked = known.validate(arguments)
        except BadArgumentsError:
            return None
        return episode.policy.decide(episode.persona, tool, checked)
