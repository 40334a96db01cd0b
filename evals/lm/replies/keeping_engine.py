"""Engines that ask a model only for replies that are not in a store.

The key of a request is the model's content address, the text with its sampling settings, and two facts that
the model is not told: the rollout id, and the number within several completions of one call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dspy import lm15
from dspy._vendor.lm15.serde import request_to_dict
from dspy.clients.errors import error_boundary

from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.lm.lm_proxy import ProxyEngine, Sample, check_unicode
from worksmith.evals.lm.metering import count_answer, metered
from worksmith.evals.lm.replies.store import ANYBODY, Asker, ReplyStore
from worksmith.tools.errors import WorksmithError
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    import dspy

_KEY_LENGTH = 32
_SHOWN = 80
"""Characters of a request without a reply that are quoted."""


class NotInJournalError(WorksmithError):
    """A request without a reply in the journal, where no model may be asked."""


class KeepingEngine(ProxyEngine):
    """Base of these engines; a subclass overrides `reply`."""

    counts = True

    def __init__(self, lm: dspy.LM) -> None:
        super().__init__(metered(lm))

    def key(self, request: lm15.Request, sample: Sample, *more: Any) -> str:
        """The key of a request; `more` is part of it."""
        asked_for = [self._own, sample.rollout, sample.number, request_to_dict(request), *more]
        return digest(asked_for, length=_KEY_LENGTH)

    def kept(
        self, store: ReplyStore, key: str, request: lm15.Request, sample: Sample, asker: Asker = ANYBODY
    ) -> lm15.Response:
        """The reply of the store, else of the model; the first counts as used and not as paid.

        Raises:
            LMError: the model gave no reply.
        """
        fresh = False

        def ask() -> lm15.Response:
            nonlocal fresh
            fresh = True
            with error_boundary(self.original.model, unexpected=True):
                response = self.ask(request, sample)
            check_unicode(response)
            return response

        response = store.once(key, ask, model=model_name(self.original), asker=asker)
        if not fresh:
            count_answer(response, paid=False)
        return response


class RememberingEngine(KeepingEngine):
    """Gives the stored reply to a request, whoever asks: equal questions are asked once in a compile.

    Attributes:
        may_ask: whether the model may be asked at all.
        lacking: the requests without a stored reply, where the model may not be asked.
    """

    def __init__(self, lm: dspy.LM, store: ReplyStore, *, may_ask: bool = True) -> None:
        super().__init__(lm)
        self._store = store
        self.may_ask = may_ask
        self.lacking: list[str] = []

    def reply(self, request: lm15.Request, sample: Sample) -> lm15.Response:
        """The reply.

        Raises:
            LMError: the model gave none.
            NotInJournalError: the reply is missing, and the model may not be asked.
        """
        key = self.key(request, sample)
        if self.may_ask:
            return self.kept(self._store, key, request, sample)
        found = self._store.known(key)
        if found is None:
            self.lacking.append(_lack(model_name(self.original), request))
            raise NotInJournalError(self.lacking[-1])
        count_answer(found, paid=False)
        return found


def _lack(model: str, request: lm15.Request) -> str:
    last = " ".join((request.messages[-1].text or "").split())
    return f"no reply of {model} to {last[:_SHOWN]!r}"
