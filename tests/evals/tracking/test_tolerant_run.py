"""A run goes on where its store fails, and says how its episodes are sent later."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import pytest

from worksmith.evals.tracking import Run, tolerant
from worksmith.evals.tracking.reaching import TrackingError
from worksmith.evals.tracking.unsent_runs import Unsent, note_unsent, read_unsent
from worksmith.tools.errors import InputError, Notice

RUN, ARM = "a" * 32, "b" * 32


class Kept(Run):
    """A run that writes down what is sent, until its store is gone."""

    def __init__(self, run_id: str, store: dict[str, bool], sent: list[str]) -> None:
        self._id, self._store, self.sent = run_id, store, sent

    @property
    def id(self) -> str:
        return self._id

    def check(self) -> None:
        if self._store["gone"]:
            raise TrackingError("nobody answers")

    def child(
        self, name: str, *, params: Mapping[str, object] | None = None, tags: Mapping[str, str] | None = None
    ) -> Run:
        return Kept(ARM, self._store, self.sent)

    def metrics(self, values: Mapping[str, float], *, step: int = 0, split: str = "") -> None:
        self.check()
        self.sent += values

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.check()
        self.sent.append(f"end of {self._id[0]}")


def test_a_run_whose_store_goes_away_says_it_once_and_goes_on(tmp_path: Path) -> None:
    store, sent = {"gone": False}, list[str]()
    log = tmp_path / "eval.jsonl"

    def work() -> None:
        with tolerant(Kept(RUN, store, sent)) as run:
            run.logged_in(log)
            run.metrics({"a": 1})
            assert run.id == RUN
            store["gone"] = True
            run.metrics({"b": 1})
            assert run.id is None
            store["gone"] = False
            run.metrics({"c": 1})

    with pytest.warns(Notice) as said:
        work()

    assert sent == ["a"]
    assert [str(each.message) for each in said] == [
        "the run goes on without MLflow: nobody answers",
        f"to send it when MLflow answers again: worksmith log {log}",
    ]
    assert read_unsent(log) == Unsent(run=RUN)


def test_runs_below_know_that_the_store_is_gone(tmp_path: Path) -> None:
    store = {"gone": False}
    logs = [tmp_path / f"{number}.jsonl" for number in range(3)]

    def work() -> None:
        with tolerant(Kept(RUN, store, [])) as run:
            with run.child("whole") as whole:
                whole.logged_in(logs[0])
            with run.child("begun") as begun:
                begun.logged_in(logs[1])
                store["gone"] = True
                begun.metrics({"a": 1})
            with run.child("never made") as never:
                never.logged_in(logs[2])
                assert never.id is None

    with pytest.warns(Notice):
        work()

    found = [read_unsent(log) for log in logs]
    assert found == [Unsent(), Unsent(run=ARM, above=RUN), Unsent(above=RUN)]


def test_a_run_that_is_whole_leaves_no_note(tmp_path: Path) -> None:
    log = tmp_path / "eval.jsonl"
    note_unsent(log, Unsent(run=RUN))
    sent: list[str] = []
    with tolerant(Kept(RUN, {"gone": False}, sent)) as run:
        run.logged_in(log)

    assert sent == ["end of a"]
    assert not list(tmp_path.iterdir())


def test_an_exception_of_the_program_is_not_the_stores() -> None:
    with pytest.raises(KeyError), tolerant(Kept(RUN, {"gone": False}, [])):
        raise KeyError("mine")


def test_a_run_that_keeps_nothing_stays_as_it_is() -> None:
    run = Run()
    assert tolerant(run) is run


def test_a_note_of_somebody_else_is_no_note(tmp_path: Path) -> None:
    (tmp_path / "eval.unsent.json").write_text('{"run": "../x"}')
    with pytest.raises(InputError, match=r"eval\.unsent\.json"):
        read_unsent(tmp_path / "eval.jsonl")
