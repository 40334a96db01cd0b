"""Episodes in other processes have the records that they have here; a worker's end costs nothing twice."""

from __future__ import annotations

import gc
import pickle
import queue
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dspy
import pytest

from tests import standin
from tests.chat_server import ChatServer, chat_server, said
from tests.chat_server import Reply as Said
from tests.evals.kinds.office.offices import make_office
from tests.evals.running.engines.programs import STEPS, Asking, AskingInThread, right
from worksmith.evals.records.logs.log import EpisodeLog
from worksmith.evals.running.engines import worker_pool as worker_pool_module
from worksmith.evals.running.engines.messages import (
    AskModel,
    Done,
    Ready,
    Reply,
    RunEpisode,
    packed,
    unpacked,
)
from worksmith.evals.running.engines.processes import processes
from worksmith.evals.running.engines.shipping import opened, shipped
from worksmith.evals.running.engines.worker import Worker
from worksmith.evals.running.engines.worker_pool import TRIES, WorkerPool
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.rollout_job import RolloutJob
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.scoring.metric import MetricScorer
from worksmith.evals.suite import suite_of_examples
from worksmith.evals.tasks.task import Task
from worksmith.optimizers.cost.budget import Budget
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import Usage
from worksmith.tools.errors import InfrastructureError, InputError


class Server(ChatServer):
    """Answers a question by its text, and fails it where it says so."""

    refuse = ""

    def answer(self, body: dict[str, Any]) -> Said:
        self.bodies.append(body)
        asked = re.findall(r"task-\S+ \d", str(body["messages"][-1]["content"]))[-1]
        if self.refuse and self.refuse in asked:
            return {"error": 400, "said": "the setting is wrong"}
        return said(f"[[ ## answer ## ]]\n{asked * 2}\n[[ ## completed ## ]]")


@pytest.fixture
def server() -> Iterator[Server]:
    with chat_server(Server) as server:
        assert isinstance(server, Server)
        yield server


@pytest.fixture
def lm(server: Server) -> dspy.LM:
    return dspy.LM("openai/m", api_base=server.url, api_key="none", engine="lm15", cache=False, num_retries=0)


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    folder = tmp_path_factory.mktemp("office")
    make_office(folder, scale=0.05)
    return Environment.open(folder)


class Near:
    """A worker in this process, which ends as `ends` says of the messages that it gets."""

    def __init__(self, ends: Callable[[Any], bool] = lambda _: False) -> None:
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._ends = ends
        self._closed = False
        self._unanswered: dict[tuple[int, int], AskModel] = {}
        self._worker = Worker(self._give)

    def _give(self, message: Any) -> None:
        if isinstance(message, AskModel):
            self._unanswered[message.session, message.number] = message
        self._out.put(packed(message))
        if self._closed:
            self._end_threads()

    def _end_threads(self) -> None:
        """Fail what episodes wait for: a process would end with its threads, and this one does not."""
        while self._unanswered:
            (session, number), _ = self._unanswered.popitem()
            failure = RuntimeError("the worker has ended")
            self._worker.take(Reply(session, number, Usage(), 0, failure=failure))

    def send(self, message: Any) -> None:
        if self._ends(message):
            self.close()
        else:
            if isinstance(message, Reply):
                self._unanswered.pop((message.session, message.number), None)
            self._worker.take(unpacked(packed(message)))

    def receive(self) -> Any:
        data = self._out.get()
        if data is None:
            raise EOFError
        return unpacked(data)

    def close(self) -> None:
        self._closed = True
        self._out.put(None)
        self._end_threads()


Evaluated = Callable[..., EvalResult]


@pytest.fixture
def evaluated(env: Environment, lm: dspy.LM, tasks: list[Task], tmp_path: Path) -> Evaluated:
    """Evaluates on some of the tasks by a pool, or here without one; each time with a log of its own."""
    logs = count()

    def run(engine: WorkerPool | None = None, most: int | None = None, **options: Any) -> EvalResult:
        called = {name: options.pop(name) for name in ("on_progress",) if name in options}
        with EpisodeLog.open(tmp_path / str(next(logs)), resume=True, replies=True) as log:
            given = {"workers": 4, "trials": 2, "engine": engine, **options}
            settings = EvalSettings(env=env, lm=lm, scorers=[right], **given)
            return evaluate(Asking(env), tasks[:most], settings, log=log, **called)

    return run


