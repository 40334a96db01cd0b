"""The shares of splits: personas are divided beforehand, records go to the first taker."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import partial

from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.evals.tasks.task import Split
from worksmith.tools.seeding import rng

SHARED = frozenset({"policies", "employees"})
"""Sources whose records many tasks go through, with any subject: only `about` claims these."""


class Claims:
    """Keeps the splits of a suite apart, in personas and in records.

    Attributes:
        splits: those of the suite.
    """

    def __init__(self, facts: Facts, seed: int, sizes: Mapping[Split, int]) -> None:
        self.splits = tuple(sizes)
        self._personas = _share_out_people(facts, seed, sizes)
        self._records: dict[str, Split] = {}

    def personas(self, split: Split) -> list[Record]:
        """Who may ask in this split: active employees known by name, and leavers who are."""
        return self._personas[split]

    def free(self, split: Split, ref: str) -> bool:
        """Whether no other split uses this record."""
        return self._records.get(ref, split) == split

    def all_free(self, split: Split, refs: Iterable[str]) -> bool:
        """Whether no other split uses any of these."""
        return all(map(partial(self.free, split), refs))

    def take(self, split: Split, refs: Iterable[str]) -> None:
        """Keep these records for a split."""
        for ref in refs:
            self._records[ref] = split


def claimed(about: Iterable[str], picked: Iterable[str]) -> list[str]:
    """The records that a task takes for its split: subjects, and unshared ones that its plan picks."""
    return [*about, *(ref for ref in picked if ref.partition("/")[0] not in SHARED)]


def _share_out_people(facts: Facts, seed: int, sizes: Mapping[Split, int]) -> dict[Split, list[Record]]:
    """Everybody to one split, each department and level in proportion to the tasks of the splits."""
    groups: dict[tuple[str, str, bool], list[Record]] = defaultdict(list)
    for here, rows in ((True, facts.active), (False, facts.left)):
        for row in rows:
            if facts.known_by_name(row):
                groups[row["department"], row["level"], here].append(row)
    found: dict[Split, list[Record]] = {split: [] for split in sizes}
    given = dict.fromkeys(sizes, 0.0)
    for key in sorted(groups):
        members = groups[key]
        rng(seed, "enterprise", "personas", *map(str, key)).shuffle(members)
        for row in members:
            # The split that lacks most: over many small groups all get their share of each.
            split = min(sizes, key=lambda split: (given[split] + 0.5) / sizes[split])
            given[split] += 1
            found[split].append(row)
    return found
