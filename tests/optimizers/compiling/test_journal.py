"""A compile that dies goes on from its journal, and one that is done can be derived from it."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import dspy
import httpx
import openai
import pytest
from dspy.lm15 import Request, Response
from dspy.utils.exceptions import (
    ContextWindowExceededError,
    LMError,
    LMInvalidRequestError,
    LMUnexpectedError,
)

from tests.chat_server import chat_server, said
from tests.evals.help_desk import SEARCH
from tests.evals.judging.episodes import answered
from tests.optimizers.proposing import Proposals, propose, reply
from tests.optimizers.shop import ANY_MODEL, Clerk, Model
from worksmith.evals.dspy_programs.digests import model_digest
from worksmith.evals.judging.rubric_judge import RubricJudge
from worksmith.evals.lm.failures import failure_of
from worksmith.evals.lm.replies.keeping_engine import RememberingEngine
from worksmith.evals.lm.replies.store import ReplyStore
from worksmith.evals.suite import Suite
from worksmith.optimizers import registry
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.optimizers.compiling.compile import compile_program
from worksmith.optimizers.compiling.journal import IncompleteJournalError, Journal, discard, journal_beside
from worksmith.optimizers.compiling.models import Model as Named
from worksmith.optimizers.compiling.plan import Plan
from worksmith.optimizers.compiling.verification import derived
from worksmith.optimizers.cost.budget import Budget
from worksmith.optimizers.registry import OPTIMIZERS
from worksmith.optimizers.settings import Settings
from worksmith.tools.errors import InputError, Notice
from worksmith.tools.files.locking import InUseError
from worksmith.tools.files.sealed_lines import sealed, sealed_lines
from worksmith.tools.seeding import digest

pytestmark = pytest.mark.usefixtures("few_rounds")

VERBS = ("Cancel", "Rename", "Shift")


REPLIES = "replies.jsonl"


class Photographer:
    """Copies a journal at one moment: what is on disk then is what a kill would leave.

    Attributes:
        calls: of all models it was shown to.
    """

    def __init__(self, journal: Path | None = None, moment: int = 0) -> None:
        self.calls = 0
        self._journal, self._moment = journal, moment
        self._lock = threading.Lock()

    def look(self) -> None:
        with self._lock:
            self.calls += 1
            if self._journal is not None and self.calls == self._moment:
                killed = self._journal.with_name("killed")
                # Replies last: other threads go on, and no episode may be there whose replies are not.
                shutil.copytree(self._journal, killed, ignore=shutil.ignore_patterns(REPLIES))
                shutil.copy(self._journal / REPLIES, killed)


class Watched:
    """An engine whose calls are seen by a photographer."""

    def __init__(self, engine: Any, seen_by: Photographer) -> None:
        self._engine, self._seen_by = engine, seen_by
        self.digest = engine.digest

    def complete(self, request: Request) -> Response:
        self._seen_by.look()
        return self._engine.complete(request)

    def __deepcopy__(self, memo: dict[int, Any]) -> Watched:
        return self


class SteadyProposals(Proposals):
    """Proposes the same to the same."""

    def complete(self, request: Request) -> Response:
        super().complete(request)
        number = int(digest(self.asked.pop(), length=4), 16)
        messages = [{"role": message.role, "content": message.text or ""} for message in request.messages]
        system = {"role": "system", "content": str(request.system or "")}
        return reply(request.model, propose([system, *messages], number))


def plan(suite: Suite, folder: Path, name: str = "bootstrap", *, by: Photographer, **settings: Any) -> Plan:
    def named(engine: Any, model: str) -> Named:
        lm = dspy.LM(f"scripted/{model}", engine=Watched(engine, by), cache=False, num_retries=0)
        return Named(f"scripted/{model}", lm)

    return Plan(
        program=Clerk(suite.env),
        describes={},
        suite=suite,
        lm=named(Model("Cancel"), "student"),
        teacher=named(Model(*VERBS), "teacher"),
        proposer=named(SteadyProposals(), "proposer")
        if OPTIMIZERS[name].proposes or "instructions" in settings.get("over", ())
        else None,
        optimizer=registry.optimizer(name, Settings(**{"demos": 2, "candidates": 2, **settings})),
        folder=folder,
        train_limit=6,
        dev_limit=4,
        workers=4,
    )


def replies(folder: Path) -> int:
    """How many replies a journal holds."""
    return (folder / REPLIES).read_bytes().count(b"\n")


class Whole(NamedTuple):
    """A compile that nothing disturbed, and its calls."""

    folder: Path
    artifact: Artifact
    calls: int


@pytest.fixture(scope="module")
def wholes(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Whole]:
    """Compiles with an optimizer, once for all tests: what they change is a copy."""

    @cache
    def whole(name: str) -> Whole:
        folder, counter = tmp_path_factory.mktemp("whole") / "journal", Photographer()
        return Whole(folder, compile_program(plan(suite, folder, name, by=counter)).artifact, counter.calls)

    return whole


OURS = [name for name in ANY_MODEL if ":" not in name]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [*OURS, "dspy:BootstrapFewShotWithRandomSearch", "dspy:MIPROv2", "dspy:GEPA"]
)
def test_a_killed_compile_goes_on_to_the_same_result(
    suite: Suite, tmp_path: Path, name: str, wholes: Callable[[str], Whole]
) -> None:
    whole = wholes(name)
    witness = Photographer(tmp_path / "disturbed", 1 + whole.calls // 2)
    compile_program(plan(suite, tmp_path / "disturbed", name, by=witness))
    killed = tmp_path / "killed"
    known = replies(killed)
    for file in killed.rglob("*.jsonl"):
        with file.open("ab") as log:
            log.write('{"key": "half a line ä'.encode()[:-1])
    second = Photographer()
    resumed = compile_program(replace(plan(suite, killed, name, by=second), resume=True)).artifact

    assert resumed.digest == whole.artifact.digest
    assert resumed.state == whole.artifact.state
    assert known > 0
    assert second.calls == whole.calls - known
    assert replies(killed) == replies(whole.folder) == whole.calls
    before = {file: file.read_bytes() for file in killed.rglob("*") if file.is_file()}
    anew = derived(plan(suite, killed, name, by=second))
    assert (anew.artifact.digest, anew.logs) == (whole.artifact.digest, ())
    assert second.calls == whole.calls - known
    assert before == {file: file.read_bytes() for file in killed.rglob("*") if file.is_file()}


@pytest.mark.parametrize(("name", "share"), [("bootstrap", 0.2), ("race", 0.2), ("race", 0.7), ("knn", 0.7)])
def test_what_a_budget_ended_is_derived_too(
    suite: Suite, tmp_path: Path, name: str, share: float, wholes: Callable[[str], Whole]
) -> None:
    calls = round(share * wholes(name).calls)
    cut = replace(plan(suite, tmp_path / "cut", name, by=Photographer()), budget=Budget(calls=calls))
    ended = compile_program(cut).artifact
    assert ended.manifest.stopped == "max_calls"

    anew = derived(plan(suite, tmp_path / "cut", name, by=Photographer()), stopped=ended.manifest.stopped)
    assert anew.artifact.digest == ended.digest
    assert anew.logs == ()


def test_where_a_budget_ended_dspys_optimizers_nobody_knows(suite: Suite, tmp_path: Path) -> None:
    name = "dspy:BootstrapFewShot"
    cut = replace(plan(suite, tmp_path / "c", name, by=Photographer()), budget=Budget(calls=9))
    stopped = compile_program(cut).artifact.manifest.stopped

    with pytest.raises(IncompleteJournalError, match="no word of where its budget"):
        derived(plan(suite, tmp_path / "c", name, by=Photographer()), stopped=stopped)


class Unwell(Model):
    """Fails at whatever is about one title."""

    def complete(self, request: Request) -> Response:
        if "alpha" in (request.messages[-1].text or ""):
            raise RuntimeError("overloaded")
        return super().complete(request)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bootstrap", "dspy:BootstrapFewShot"])
def test_what_was_lost_is_lost_in_what_is_derived(suite: Suite, tmp_path: Path, name: str) -> None:
    def unwell(engine: Any) -> Plan:
        lm = dspy.LM("scripted/teacher", engine=engine, cache=False, num_retries=0)
        whole = plan(suite, tmp_path / "whole", name, by=Photographer())
        return replace(whole, teacher=Named("scripted/teacher", lm))

    lossy = compile_program(unwell(Unwell(*VERBS))).artifact
    assert any("overloaded" in reason for reason in lossy.manifest.gaps)
    anew = derived(unwell(Unwell(*VERBS)))
    assert anew.artifact.digest == lossy.digest
    assert anew.logs == ()
    # Who goes on asks again.
    well = Unwell(*VERBS)
    well.complete = Model(*VERBS).complete  # type: ignore[method-assign]
    assert not compile_program(replace(unwell(well), resume=True)).artifact.manifest.gaps


def _lines(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[bytes], bytes]:
    return lambda data: b"".join(change(data.splitlines(keepends=True)))


def _edited(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        assert old in data
        return data.replace(old, new, 1)

    return change


MUTATIONS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "last line torn": lambda data: data[:-30],
    "a bit flipped": lambda data: data[:300] + bytes([data[300] ^ 1]) + data[301:],
    "a line break taken out": lambda data: data.replace(b"\n", b"", 1),
    "two lines swapped": _lines(lambda lines: [lines[1], lines[0], *lines[2:]]),
    "a line doubled": _lines(lambda lines: [lines[0], *lines]),
    "another tool": _edited(b"calendar.delete_event", b"calendar.create_event"),
    "no JSON": lambda data: b"[]\n5\n",
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::worksmith.tools.errors.Notice")
@pytest.mark.parametrize("name", MUTATIONS)
def test_damaged_traces_never_lead_to_another_program(
    suite: Suite, tmp_path: Path, name: str, wholes: Callable[[str], Whole]
) -> None:
    """Every success owes its trace: it is run again with the replies, which the journal has."""
    whole = wholes("bootstrap").artifact
    folder = shutil.copytree(wholes("bootstrap").folder, tmp_path / "j")
    traces = folder / "teacher" / "traces.jsonl"
    before = traces.read_bytes()
    traces.write_bytes(MUTATIONS[name](before))
    assert traces.read_bytes() != before
    nobody = Photographer()
    again = compile_program(replace(plan(suite, folder, by=nobody), resume=True)).artifact

    assert again.digest == whole.digest
    assert nobody.calls == 0
    found = derived(plan(suite, folder, by=nobody))
    assert (found.artifact.digest, found.logs) == (whole.digest, ())


def test_damaged_traces_are_named(suite: Suite, tmp_path: Path, wholes: Callable[[str], Whole]) -> None:
    shutil.copytree(wholes("bootstrap").folder, tmp_path / "j")
    traces = tmp_path / "j" / "teacher" / "traces.jsonl"
    traces.write_bytes(MUTATIONS["two lines swapped"](traces.read_bytes()))

    with pytest.warns(Notice, match=r"traces\.jsonl:1 and 1 more: .* checksum or its place"):
        compile_program(replace(plan(suite, tmp_path / "j", by=Photographer()), resume=True))


def test_falsified_traces_differ_from_what_is_derived(suite: Suite, tmp_path: Path) -> None:
    """With checksums that fit, as anybody can write them."""
    whole = compile_program(plan(suite, tmp_path / "j", by=Photographer())).artifact
    traces = tmp_path / "j" / "teacher" / "traces.jsonl"
    said = [line.data or b"" for line in sealed_lines(traces, "traces", placed=True)]
    data = [line.replace(b"calendar.search_events", b"calendar.send_events") for line in said]
    traces.write_bytes(b"".join(sealed(line, place=n) for n, line in enumerate(data, start=1)))
    found = derived(plan(suite, tmp_path / "j", by=Photographer()))

    assert found.artifact.digest == whole.digest
    assert found.logs
    assert all(said.startswith("teacher/traces.jsonl: ") for said in found.logs)


def test_a_reply_that_is_not_in_the_journal_is_named(suite: Suite, tmp_path: Path) -> None:
    name = "dspy:BootstrapFewShotWithRandomSearch"
    compile_program(plan(suite, tmp_path / "whole", name, by=Photographer()))
    file = tmp_path / "whole" / "replies.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-1]))

    with pytest.raises(IncompleteJournalError, match="no reply of scripted/student to"):
        derived(plan(suite, tmp_path / "whole", name, by=Photographer()))


def test_a_journal_goes_on_with_nothing_else(suite: Suite, tmp_path: Path) -> None:
    compile_program(plan(suite, tmp_path / "j", "none", by=Photographer()))
    other = plan(suite, tmp_path / "j", "none", by=Photographer(), demos=3)

    with pytest.raises(InputError, match=r"settings\.demos was 2 and is 3"):
        compile_program(replace(other, resume=True))
    with pytest.raises(InputError, match="--resume continues it"):
        compile_program(plan(suite, tmp_path / "j", "none", by=Photographer()))
    with pytest.raises(InputError, match="scheme was"):
        derived(replace(plan(suite, tmp_path / "j", "none", by=Photographer()), scheme="held_out_intents"))


class Hasty(Clerk):
    """A clerk with another `forward`."""

    def forward(self, task: Any) -> dspy.Prediction:
        return super().forward(task)


def test_a_journal_goes_on_with_no_changed_code(suite: Suite, tmp_path: Path) -> None:
    begun = plan(suite, tmp_path / "journal", "none", by=Photographer())
    compile_program(begun)
    changed = replace(begun, program=Hasty(suite.env), resume=True)

    with pytest.raises(InputError, match=r"belongs to another compile: .*program_code was"):
        compile_program(changed)


def test_a_journal_is_for_one_process_at_a_time(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j", {}, resume=False):
        with pytest.raises(InUseError, match=f"process {os.getpid()} is at work") as caught:
            Journal.open(tmp_path / "j", {}, resume=True)
        with pytest.raises(InUseError):
            discard(tmp_path / "j")
        assert caught.value.pid == os.getpid()
    # Also after the number of somebody who is gone was left in it.
    (tmp_path / "j" / "lock").write_text("1")
    Journal.open(tmp_path / "j", {}, resume=True).close()
    discard(tmp_path / "j")
    assert not (tmp_path / "j").exists()


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")

    with pytest.raises(InputError, match="something else"):
        Journal.open(tmp_path, {}, resume=True)
    assert journal_beside(tmp_path / "a.json") == tmp_path / "a.json.journal"


@pytest.mark.parametrize("engine", ["auto", pytest.param("litellm", marks=pytest.mark.slow)])
def test_what_a_reply_took_does_not_depend_on_what_dspy_has_cached(
    tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    took = []
    with chat_server() as server:
        server.say(said("first"), said("second"))
        lm = dspy.LM(f"openai/{uuid4()}", api_base=server.url, api_key="none", engine=engine)
        for folder in ("cold", "warm"):
            store = ReplyStore(tmp_path / folder / "replies.jsonl")
            with dspy.track_usage() as usage:
                assert RememberingEngine(lm, store).installed()("same") == ["first"]
            took.append(usage.get_total_tokens()[lm.model]["total_tokens"])

    assert len(server.bodies) == 1
    assert took == [13, 13]


class Slow:
    """Gives every request another reply, when it is told to."""

    digest = "slow"

    def __init__(self) -> None:
        self.calls, self.go = 0, threading.Event()
        self.failing = False
        self._lock = threading.Lock()

    def complete(self, request: Request) -> Response:
        with self._lock:
            self.calls += 1
            number = self.calls
        self.go.wait()
        if self.failing:
            raise RuntimeError("overloaded")
        return reply(request.model, f"reply {number}")


def remembering(folder: Path, engine: Any, *, may_ask: bool = True, **settings: Any) -> dspy.LM:
    lm = dspy.LM("scripted/slow", engine=engine, cache=False, num_retries=0, **settings)
    return RememberingEngine(lm, ReplyStore(folder / "replies.jsonl"), may_ask=may_ask).installed()


def test_equal_questions_at_the_same_time_are_asked_once(tmp_path: Path) -> None:
    engine = Slow()
    lm = remembering(tmp_path, engine)
    heard: list[str] = []
    threads = [threading.Thread(target=lambda: heard.extend(lm("same"))) for _ in range(16)]
    for thread in threads:
        thread.start()
    engine.go.set()
    for thread in threads:
        thread.join()

    assert engine.calls == 1
    assert heard == ["reply 1"] * 16


def test_what_samples_differ_in_is_told_apart(tmp_path: Path) -> None:
    engine = Slow()
    engine.go.set()
    lm = remembering(tmp_path, engine, temperature=1.0)

    def ask() -> list[Any]:
        asked = [lm("same", n=2), lm.copy(rollout_id=1)("same"), lm("same", rollout_id=2)]
        return [*asked, lm("same", temperature=0.5), lm("other"), lm("same")]

    first = ask()
    assert first[0] == ["reply 1", "reply 2"]
    assert [replies[0] for replies in first[1:5]] == ["reply 3", "reply 4", "reply 5", "reply 6"]
    assert first[5] == ["reply 1"]
    lm = remembering(tmp_path, Slow(), temperature=1.0)
    assert ask() == first


def test_a_failure_is_asked_again_but_retraced(tmp_path: Path) -> None:
    engine = Slow()
    engine.go.set()
    engine.failing = True
    heard = []
    for may_ask in (True, False):
        lm = remembering(tmp_path, engine, may_ask=may_ask)
        with pytest.raises(LMUnexpectedError, match="overloaded") as caught:
            lm("same")
        heard.append((type(caught.value), str(caught.value)))
    engine.failing = False

    assert heard[0] == heard[1]
    assert engine.calls == 1
    assert remembering(tmp_path, engine)("same") == ["reply 2"]
    assert remembering(tmp_path, engine, may_ask=False)("same") == ["reply 2"]


@pytest.mark.parametrize(
    "error",
    [
        ContextWindowExceededError(model="scripted/slow"),
        LMInvalidRequestError("no such model", status=404),
        LMInvalidRequestError("top_k", status=400),
        LMInvalidRequestError("no", provider_code="SAFETY"),
        openai.APIConnectionError(request=httpx.Request("POST", "http://127.0.0.1")),
        openai.BadRequestError(
            "prompt is too long",
            response=httpx.Response(400, request=httpx.Request("POST", "http://127.0.0.1")),
            body=None,
        ),
        KeyError("x"),
    ],
)
def test_a_failure_that_is_retraced_ends_an_episode_alike(error: Exception, tmp_path: Path) -> None:
    class Failing:
        def complete(self, request: Request) -> Response:
            raise error

    heard = []
    for may_ask in (True, False):
        lm = remembering(tmp_path, Failing(), may_ask=may_ask)
        with pytest.raises(LMError) as caught:
            lm("same")
        heard.append(failure_of(caught.value))

    assert heard[0] == heard[1]


def test_who_stands_in_for_a_model_is_that_model(tmp_path: Path) -> None:
    lm = dspy.LM("scripted/slow", engine=Slow(), cache=False, temperature=0.5, timeout=None)
    stands_in = RememberingEngine(lm, ReplyStore(tmp_path / "replies.jsonl")).installed()

    assert model_digest(stands_in) == model_digest(lm)
    assert model_digest(stands_in.copy(temperature=1.0)) != model_digest(lm)


@pytest.mark.parametrize("failure", [{"class": "LMError"}, {"ended": ["lost", ""]}, "LMError"])
def test_a_failure_that_says_something_else_is_damage(failure: Any, tmp_path: Path) -> None:
    paid = {"paid_requests": 1}
    whole = {"class": "LMError", "message": "", "model": None, "ended": ["model_error", ""]}
    kept = {**whole, **failure} if failure == {"ended": ["lost", ""]} else failure
    line = json.dumps({"key": "a", "model": "m", "paid": paid, "failure": kept})
    (tmp_path / "replies.jsonl").write_bytes(sealed(line.encode()))

    with pytest.raises(InputError, match=r"replies.jsonl:1"):
        ReplyStore(tmp_path / "replies.jsonl")


def test_a_judges_unreadable_reply_is_asked_for_again_through_a_journal(tmp_path: Path) -> None:
    graded = said("[[ ## feedback ## ]]\nFine.\n\n[[ ## level ## ]]\n2\n\n[[ ## completed ## ]]")
    with chat_server() as server:
        server.say(said("Hm."), graded)
        original = dspy.LM(f"openai/{uuid4()}", api_base=server.url, api_key="none")
        for _ in range(2):
            store = ReplyStore(tmp_path / "replies.jsonl")
            verdict = RubricJudge(RememberingEngine(original, store).installed())(
                SEARCH, answered(SEARCH, "x")
            )
            store.close()
            assert (verdict.status, verdict.level) == ("ok", 2)
            assert len(server.bodies) == 2