def plain(result: EvalResult) -> list[dict[str, Any]]:
    return [record.without_times() for record in result.records]


@pytest.mark.slow
def test_records_are_those_of_threads(evaluated: Evaluated, server: Server) -> None:
    server.refuse = "task-003: 2"
    here = evaluated()
    with WorkerPool(Near, 2) as pool:
        there = evaluated(pool)

    assert plain(there) == plain(here)
    assert {record.status for record in here.records} == {"finished", "invalid_request"}
    assert there.records[0].usage.paid_requests == STEPS


@pytest.mark.slow
def test_an_ended_worker_is_replaced_and_no_reply_is_paid_twice(evaluated: Evaluated, server: Server) -> None:
    here = evaluated()
    paid = len(server.bodies)
    replies, started = [0], [0]

    def ends(message: Any) -> bool:
        replies[0] += not isinstance(message, RunEpisode)
        return replies[0] % 30 == 29

    def start() -> Near:
        started[0] += 1
        return Near(ends)

    with WorkerPool(start, 2) as pool:
        there = evaluated(pool)

    assert started[0] > 3
    assert plain(there) == plain(here)
    assert len(server.bodies) == 2 * paid


def test_an_episode_that_ends_its_workers_is_lost(evaluated: Evaluated) -> None:
    with WorkerPool(lambda: Near(lambda message: isinstance(message, RunEpisode)), 1) as pool:
        found = evaluated(pool, 1)

    assert {record.status for record in found.records} == {"harness_error"}
    assert f"{TRIES} worker processes ended" in (found.records[0].error or "")


def test_an_episode_that_ends_its_workers_takes_no_other_along(
    evaluated: Evaluated, tasks: list[Task]
) -> None:
    poison: set[int] = set()

    def ends(message: Any) -> bool:
        if isinstance(message, RunEpisode) and message.task.id == tasks[0].id:
            poison.add(message.session)
        return isinstance(message, Reply) and message.session in poison

    with WorkerPool(lambda: Near(ends), 1) as pool:
        found = evaluated(pool, 4, workers=8)

    lost = {record.task_id for record in found.records if record.status != "finished"}
    assert lost == {tasks[0].id}


@pytest.mark.slow
def test_a_worker_that_hangs_in_a_call_is_replaced(
    evaluated: Evaluated, tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_pool_module, "HANGING", 0.3)
    started = count()

    class Hanging(Near):
        hangs = False

        def send(self, message: Any) -> None:
            self.hangs |= isinstance(message, RunEpisode) and message.task.id == tasks[0].id
            if not self.hangs:
                super().send(message)

    def start() -> Near:
        return Hanging() if next(started) == 0 else Near()

    with WorkerPool(start, 1) as pool:
        found = evaluated(pool, time_limit=2, trials=1)

    # Those that were in it had the same time; all others have a worker.
    assert {record.task_id for record in found.records if record.status != "finished"} == {
        task.id for task in tasks[:4]
    }


def test_a_worker_that_cannot_be_understood_is_replaced(evaluated: Evaluated) -> None:
    received = count()

    class Garbled(Near):
        def receive(self) -> Any:
            message = super().receive()
            if next(received) == 7:
                raise pickle.UnpicklingError("of another version")
            return message

    with WorkerPool(Garbled, 1) as pool:
        found = evaluated(pool, time_limit=20)

    assert {record.status for record in found.records} == {"finished"}


@pytest.mark.slow
def test_an_episode_has_its_whole_time_when_its_worker_has_started(evaluated: Evaluated) -> None:
    def start() -> Near:
        time.sleep(1.5)
        return Near()

    with WorkerPool(start, 1) as pool:
        found = evaluated(pool, time_limit=1)

    assert {record.status for record in found.records} == {"finished"}


