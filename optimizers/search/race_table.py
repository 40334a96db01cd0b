"""A race over scores that are there already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from optimizers.search.racing import INCUMBENT, Outcome, Rules, Scores, race

Table = Sequence[Sequence[Sequence[float | None]]]
"""By intent the scores of all arms, a row a task; None where the infrastructure failed."""


def over(table: Table, how: Rules, rounds: Sequence[Sequence[str]] = ()) -> Outcome:
    """A race over a table whose first column is the incumbent; a candidate's name is its column's number.

    Args:
        rounds: who enters together; default is everybody at once.

    Raises:
        IncumbentLostError: the incumbent lost too many episodes.
    """
    names = [str(number) for number in range(1, len(table[0][0]))]
    rows = [row for intent in table for row in intent]
    columns = dict(zip([INCUMBENT, *names], zip(*rows, strict=True), strict=True))

    def run(wanted: Mapping[str, range]) -> dict[str, Scores]:
        return {arm: columns[arm][places.start : places.stop] for arm, places in wanted.items()}

    return race(rounds or [names], [len(intent) for intent in table], run, how, most=len(names))
