"""The order in which the teacher meets the training tasks."""

from __future__ import annotations

import tracemalloc

import pytest

from worksmith.evals.tasks.task import Task
from worksmith.optimizers.search import candidates
from worksmith.optimizers.search.candidates import covering_order
from worksmith.tools.seeding import rng

TOPICS = 12


def tasks(count: int) -> list[Task]:
    """Tasks of topics with words of their own; the first topics have most of the tasks."""
    draw = rng(0, "texts")
    words = [["".join(draw.choices("abcdefgh", k=6)) for _ in range(8)] for _ in range(TOPICS)]
    found = []
    for number in range(count):
        topic = min(draw.randrange(TOPICS), draw.randrange(TOPICS))
        query = " ".join(draw.choices(words[topic], k=5))
        found.append(Task(id=f"t{number:05}", query=query, domains=(), intent=str(topic)))
    return found


def topics(chosen: list[Task]) -> int:
    return len({task.intent for task in chosen})


def test_many_tasks_are_ordered_in_blocks_that_cover_them_all(monkeypatch: pytest.MonkeyPatch) -> None:
    every = tasks(200)
    monkeypatch.setattr(candidates, "_BLOCK", 50)
    found = covering_order(every)
    assert sorted(task.id for task in found) == [task.id for task in every]
    assert topics(found[:36]) == topics(every) > topics(every[:36])
    assert found == covering_order(every[::-1])


@pytest.mark.slow
def test_memory_does_not_grow_with_the_square_of_the_tasks() -> None:
    tracemalloc.start()
    covering_order(tasks(1500))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 12_000_000  # a full matrix takes 18 million bytes
