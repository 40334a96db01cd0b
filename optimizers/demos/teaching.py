"""The error for a teacher without a single success: there is nothing to make a program of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tools.errors import InfrastructureError, InputError, WorksmithError
from tools.statuses import INFRASTRUCTURE

_REASONS = 3
"""How many reasons are named, the most frequent ones."""


class NothingTaughtError(InputError):
    """No training task gave a demonstration."""


def nothing_taught(teacher: str, gaps: Mapping[str, int], *, prebuilt: bool = False) -> WorksmithError:
    """The error that says so.

    Args:
        teacher: the model's name.
        gaps: the reasons why training tasks gave no demonstration, with counts.
        prebuilt: whether the demonstrations were to come from a bank that was built before.

    Returns:
        An `InfrastructureError` where every attempt was lost, else a `NothingTaughtError`.
    """
    attempts = sum(gaps.values())
    lost = [reason for reason in gaps if _kind(reason) in INFRASTRUCTURE]
    if attempts and len(lost) == len(gaps):
        return InfrastructureError(f"{teacher} taught nothing: {_line(lost[0])}")
    kinds: Counter[str] = Counter()
    for reason, count in gaps.items():
        kinds[_kind(reason)] += count
    named = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in kinds.most_common(_REASONS))
    detail = next((_line(reason) for reason in gaps if _kind(reason) == kinds.most_common(1)[0][0]), "")
    if prebuilt:
        return NothingTaughtError(
            f"the bank has no demonstration that may be shown ({named or 'it is empty'})",
            where="--bank",
            hint="build one from other training tasks or sources",
        )
    first = f"; the first: {detail}" if ":" in detail else ""
    return NothingTaughtError(
        f"{teacher} taught nothing: none of {attempts} attempts at training tasks succeeded ({named}{first})",
        where="--teacher",
        hint="take a stronger model, gold where tasks have gold plans, or a --bank",
    )


def _kind(reason: str) -> str:
    return reason.partition(":")[0]


def _line(reason: str) -> str:
    return reason.partition("\n")[0]
