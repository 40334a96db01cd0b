"""The choice of demonstrations of a bank."""

from __future__ import annotations

import tracemalloc

from worksmith.optimizers.demos.demonstration import Demonstration
from worksmith.optimizers.demos.selection import Selector

SIZE = 300


def test_likeness_of_a_large_bank_is_one_table_of_numbers() -> None:
    bank = [
        Demonstration(task_id=f"t{number}", query=f"Is order {number} late?", teacher="t", parts={})
        for number in range(SIZE)
    ]
    tracemalloc.start()
    chosen = Selector(bank).covering(2, seed=0)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(chosen) == 2
    assert most < 4 * 8 * SIZE**2  # a table of objects has seven times the bytes
