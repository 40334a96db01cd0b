"""The tasks: lend a book, give one back."""

from __future__ import annotations

from datetime import datetime
from itertools import cycle
from pathlib import Path

from pydantic import Field

from worksmith import Task
from worksmith.plugins.worlds import (
    Action,
    BuildContext,
    BuildOptions,
    Made,
    Split,
    Step,
    SuiteBuilder,
    TaskKind,
    rng,
    write_world,
)

from .world import BOOKS, LOANS, MEMBERS

NOW = datetime(2024, 6, 1, 9)
SUBJECTS = ("rivers", "clocks", "bread", "stars", "bees", "bridges", "maps", "salt", "kites", "trees")
SPLITS: tuple[Split, ...] = ("train", "test", "train", "dev", "test")


class LendingOptions(BuildOptions):
    """Settings of a lending library."""

    books: int = Field(default=20, ge=5, le=100, description="Books of the library.")


def build(place: Path, options: LendingOptions, context: BuildContext) -> Made:
    """Shelve books, lend every second one, and ask for the others."""
    context.progress(f"shelving {options.books} books")
    random = rng(options.seed, "lending")
    numbers = random.sample(range(1000, 9999), options.books)
    titles = [f"On {subject} {number}" for number, subject in zip(numbers, cycle(SUBJECTS))]
    books = [
        (f"b{number}", title, f"All about {title[3:]}.")
        for number, title in zip(numbers, titles, strict=True)
    ]
    loans = [(book[0], MEMBERS[n % 3].id, "2024-05-01") for n, book in enumerate(books) if n % 2]
    world = write_world(
        place,
        (BOOKS, LOANS),
        {"books": books, "loans": loans},
        kind="lending",
        origin="generated",
        now=NOW,
        persona=MEMBERS[0],
        seed=options.seed,
        scale=options.scale,
    )
    return Made(world, [_task(number, book_id, title) for number, (book_id, title, _) in enumerate(books)])


def _task(number: int, book_id: str, title: str) -> Task:
    intent = "give_back" if number % 2 else "lend"
    query = f"I bring {title} back." if number % 2 else f"I would like to take {title} home."
    call = {"tool": f"loans.{intent}", "arguments": {"book_id": book_id}}
    return Task(
        id=f"{intent}-{number:03}",
        query=query,
        domains=("books", "loans"),
        persona=MEMBERS[number % 3],
        intent=intent,
        split=SPLITS[number % 5],
        held_out_split="test" if number % 2 else "train",
        gold_plan=(
            Step(tool="books.find", arguments={"title": title}, why="I look the book up."),
            Step(**call, why="Its id is known now.", after=(0,)),
        ),
        expected=(Action(**call),),
    )


LENDING = TaskKind(
    name="lending",
    suites=lambda: SuiteBuilder(
        LendingOptions, build, lambda options: {"tasks": options.books, "model_calls_at_most": 0}
    ),
)
