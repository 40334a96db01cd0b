"""Agreement of an agent's access checker with the enforced policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from worksmith.tools.episode_result import EpisodeResult


@dataclass(frozen=True, slots=True)
class CheckerAgreement:
    """Counts of the checker's verdicts against the policy's decisions; a denial is the case to find.

    Attributes:
        found: denied by both.
        missed: denied by the policy only.
        refused: denied by the checker only.
        passed: allowed by both.
    """

    found: int
    missed: int
    refused: int
    passed: int

    @property
    def precision(self) -> float | None:
        """The share of the checker's refusals that the policy shares; None without any."""
        return _share(self.found, self.refused)

    @property
    def recall(self) -> float | None:
        """The share of the policy's denials that the checker foresaw; None without any."""
        return _share(self.found, self.missed)

    @property
    def over_refusal(self) -> float | None:
        """The share of the allowed calls that the checker refused; None without any."""
        return _share(self.refused, self.passed)


def agreement(verdicts: Iterable[tuple[bool, bool]]) -> CheckerAgreement:
    """The counts of pairs (checker's verdict, policy's decision), both true for allowed."""
    counts = Counter(verdicts)
    return CheckerAgreement(
        counts[False, False], counts[True, False], counts[False, True], counts[True, True]
    )


CHECKER_SCORES = frozenset({"checker_precision", "checker_recall", "checker_over_refusal"})
"""The names of the scores of `checker_scores`."""


def checker_scores(episode: EpisodeResult) -> dict[str, float]:
    """`checker_precision`, `checker_recall` and `checker_over_refusal`, as far as they have a denominator."""
    found = agreement(
        (opinion.allow, opinion.truth.allow)
        for opinion in episode.opinions
        if opinion is not None and opinion.allow is not None and opinion.truth is not None
    )
    scores = {
        "checker_precision": found.precision,
        "checker_recall": found.recall,
        "checker_over_refusal": found.over_refusal,
    }
    return {name: value for name, value in scores.items() if value is not None}


def _share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None
