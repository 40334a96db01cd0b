"""A program that is open to be asked: tasks of a suite, or requests in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import indent
from typing import TYPE_CHECKING, Any, Self

import dspy
from pydantic_core import to_jsonable_python
from rich.console import Console

from worksmith.evals.dspy_programs.asked import asked
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Task
from worksmith.jobs.opening.programs import OpenedProgram, open_program, toolset_of
from worksmith.jobs.opening.suites import connect, leave_out_cache
from worksmith.jobs.showing.episode_text import episode_json, show_turn
from worksmith.jobs.showing.printing import Printable
from worksmith.models.resolve import OWN, resolve
from worksmith.programs.own_agents.program import AgentFunction, OwnAgent
from worksmith.tools.errors import InputError, WorksmithError
from worksmith.tools.proposed_changes import ProposedChanges

if TYPE_CHECKING:
    from worksmith.jobs.settings.programs import ChatSettings
    from worksmith.tools.episode_result import EpisodeResult

HUMAN = "human"
"""The name of the model for which a person does the task."""


@dataclass(frozen=True, repr=False)
class Asked(Printable):
    """A program with its model, over a suite. It prints the possible cost of an episode."""

    suite: Suite
    opened: OpenedProgram
    lm: dspy.BaseLM

    @classmethod
    def open(
        cls,
        suite: Suite,
        settings: ChatSettings,
        *,
        person: AgentFunction | None = None,
        progress: Progress = SILENT,
    ) -> Self:
        """Open the program and the model that settings name, and connect the suite to its live org, if any.

        Args:
            person: does the tasks where the settings name `HUMAN` as model.

        Raises:
            InputError: a setting is wrong, or a file.
        """
        leave_out_cache(settings)
        connect(suite, settings, progress)
        if settings.lm == HUMAN and person is not None:
            toolset = toolset_of(suite, settings, "react")
            made = OwnAgent(person, suite.env, name=HUMAN, toolset=toolset, max_steps=settings.max_steps)
            return cls(suite, OpenedProgram(made), resolve(OWN))
        return cls(suite, open_program(suite, settings), resolve(settings.lm, tasks=suite.tasks))

    def to_json(self) -> dict[str, int | None]:
        steps = getattr(self.opened.program, "max_steps", None)
        own = getattr(self.opened.program, "counts_itself", False)
        return {"model_calls_at_most": None if own or steps is None else steps + 1}

    def print(self, console: Console) -> None:
        most = self.to_json()["model_calls_at_most"]
        calls = "as many model calls as the program makes" if most is None else f"at most {most} model calls"
        console.out(f"an episode has {calls}", highlight=False)

    def do(self, task: Task) -> Turn:
        """Let the program do a task."""
        with dspy.context(lm=self.lm):
            done = self.opened.program(task=task)
        episode, changes = done.episode, done.get("changes")
        if not isinstance(changes, ProposedChanges):
            persona, now = task.persona or self.suite.world.manifest.persona, task.now or self.suite.env.now
            changes = ProposedChanges(self.suite.env, task.query, episode, persona=persona, now=now)
        return Turn(task, episode, changes)


def in_words(suite: Suite, text: str, persona: str | None, *, context: str = "") -> Task:
    """A task from a request in words.

    Raises:
        InputError: see `asked`.
    """
    return Task(**{**dict(asked(text, suite.env, persona)), "context": context})


def check_commits(suite: Suite) -> None:
    """See that changes can be committed, before a model is asked for them.

    Raises:
        InputError: the environment has no function for that.
    """
    if suite.env.kind.commit is None:
        raise InputError("no function commits changes", where="--commit", hint="declare one: @env.commit")


@dataclass(frozen=True)
class Turn(Printable):
    """A request of a conversation, and what came of it."""

    task: Task
    episode: EpisodeResult
    changes: ProposedChanges

    @property
    def proposes(self) -> bool:
        """Whether there are changes to commit."""
        return self.episode.status == "finished" and bool(self.changes)

    def commit(self) -> Any:
        """Commit the changes; gives the result of the function as JSON-able data.

        Raises:
            InputError: see `ProposedChanges.commit`.
            WorksmithError: the function failed.
        """
        try:
            return to_jsonable_python(self.changes.commit(), inf_nan_mode="null", fallback=str)
        except WorksmithError:
            raise
        except Exception as error:
            message = f"the commit failed: {type(error).__name__}: {error}; a part may be made"
            raise WorksmithError(message) from error

    def to_json(self) -> dict[str, Any]:
        return episode_json(self.task, self.episode)

    def print(self, console: Console) -> None:
        show_turn(console, self.episode)


@dataclass
class Chat:
    """A conversation with a program.

    Each request is a new episode on the current tables; the program gets the earlier turns.
    """

    asked: Asked
    persona: str | None
    _said: list[str] = field(default_factory=list)

    @classmethod
    def open(cls, settings: ChatSettings, *, commits: bool = False, progress: Progress = SILENT) -> Self:
        """Open suite, program and model of the settings.

        Args:
            commits: whether proposed changes are to be committed.

        Raises:
            InputError: a setting is wrong, or a file; or no person with this id may ask.
        """
        suite = Suite.open(settings.suite)
        in_words(suite, "Who am I?", settings.persona)
        if commits:
            check_commits(suite)
        return cls(Asked.open(suite, settings, progress=progress), settings.persona)

    def ask(self, text: str) -> Turn:
        """Ask the program, on the rows of now."""
        self.asked.suite.env.refresh()
        context = "\n".join(["Said before:", *self._said]) if self._said else ""
        task = in_words(self.asked.suite, text, self.persona, context=context)
        turn = self.asked.do(task)
        proposed = " (changes proposed, not made)" if turn.proposes else ""
        answer = indent(turn.episode.answer, "  ").strip()  # none of its lines looks like worksmith's own
        self._said += [f"User: {text}", f"You: {answer or '(no answer)'}{proposed}"]
        return turn

    def commit(self, turn: Turn) -> Any:
        """Commit the changes of a turn; later requests contain this."""
        try:
            result = turn.commit()
        except WorksmithError:
            self._said.append("The commit of the changes failed.")
            raise
        self.asked.suite.env.refresh(force=True)
        self._said.append("The changes were made.")
        return result
