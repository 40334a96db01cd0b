"""The operations of the API: tasks, their changes, and decisions on changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from worksmith.serving.programs.proposals import Proposal, Proposals
from worksmith.serving.programs.rollouts import Done, Rollouts, Running, failed
from worksmith.tools.change_set import ConflictError
from worksmith.tools.errors import InfrastructureError, InputError, ToolError
from worksmith.tools.files.locking import InUseError
from worksmith.tools.proposed_changes import Replayed, StaleError, content_of
from worksmith.tools.serving.refusals import RequestError
from worksmith.tools.statuses import INFRASTRUCTURE, PROGRAM_ERROR

if TYPE_CHECKING:
    from worksmith.serving.programs.metrics import Metrics
    from worksmith.serving.programs.settings import ChangeSettings
    from worksmith.serving.programs.tokens import Caller
    from worksmith.tools.change_set import ChangeSet
    from worksmith.tools.episode_result import CallRecord
    from worksmith.tools.persona import Persona
    from worksmith.tools.sqlite.cells import CellValue

MOST_CHANGES = 1_000
"""The most rows of a change set that a person can review."""


class Desk:
    """The work of the API, without HTTP.

    The environment's function, if it has one, makes approved changes; else that is left to the client.
    """

    def __init__(
        self, rollouts: Rollouts, proposals: Proposals, metrics: Metrics, settings: ChangeSettings
    ) -> None:
        self.rollouts, self._proposals, self._metrics = rollouts, proposals, metrics
        self._env, self._settings = rollouts.suite.env, settings
        self._commits = proposals.commits()

    def refresh(self, *, force: bool = False) -> bool:
        """Read the tables that are due, and all after a commit; returns whether any changed."""
        commits = self._proposals.commits()
        try:
            changed = self._env.refresh(force=force or commits != self._commits)
        except (InputError, InfrastructureError) as error:
            raise failed(503, "no_data", "The tables cannot be read", str(error)) from error
        self._commits = commits
        return changed

    def step(self, number: int, call: CallRecord) -> dict[str, Any]:
        return {"number": number, **call.to_json()}

    def result(self, running: Running, done: Done, steps: list[dict[str, Any]]) -> dict[str, Any]:
        """The end of a task; its changes become a proposal."""
        episode = done.episode
        if episode is None:
            assert done.error is not None
            raise done.error
        if episode.status == "model_error":
            raise failed(502, "model_error", "The model gave no answer", str(episode.error))
        if episode.status in INFRASTRUCTURE:
            raise failed(503, episode.status, "The task was lost", str(episode.error))
        if episode.status == PROGRAM_ERROR:
            raise failed(500, PROGRAM_ERROR, "The program failed", episode.traceback or str(episode.error))
        spent, changes = running.meter.spent, None
        if len(proposed := episode.outcome.proposed()) > MOST_CHANGES:
            message = f"The task would change more than {MOST_CHANGES} rows"
            raise RequestError(422, "too_many_changes", message)
        if episode.status == "finished" and proposed:
            content = content_of(running.task.query, running.task.now or self._env.now, episode, self._env)
            made = self._proposals.add(running.persona.id, content, seconds=self._settings.changes_expire)
            self._metrics.changes.labels("proposed").inc()
            changes = self._shown(made, running.persona)
        return {
            "id": running.id,
            "status": episode.status,
            "answer": episode.answer,
            "answer_status": episode.answer_status,
            "steps": steps,
            "changes": changes,
            "usage": {"calls": spent.calls, "tokens": spent.tokens, "usd": spent.usd},
            "seconds": done.seconds,
        }

    def listed(self, caller: Caller) -> dict[str, Any]:
        """The changes that a caller may decide on."""
        found = self._proposals.pending(None if caller.approver else caller.persona.id)
        return {"changes": [_fields(each) for each in found if each.sound]}

    def proposal(self, id: str, caller: Caller) -> dict[str, Any]:
        """Proposed changes as the caller may see them."""
        return self._shown(self._found(id, caller), caller.persona)

    def reject(self, id: str, digest: str, caller: Caller) -> dict[str, Any]:
        """Reject changes; those of one's own task may always be rejected."""
        proposal = self._found(id, caller)
        self._check_open(proposal, digest)
        self._take(proposal, "rejected", caller)
        return self._now(id, caller)

    def approve(self, id: str, digest: str, caller: Caller) -> dict[str, Any]:
        """Approve changes, and commit them if there is a function for that.

        Raises:
            RequestError: they are unknown, the caller may not approve them, they are decided, expired or
                different from the digest, they fail on the current tables, or the commit failed.
        """
        proposal = self._found(id, caller)
        self._check_approver(proposal, caller)
        try:
            with self._proposals.committing(id):
                return self._approve(proposal, digest, caller)
        except InUseError:
            raise RequestError(409, "decided", "Another person decides on the changes just now") from None

    def settle(self, id: str, digest: str, committed: bool, caller: Caller) -> dict[str, Any]:
        """Record whether an interrupted commit was made, if only a person can know."""
        proposal = self._found(id, caller)
        self._check_approver(proposal, caller)
        if proposal.status != "unsettled" or proposal.digest != digest:
            raise RequestError(409, "decided", f"The changes are {proposal.status}")
        self._end(proposal, "committed" if committed else "failed", f"settled by {caller.persona.id}")
        return self._now(id, caller)

    def _approve(self, proposal: Proposal, digest: str, caller: Caller) -> dict[str, Any]:
        self._check_open(proposal, digest)
        self.refresh(force=True)
        approver = self._person(caller.persona.id)
        if approver is None:
            raise RequestError(403, "unknown_persona", "You may not work here any more")
        replayed = self._replayed(proposal, approver)
        changes, complete = replayed.shown(approver)
        if proposal.persona != approver.id and not complete:
            raise RequestError(403, "not_permitted", "You may not read all that would change")
        commit = self._env.kind.commit
        self._take(proposal, "approved" if commit is None else "committing", caller)
        if commit is not None:
            self._make(proposal, commit, replayed.change_set(proposal.id, approver))
        # The rows are others now, so that the changes cannot be made once more to be shown.
        return self._now(proposal.id, caller) | {"changes": changes, "complete": complete}

    def _make(self, proposal: Proposal, commit: Callable[[ChangeSet], Any], approved: ChangeSet) -> None:
        try:
            returned = commit(approved)
        except ConflictError as error:
            self._end(proposal, "failed", "Rows were changed since")
            self.refresh(force=True)  # who may read these rows may have changed with them
            raise self._changed(error.rows, self._person(approved.approved_by.id)) from error
        except ToolError as error:
            self._end(proposal, "failed", str(error))
            raise RequestError(409, "not_committed", str(error)) from error
        except Exception as error:
            refusal = failed(502, "not_committed", "The commit failed", repr(error))
            if self._look_up(proposal, refusal.message) != "committed":
                raise refusal from error
        else:
            self._end(proposal, "committed", _json_of(returned))

    def _look_up(self, proposal: Proposal, otherwise: str) -> str:
        """Settle an interrupted commit; it stays open while the function fails. Returns its status."""
        try:
            settle = self._env.kind.settle
            committed = settle is not None and settle(proposal.id)
        except Exception as error:
            message = "Whether it was committed cannot be asked"
            raise failed(502, "not_committed", message, repr(error)) from error
        status = "committed" if committed else "failed"
        self._end(proposal, status, None if committed else otherwise)
        return status

    def _end(self, proposal: Proposal, status: str, said: Any) -> None:
        outcome = {"result" if status == "committed" else "error": said}
        if self._proposals.settle(proposal.id, status, outcome):
            self._metrics.changes.labels(status).inc()

    def _check_approver(self, proposal: Proposal, caller: Caller) -> None:
        own = proposal.persona == caller.persona.id
        allowed = own if self._settings.approver is None else caller.approver
        if not allowed or (own and self._settings.four_eyes):
            raise RequestError(403, "not_permitted", "Another person must approve these changes")

    def _found(self, id: str, caller: Caller) -> Proposal:
        """The proposal, if it is the caller's, or the caller approves those of others."""
        proposal = self._proposals.get(id)
        if proposal is None or not (caller.approver or proposal.persona == caller.persona.id):
            raise RequestError(404, "not_found", "The changes are unknown")
        return self._settled(proposal) if proposal.status == "committing" else proposal

    def _settled(self, proposal: Proposal) -> Proposal:
        """The proposal; one whose commit ended with its process is settled first."""
        with suppress(InUseError), self._proposals.committing(proposal.id):
            proposal = self._proposals.get(proposal.id) or proposal
            if proposal.status == "committing" and self._env.kind.settle is not None:
                self._look_up(proposal, "The process ended before the commit")
            elif proposal.status == "committing":
                words = "The process ended in the midst of the commit: look the id up, and settle it"
                self._end(proposal, "unsettled", words)
        return self._proposals.get(proposal.id) or proposal

    def _check_open(self, proposal: Proposal, digest: str) -> None:
        if proposal.status == "expired":
            raise RequestError(410, "expired", "The changes have expired; ask again for the task")
        if proposal.status != "pending":
            raise RequestError(409, "decided", f"The changes are {proposal.status} already")
        if proposal.digest != digest or not proposal.sound:
            raise RequestError(409, "other_content", "The digest is not that of these changes")

    def _take(self, proposal: Proposal, status: str, caller: Caller) -> None:
        if not self._proposals.decide(proposal.id, proposal.digest, status, caller.persona.id):
            raise RequestError(409, "decided", "Another person has decided on the changes")
        self._metrics.changes.labels(status).inc()

    def _changed(self, rows: Sequence[tuple[str, CellValue]], reader: Persona | None) -> RequestError:
        """The refusal of changes to rows that others have changed; names those that a reader may read."""
        names = frozenset(f"{table}/{key}" for table, key in rows)
        seen = sorted(names - self._env.unreadable(reader, names)) if reader else []
        more = ["rows that you may not read"] * (len(seen) < len(names))
        words = f"Changed since: {', '.join([*seen, *more])}; ask again for the task"
        return RequestError(409, "rows_changed", words)

    def _replayed(self, proposal: Proposal, reader: Persona) -> Replayed:
        """The changes, made again under the rules that hold now for the person whose task it was."""
        if not proposal.sound:
            raise RequestError(409, "other_content", "The changes are not those that were proposed")
        persona = self._person(proposal.persona)
        if persona is None:
            raise RequestError(409, "stale", "The person whose task it was works here no more")
        try:
            return Replayed(self._env, proposal.content, persona)
        except StaleError as error:
            if error.rows:
                raise self._changed(error.rows, reader) from None
            message = "The task would not make these changes any more; ask for it again"
            raise RequestError(409, "stale", message) from None

    def _person(self, id: str) -> Persona | None:
        """A person by the current tables; None without an active one."""
        with suppress(InputError):
            persona = self._env.persona(id)
            return persona if persona.active else None
        return None

    def _now(self, id: str, caller: Caller) -> dict[str, Any]:
        return self._shown(self._found(id, caller), caller.persona)

    def _shown(self, proposal: Proposal, reader: Persona) -> dict[str, Any]:
        try:
            changes, complete = self._replayed(proposal, reader).shown(reader)
        except RequestError:
            changes, complete = [], False
        outcome = proposal.outcome or {}
        return {
            **_fields(proposal),
            "status": proposal.status,
            "changes": changes,
            "complete": complete,
            "decided_by": proposal.decided_by,
            "result": outcome.get("result"),
            "error": outcome.get("error"),
        }


def _fields(proposal: Proposal) -> dict[str, Any]:
    """What lists show of a proposal."""
    names = ("id", "digest", "persona", "created", "expires")
    task = proposal.content["task"] if proposal.sound else ""
    return {**{name: getattr(proposal, name) for name in names}, "task": task}


def _json_of(returned: Any) -> Any:
    """The result of a commit function, as JSON; with any result, the commit was made."""
    try:
        return to_jsonable_python(returned, inf_nan_mode="null", fallback=str)
    except Exception:
        return f"a {type(returned).__name__} that is not JSON"