def test_the_end_of_a_worker_is_one_try_of_each_of_its_episodes(
    evaluated: Evaluated, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(queue.SimpleQueue[Any]):
        def put(self, item: Any, *options: Any) -> None:
            super().put(item, *options)
            if item is None:
                time.sleep(0.05)

    monkeypatch.setattr(worker_pool_module, "queue", SimpleNamespace(SimpleQueue=Slow))
    runs = count(1)

    with WorkerPool(
        lambda: Near(lambda message: isinstance(message, RunEpisode) and next(runs) == 4), 1
    ) as pool:
        found = evaluated(pool)

    assert {(record.status, record.attempts) for record in found.records} == {("finished", 1)}


def test_workers_that_start_do_without_those_that_do_not(evaluated: Evaluated, tasks: list[Task]) -> None:
    starts = count()

    def start() -> Near:
        if next(starts) == 0:
            raise OSError("no more processes")
        time.sleep(0.2)
        return Near()

    with WorkerPool(start, 2) as pool:
        assert len(evaluated(pool).records) == 2 * len(tasks)


def test_that_no_worker_starts_is_said(evaluated: Evaluated) -> None:
    class Dead(Near):
        closed = 0

        def receive(self) -> Any:
            raise EOFError

        def close(self) -> None:
            Dead.closed += 1

    with WorkerPool(Dead, 2) as pool, pytest.raises(InfrastructureError, match="before it was ready"):
        evaluated(pool)

    assert Dead.closed == 2


def test_a_worker_that_is_never_ready_is_given_up(
    evaluated: Evaluated, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stuck(Near):
        def receive(self) -> Any:
            while (data := self._out.get()) is not None:
                pass
            raise EOFError(data)

    monkeypatch.setattr(worker_pool_module, "STARTING", 0.1)
    with WorkerPool(Stuck, 2) as pool, pytest.raises(InfrastructureError, match="not ready after"):
        evaluated(pool)


def test_no_thread_asks_a_worker_after_the_end() -> None:
    asking: list[threading.Thread] = []

    class Late(Near):
        def receive(self) -> Any:
            asking.append(threading.current_thread())
            return super().receive()

        def _give(self, message: Any) -> None:
            pass  # it never starts

    with WorkerPool(Late, 2):
        while len(asking) < 2:
            time.sleep(0.01)

    assert not any(thread.is_alive() for thread in asking)


def test_a_worker_that_left_its_link_is_closed(evaluated: Evaluated) -> None:
    class Leaving(Near):
        closed = 0

        def receive(self) -> Any:
            message = super().receive()
            if not isinstance(message, Ready):
                raise EOFError
            return message

        def close(self) -> None:
            Leaving.closed += 1
            super().close()

    starts = count()
    with WorkerPool(lambda: Near() if next(starts) else Leaving(), 1) as pool:
        evaluated(pool)
        assert Leaving.closed == 1


def test_a_record_that_cannot_be_sent_ends_the_run(evaluated: Evaluated) -> None:
    class Refusing(Near):
        def _give(self, message: Any) -> None:
            if isinstance(message, Done) and message.record is not None:
                raise pickle.PicklingError("of a class of a script")
            super()._give(message)

    with WorkerPool(Refusing, 1) as pool, pytest.raises(InputError, match="cannot be sent"):
        evaluated(pool, time_limit=5)


@pytest.mark.slow
def test_workers_forget_programs_that_run_no_more(evaluated: Evaluated) -> None:
    gc.freeze()  # what other tests left need not be looked through
    with WorkerPool(Near, 1) as pool:
        for _ in range(3):
            evaluated(pool, 1)
            gc.collect()
        (near,) = pool.links
        assert isinstance(near, Near)
        assert len(near._worker._works) == 1


def test_of_two_programs_of_one_crew_a_question_from_a_thread_of_unknown_episode_is_refused(
    env: Environment, lm: dspy.LM, tasks: list[Task]
) -> None:
    programs = [Asking(env), AskingInThread(env)]
    for program in programs:
        program.set_lm(lm)
    with WorkerPool(Near, 1) as pool:
        settings = EvalSettings(env=env, lm=lm, scorers=[right], time_limit=5, engine=pool)
        one, other = (evaluate(program, tasks[:1], settings).records[0] for program in programs)

    assert (one.status, other.status) == ("finished", "model_error")
    assert "in a thread that does not know its episode" in (other.error or "")


def test_a_budget_holds_over_all_workers(evaluated: Evaluated, server: Server) -> None:
    budget = Budget(calls=5 * STEPS)
    with WorkerPool(Near, 2) as pool:
        account = budget.account("openai/m")
        found = evaluated(pool, admission=account)

    assert found.unstarted > 0
    assert budget.spent.calls == len(server.bodies) <= 9 * STEPS


def test_plain_examples_run_elsewhere_with_what_they_are_made_of(lm: dspy.LM) -> None:
    class Local:
        """Not to be imported anywhere."""

        def __init__(self, number: int) -> None:
            self.number = number

    def answer(held: Local) -> dspy.Prediction:
        return dspy.Prediction(answer=held.number)

    scorer = MetricScorer(lambda example, prediction: example.label.number == prediction.answer)
    examples = [dspy.Example(held=Local(n), label=Local(n)).with_inputs("held") for n in range(3)]
    suite = suite_of_examples((), (), examples)
    with WorkerPool(Near, 1) as pool:
        settings = EvalSettings(env=suite.env, lm=lm, scorers=[scorer], engine=pool)
        found = evaluate(answer, suite.tasks, settings)
    assert [record.scores["outcome"] for record in found.records] == [1, 1, 1]


def test_what_another_process_cannot_have_is_said_at_once(
    env: Environment, lm: dspy.LM, tasks: list[Task]
) -> None:
    program = Asking(env)
    program.others = (number for number in range(3))
    with WorkerPool(Near, 1) as pool, pytest.raises(InputError, match="cannot be sent to another process"):
        evaluate(program, tasks, EvalSettings(env=env, lm=lm, scorers=[right], engine=pool))


@pytest.mark.parametrize("cached", [True, False])
def test_models_in_workers_read_no_cache_where_the_run_reads_none(
    env: Environment, monkeypatch: pytest.MonkeyPatch, cached: bool
) -> None:
    lm = standin.lm()
    lm.cache = True
    monkeypatch.setattr(dspy.cache, "enable_disk_cache", cached)
    monkeypatch.setattr(dspy.cache, "enable_memory_cache", cached)
    work = RolloutJob(Asking(env), EvalSettings(env=env, lm=lm, scorers=[right])).work

    def unasked(*_: Any) -> Any:
        raise AssertionError("it is asked here")

    there, _ = opened(shipped(work).payload, unasked)
    assert [each.cache for each in there.models] == [cached]


def ray_cluster(address: str | None = None) -> WorkerPool:
    pytest.importorskip("ray")
    from worksmith.evals.running.engines.ray_cluster import RayCluster

    return RayCluster(2, most=2, address=address)


def check_kill(pool: WorkerPool, server: Server, evaluated: Evaluated) -> None:
    """Kill one of two real workers, and see that nothing is lost and nothing paid twice."""
    here = evaluated()
    paid = len(server.bodies)
    killed: list[Any] = []

    def kill_one(_: Any) -> None:
        if len(pool.links) == 2 and not killed:
            killed.append(pool.links[0])
            killed[0].close()

    there = evaluated(pool, on_progress=kill_one)

    assert plain(there) == plain(here)
    assert len(server.bodies) == 2 * paid


@pytest.mark.slow
def test_real_processes_may_be_killed_and_take_no_modules_from_the_folder_that_they_start_in(
    evaluated: Evaluated, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("evals", "tools"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('of a user')")
    monkeypatch.chdir(tmp_path)

    with processes(2) as pool:
        check_kill(pool, server, evaluated)


@pytest.mark.slow
def test_workers_of_a_cluster_may_be_killed_and_none_is_started_after_the_end_nor_a_second_cluster_joined(
    evaluated: Evaluated, server: Server
) -> None:
    ray = pytest.importorskip("ray")
    before = signal.getsignal(signal.SIGTERM)
    with ray_cluster() as pool:
        assert signal.getsignal(signal.SIGTERM) == before
        check_kill(pool, server, evaluated)
        link = pool.links[0]
        with pytest.raises(InputError, match="joined a Ray cluster already"):
            ray_cluster(address="ray://elsewhere:10001").__enter__()

    # Ray ends the whole process if a thread calls it while it shuts down.
    assert not {thread.name for thread in threading.enumerate()} & {"worksmith-worker", "worksmith-to-ray"}
    with pytest.raises(EOFError):
        link.receive()
    with pytest.raises(InfrastructureError):
        type(link)()
    assert not ray.is_initialized()
