"""A served program on a real socket in this process, whose agent makes the calls that a task spells out."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dspy
import httpx
import jwt
from dspy import lm15

from worksmith.evals.suite import Suite
from worksmith.jobs.opening.programs import OpenedProgram
from worksmith.serving.programs.desk import Desk
from worksmith.serving.programs.metrics import Metrics
from worksmith.serving.programs.opening import app_of, tokens_of
from worksmith.serving.programs.settings import ServeProgramSettings
from worksmith.tools.kinds.own_data.environment import Environment
from worksmith.tools.serving.server import Server

SECRET = b"a secret of tests, with more than 32 bytes"
AUDIENCE, ISSUER = "desk", "https://login.example"


def token(who: str = "ann", *, secret: bytes = SECRET, lasting: float = 600, **claims: Any) -> str:
    """A token; a claim that is None is left out."""
    given = {"sub": who, "aud": AUDIENCE, "iss": ISSUER, "exp": time.time() + lasting, **claims}
    return jwt.encode({name: each for name, each in given.items() if each is not None}, secret, "HS256")


class Obedient:
    """Makes the calls of the task's text: a list of tool and arguments. An `ask` asks the model.

    Attributes:
        hold: tasks wait for it before they end.
    """

    def __init__(self, env: Environment) -> None:
        self._env = env
        self.hold = threading.Event()
        self.hold.set()

    def __call__(self, task: Any) -> Any:
        episode = self._env.episode(task.domains, persona=task.persona)
        try:
            calls = json.loads(task.query)
        except ValueError:
            calls = []
        for name, arguments in calls if isinstance(calls, list) else []:
            if name == "ask":
                dspy.settings.lm("What now?")
            elif name == "fail":
                raise RuntimeError("the agent has a defect")
            elif name == "wait":
                self.hold.wait(20)
            else:
                episode.call(name, arguments)
        said = episode.calls[-1].observation.text if episode.calls else "Nothing to do."
        return episode.finished(said)


class Engine:
    """Answers everything; 10 tokens in, 5 out."""

    digest = "tests"

    def complete(self, request: lm15.Request) -> lm15.Response:
        usage = lm15.Usage(input_tokens=10, output_tokens=5)
        return lm15.Response(None, "any", lm15.Message.assistant("Yes."), "stop", usage)


@dataclass
class Served:
    url: str
    env: Environment
    program: Obedient
    desk: Desk

    def client(self, who: str | None = "ann", **claims: Any) -> httpx.Client:
        headers = {} if who is None else {"Authorization": f"Bearer {token(who, **claims)}"}
        return httpx.Client(base_url=self.url, headers=headers, trust_env=False, timeout=20)

    def do(self, *calls: Sequence[Any], who: str = "ann", **more: Any) -> Any:
        """The result of a task of these calls."""
        with self.client(who) as client:
            reply = client.post("/tasks", json={"task": json.dumps(calls), **more})
        assert reply.status_code == 200, reply.text
        return reply.json()

    def decide(self, changes: dict[str, Any], how: str = "approve", who: str = "ann", **claims: Any) -> Any:
        with self.client(who, **claims) as client:
            return client.post(f"/changes/{changes['id']}/{how}", json={"digest": changes["digest"]})


@contextmanager
def served(
    env: Environment,
    folder: Path,
    *,
    commit: Callable[[Any], Any] | None = None,
    settle: Callable[[str], bool] | None = None,
    **settings: Any,
) -> Iterator[Served]:
    """A server for the duration of the block.

    Args:
        commit, settle: of the environment.
        settings: of `worksmith serve program`.
    """
    if commit is not None:
        env.commit(commit, settle=settle)
    (secret := folder / "secret").write_bytes(SECRET)
    given = ServeProgramSettings(
        program="tests",
        suite=folder,
        audience=AUDIENCE,
        issuer=ISSUER,
        jwt_secret_file=secret,
        changes=folder / "changes.db",
        **{"time_limit": 20.0, **settings},
    )
    program, lm = Obedient(env), dspy.LM("scripted/yes", engine=Engine(), cache=False)
    app = app_of(given, Suite(env, [], path=folder), OpenedProgram(program), lm, tokens_of(given), Metrics())
    server = Server(app, secure=False)
    with server.listening() as at:
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            yield Served(at.url, env, program, app.desk)
        finally:
            program.hold.set()
            server.stop()
            thread.join()
