"""Which failed requests are sent again, whichever client fails."""

from __future__ import annotations

import http.client
import socket
import ssl
import urllib.error

import httpx
import openai
import pytest
import requests
import urllib3.exceptions
from aiohttp import ClientPayloadError, ServerDisconnectedError
from dspy import lm15
from dspy.utils import exceptions as lm

from tests.evals.client_errors import (
    ANTHROPIC,
    API_CORE,
    GOOGLE,
    REQUEST,
    foreign,
    of_aiohttp,
    of_amazon,
    of_grpc,
    of_httpx,
    of_openai,
    of_requests,
    of_urllib,
    raised_from,
)
from tests.tables import each_row
from worksmith.evals.lm.failures import failure_status, remembered
from worksmith.evals.lm.wire.retries import FIRST_WAIT, wait_before


@each_row(
    "error",
    [
        httpx.ReadError("torn"),
        httpx.RemoteProtocolError("gone"),
        httpx.ConnectError("no route"),
        of_httpx(502),
        urllib.error.URLError("no route"),
        of_urllib(503),
        socket.gaierror(-3, "temporary failure in name resolution"),
        http.client.RemoteDisconnected("gone"),
        http.client.IncompleteRead(b""),
        ssl.SSLEOFError(8, "EOF occurred in violation of protocol"),
        requests.exceptions.ChunkedEncodingError("torn"),
        requests.ConnectionError("no route"),
        of_requests(500),
        urllib3.exceptions.ProtocolError("torn"),
        ServerDisconnectedError(),
        ClientPayloadError("torn"),
        of_aiohttp(429),
        of_amazon("ThrottlingException", 400),
        of_amazon("ServiceUnavailableException", 503),
        of_grpc("UNAVAILABLE"),
        of_grpc("RESOURCE_EXHAUSTED"),
        openai.APITimeoutError(REQUEST),
        of_openai(openai.RateLimitError, 429, "slow down"),
        foreign(*ANTHROPIC, status_code=529),
        foreign(API_CORE, "ServiceUnavailable", "GoogleAPICallError", code=503),
        ExceptionGroup("agents", [httpx.ConnectError("no route")]),
        lm.LMServerError("503"),
        lm15.TransportError("line is down"),
        ConnectionResetError("torn"),
    ],
)
def test_what_may_be_over_soon_is_tried_again(error: Exception) -> None:
    assert failure_status(error) == failure_status(raised_from(error)) == "model_error"
    assert wait_before(error, 1) == FIRST_WAIT
    assert wait_before(raised_from(error, lm.LMUnexpectedError("unexpected")), 1) == FIRST_WAIT


@each_row(
    "error",
    [
        of_openai(openai.AuthenticationError, 401, "no such key"),
        of_openai(openai.PermissionDeniedError, 403, "not yours"),
        of_openai(openai.NotFoundError, 404, "no such model"),
        openai.OpenAIError("The api_key client option must be set"),
        of_httpx(402),
        of_grpc("UNAUTHENTICATED"),
        of_grpc("NOT_FOUND"),
        of_amazon("ExpiredTokenException", 400),
        of_amazon("AccessDeniedException", 403),
        foreign(*GOOGLE, code=403, status="PERMISSION_DENIED"),
        foreign("google.auth.exceptions", "DefaultCredentialsError", "GoogleAuthError"),
        foreign("botocore.exceptions", "NoCredentialsError", "BotoCoreError"),
        foreign("litellm.exceptions", "BudgetExceededError"),
        ssl.SSLCertVerificationError("self-signed"),
        lm.LMAuthError("no such key", status=401),
        lm.LMBillingError("no credit"),
        lm.LMNotConfiguredError("no key"),
        lm.LMUnsupportedModelError("no such model"),
        lm15.AuthError("no such key"),
    ],
)
def test_what_the_next_try_would_meet_again_is_not_tried(error: Exception) -> None:
    assert failure_status(error) == failure_status(raised_from(error)) == "model_error"
    assert wait_before(error, 1) is None
    assert wait_before(raised_from(error, lm.LMUnexpectedError("unexpected")), 1) is None


@pytest.mark.parametrize(
    "error",
    [
        KeyError("tool"),
        of_httpx(400),
        # An engine with a mistake in it makes it again.
        raised_from(KeyError("tool"), lm.LMUnexpectedError("unexpected")),
    ],
)
def test_mistakes_are_not_tried_again(error: Exception) -> None:
    assert wait_before(error, 1) is None


def test_a_failure_out_of_a_journal_is_not_waited_for() -> None:
    error = lm.LMServerError("503")
    error.episode_status, error.episode_error = remembered(error)

    assert wait_before(error, 1) is None
