"""LiteLLM as the client of models that DSPy's own client does not speak to."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from dspy import lm15
from dspy.clients._litellm import get_litellm
from dspy.clients.engines.litellm_engine import LiteLLMEngine
from dspy.clients.legacy_outputs import plain

from worksmith.evals.lm.wire.bodies import answered, in_request, received
from worksmith.evals.lm.wire.client import CONNECTIONS

if TYPE_CHECKING:
    import httpx

_UNREAD = "Invalid response object"
"""In LiteLLM's errors about answers that it cannot read."""

_SESSIONS: WeakSet[httpx.Client] = WeakSet()
"""Those of all engines here."""


class CompatibleEngine(LiteLLMEngine):  # type: ignore[misc]
    """LiteLLM with replies repaired like those of DSPy's own client."""

    def complete(self, request: lm15.Request) -> lm15.Response:
        litellm = get_litellm(feature="LiteLLM engine")
        # LiteLLM takes it for new clients of OpenAI's API; one that the user has set stays.
        if litellm.client_session is None or litellm.client_session in _SESSIONS:
            litellm.client_session = self._session
        try:
            response: lm15.Response = super().complete(request)
        except Exception as error:
            if _UNREAD in str(error):
                answered(None)
            raise
        return response

    @cached_property
    def _session(self) -> httpx.Client:
        """Connections as LiteLLM makes them itself, but for the bodies."""
        import httpx
        from litellm.llms.custom_httpx.http_handler import get_ssl_configuration, http2_enabled

        session = httpx.Client(
            verify=get_ssl_configuration(),
            follow_redirects=True,
            http2=http2_enabled(),
            limits=httpx.Limits(max_connections=CONNECTIONS),
            event_hooks={"response": [_read]},
        )
        _SESSIONS.add(session)
        return session

    def _response(self, raw: Any, request: lm15.Request) -> lm15.Response:
        response: lm15.Response = super()._response(answered(plain(raw)), request)
        return response


def _read(response: httpx.Response) -> None:
    """Read the body of a reply to a request of worksmith; other requests in this process are left alone."""
    if in_request():
        response._content = b"".join(received(response.status_code, response.iter_bytes()))
