"""How a server begins and ends, and whom it lets in."""

from __future__ import annotations

import os
import signal

import pytest
from starlette.requests import Request
from starlette.responses import Response

from tests.tables import each_row
from worksmith.tools.errors import InputError
from worksmith.tools.serving.application import Application
from worksmith.tools.serving.refusals import RequestError
from worksmith.tools.serving.server import Server, check_reach
from worksmith.tools.serving.tokens import checked_token, new_token, same


class Silent(Application):
    def __init__(self) -> None:
        super().__init__("127.0.0.1", threads=1, longest_body=1)

    async def answer(self, http: Request) -> Response:
        return Response()

    def refusal(self, error: RequestError) -> Response:
        return Response(status_code=error.status)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_comes_before_the_first_request_ends_it(how: signal.Signals) -> None:
    before = signal.getsignal(how)
    server = Server(Silent(), secure=False)
    with server.listening():
        os.kill(os.getpid(), how)
        server.run()

    assert signal.getsignal(how) is before


@each_row(
    ("host", "allow_remote", "tls", "message"),
    [
        ("127.0.0.1", False, False, None),
        ("localhost", False, True, None),
        ("0.0.0.0", False, True, "other machines could reach"),
        ("192.168.1.5", True, False, "over TLS only"),
        ("192.168.1.5", True, True, None),
    ],
)
def test_other_machines_reach_a_server_on_purpose_and_over_tls(
    host: str, allow_remote: bool, tls: bool, message: str | None
) -> None:
    if message is None:
        check_reach(host, allow_remote=allow_remote, tls=tls)
        return
    with pytest.raises(InputError, match=message):
        check_reach(host, allow_remote=allow_remote, tls=tls)


@pytest.mark.parametrize("token", ["short", "with a space in it", "ä" * 20, "a\r\nheader: of its own"])
def test_a_token_that_cannot_be_one_is_refused(token: str) -> None:
    with pytest.raises(InputError, match="MY_TOKEN: the token"):
        checked_token(token, where="MY_TOKEN")


def test_a_token_is_like_itself_only() -> None:
    token = checked_token(new_token(), where="MY_TOKEN")

    assert same(token, token)
    assert not any(same(other, token) for other in ("", token[:-1], token + "x", "\udc80"))
