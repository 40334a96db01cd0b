"""What the API does: tasks, their changes, and decisions on changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from worksmith.serving.programs.proposals import Proposal, Proposals
from worksmith.serving.programs.rollouts import Done, Rollouts, Running, failed
from worksmith.tools.errors import InputError, ToolError
from worksmith.tools.proposed_changes import Replayed, StaleError, content_of
from worksmith.tools.serving.refusals import RequestError
from worksmith.tools.statuses import INFRASTRUCTURE, PROGRAM_ERROR

if TYPE_CHECKING:
    from worksmith.serving.programs.metrics import Metrics
    from worksmith.serving.programs.tokens import Caller
    from worksmith.tools.change_set import ChangeSet
    from worksmith.tools.episode_result import CallRecord
    from worksmith.tools.persona import Persona

MOST_CHANGES = 1_000
"""Rows of a change set; nobody could look through more."""


class Desk:
    """The work of the API, without HTTP.

    Args:
        commit: makes approved changes; None leaves that to the client.
        lifetime: seconds after which a proposal expires.
        by_approvers: whether only tokens with the approvers' claim may approve, instead of the persona whose
            task it was.
        four_eyes: whether nobody may approve the changes of a task of their own.
    """

    def __init__(
        self,
        rollouts: Rollouts,
        proposals: Proposals,
        metrics: Metrics,
        *,
        commit: Callable[[ChangeSet], Any] | None,
        lifetime: float,
        by_approvers: bool,
        four_eyes: bool,
    ) -> None:
        self.rollouts, self._proposals, self._metrics = rollouts, proposals, metrics
        self._env, self._commit, self._lifetime = rollouts.suite.env, commit, lifetime
        self._by_approvers, self._four_eyes = by_approvers, four_eyes

    def step(self, number: int, call: CallRecord) -> dict[str, Any]:
        return {"number": number, **call.to_json()}

    def result(self, running: Running, done: Done, steps: list[dict[str, Any]]) -> dict[str, Any]:
        """The end of a task; what it would change becomes a proposal.

        Raises:
            RequestError: the task failed.
        """
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
            content = content_of(running.task.query, episode)
            made = self._proposals.add(running.persona.id, content, seconds=self._lifetime)
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
        return {
            "changes": [
                {
                    "id": each.id,
                    "digest": each.digest,
                    "persona": each.persona,
                    "task": each.content["task"],
                    "created": each.created,
                    "expires": each.expires,
                }
                for each in found
            ]
        }

    def proposal(self, id: str, caller: Caller) -> dict[str, Any]:
        """Proposed changes as the caller may see them.

        Raises:
            RequestError: there are none that are theirs to see.
        """
        return self._shown(self._found(id, caller), caller.persona)

    def reject(self, id: str, digest: str, caller: Caller) -> dict[str, Any]:
        """Reject changes; those of one's own task may always be rejected.

        Raises:
            RequestError: see `approve`.
        """
        proposal = self._found(id, caller)
        self._check_open(proposal, digest)
        self._take(proposal, "rejected", caller)
        return self._now(id, caller)

    def approve(self, id: str, digest: str, caller: Caller) -> dict[str, Any]:
        """Approve changes, and commit them if there is a function for that.

        Raises:
            RequestError: there are none, the caller may not approve them, they are decided on, expired or
                others than the digest says, they could not be made today, or the commit failed.
        """
        proposal = self._found(id, caller)
        own = proposal.persona == caller.persona.id
        allowed = caller.approver if self._by_approvers else own
        if not allowed or (own and self._four_eyes):
            raise RequestError(403, "not_permitted", "These changes are for somebody else to approve")
        self._check_open(proposal, digest)
        replayed = self._replayed(proposal)
        if not own and not replayed.shown(caller.persona)[1]:
            raise RequestError(403, "not_permitted", "You may not read all that would change")
        self._take(proposal, "approved" if self._commit is None else "committing", caller)
        if self._commit is not None:
            self._settle(proposal, self._commit, replayed.change_set(proposal.id, caller.persona))
        return self._now(id, caller)

    def _settle(self, proposal: Proposal, commit: Callable[[ChangeSet], Any], approved: ChangeSet) -> None:
        try:
            returned = to_jsonable_python(commit(approved), inf_nan_mode="null", fallback=str)
        except ToolError as error:
            self._end(proposal, "failed", {"error": str(error)})
            raise RequestError(409, "not_committed", str(error)) from error
        except Exception as error:
            refusal = failed(502, "not_committed", "The commit failed", repr(error))
            self._end(proposal, "failed", {"error": refusal.message})
            raise refusal from error
        self._end(proposal, "committed", {"result": returned})

    def _end(self, proposal: Proposal, status: str, outcome: dict[str, Any]) -> None:
        self._proposals.settle(proposal.id, status, outcome)
        self._metrics.changes.labels(status).inc()

    def _found(self, id: str, caller: Caller) -> Proposal:
        """The proposal, if it is one of the caller's own, or the caller approves those of others."""
        proposal = self._proposals.get(id)
        if proposal is None or not (caller.approver or proposal.persona == caller.persona.id):
            raise RequestError(404, "not_found", "There are no such changes")
        return proposal

    def _check_open(self, proposal: Proposal, digest: str) -> None:
        if proposal.status == "expired":
            raise RequestError(410, "expired", "The changes have expired; ask again for the task")
        if proposal.status != "pending":
            raise RequestError(409, "decided", f"The changes are {proposal.status} already")
        if proposal.digest != digest or not proposal.sound:
            raise RequestError(409, "other_content", "The digest is not that of these changes")

    def _take(self, proposal: Proposal, status: str, caller: Caller) -> None:
        if not self._proposals.decide(proposal.id, proposal.digest, status, caller.persona.id):
            raise RequestError(409, "decided", "Somebody else has decided on the changes")
        self._metrics.changes.labels(status).inc()

    def _replayed(self, proposal: Proposal) -> Replayed:
        """The changes, made again under the rules that hold now for the person whose task it was."""
        try:
            persona = self._env.persona(proposal.persona)
        except InputError:
            persona = None
        if persona is None or not persona.active:
            raise RequestError(409, "stale", "The person whose task it was works here no more")
        try:
            return Replayed(self._env, proposal.content, persona)
        except StaleError:
            message = "The task would not make these changes any more; ask for it again"
            raise RequestError(409, "stale", message) from None

    def _now(self, id: str, caller: Caller) -> dict[str, Any]:
        return self._shown(self._found(id, caller), caller.persona)

    def _shown(self, proposal: Proposal, reader: Persona) -> dict[str, Any]:
        try:
            changes, complete = self._replayed(proposal).shown(reader)
        except RequestError:
            changes, complete = [], False
        return {
            "id": proposal.id,
            "digest": proposal.digest,
            "status": proposal.status,
            "persona": proposal.persona,
            "task": proposal.content["task"],
            "changes": changes,
            "complete": complete,
            "created": proposal.created,
            "expires": proposal.expires,
            "decided_by": proposal.decided_by,
            "result": (proposal.outcome or {}).get("result"),
            "error": (proposal.outcome or {}).get("error"),
        }
