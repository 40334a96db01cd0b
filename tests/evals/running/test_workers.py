"""The pool of threads ends, whatever its units do."""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from typing import Any

from evals.running.workers import Workers


class Unmade(Sequence[str]):
    """Units that cannot be made."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: Any) -> Any:
        raise ValueError(f"no unit {index}")


def test_a_unit_that_cannot_be_made_ends_the_run() -> None:
    pool: Workers[str, str] = Workers(str, workers=2, on_result=lambda index, result: None)
    ended: queue.SimpleQueue[ValueError] = queue.SimpleQueue()

    def run() -> None:
        try:
            pool.run(Unmade())
        except ValueError as error:
            ended.put(error)

    threading.Thread(target=run, daemon=True).start()
    assert "no unit" in str(ended.get(timeout=5))
