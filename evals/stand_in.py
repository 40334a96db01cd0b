"""Engines that stand in for a model: they pass its requests on, and are taken for it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Self

import dspy
from dspy import lm15
from dspy.clients.backend_selection import CLIENT_KEYS
from dspy.utils.exceptions import LMInvalidRequestError

from evals.identity import model_digest, plain_settings
from tools.seeding import digest


def valid_unicode(message: lm15.Message) -> bool:
    """Whether a reply can be kept and sent back: no half of a surrogate pair is in it."""
    try:
        for part in message.parts:
            if isinstance(part, lm15.ToolCallPart):
                json.dumps([part.name, part.input], ensure_ascii=False).encode()
            else:
                (getattr(part, "text", None) or "").encode()
    except UnicodeEncodeError:
        return False
    return True


def check_unicode(response: lm15.Response) -> None:
    """See that a response can be written to a file.

    Raises:
        LMInvalidRequestError: it cannot; see `evals.failures` for what that makes of an episode.
    """
    if not valid_unicode(response.message):
        said = "MALFORMED_RESPONSE: the reply is not valid Unicode"
        raise LMInvalidRequestError(said, model=response.model)


class StandIn:
    """Base of such engines. What it does with a request and its reply besides is for those who inherit.

    Attributes:
        original: the model that is asked.
    """

    def __init__(self, original: dspy.LM) -> None:
        self.original = original
        self._own = model_digest(original)
        self._settings = plain_settings(original)

    def installed(self) -> dspy.LM:
        """A model that answers through this engine, under the original's name and with its settings."""
        # What configures the connection stays with the original; an engine owns its own.
        connection = {name: None for name in self.original.kwargs if name in CLIENT_KEYS}
        lm: dspy.LM = self.original.copy(engine=self, cache=False, num_retries=0, **connection)
        return lm

    @property
    def digest(self) -> str:
        """Of the original: standing in for it does not make it another one."""
        return str(getattr(self.original.engine, "digest", ""))

    def model_digest(self, settings: dict[str, Any]) -> str:
        """Of the original, as long as it is asked under its own settings."""
        changed = {name: value for name, value in settings.items() if self._settings.get(name) != value}
        return digest([self._own, changed]) if changed else self._own

    @property
    def supports_function_calling(self) -> bool:
        """Whether the original does."""
        return bool(self.original.supports_function_calling)

    @property
    def supported_params(self) -> set[str]:
        """The settings that the original takes."""
        return set(self.original.supported_params)

    def ask(self, request: lm15.Request, **options: Any) -> lm15.Response:
        """What the original replies.

        Args:
            options: of the call, not of the request: `cache`, `rollout_id`.
        """
        # The tokens are counted by the LM around this engine; the original must not count them again.
        with dspy.context(usage_tracker=None, disable_history=True, callbacks=[]):
            response: lm15.Response = self.original(replace(request, model=self.original.model), **options)
        return response

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
