"""Who may ask: whoever knows the token that the server was started with, or has logged in with it."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from tools.errors import InputError

SHORTEST_TOKEN = 16
_LIFE = 2 * 60 * 60.0
"""Seconds that a login lasts without a request."""
_MOST = 200
"""Logins at a time; the one that has been idle for longest makes room."""


def new_token() -> str:
    return secrets.token_urlsafe(32)


class Sessions:
    """The logins of a running server. Thread-safe.

    Args:
        token: what whoever logs in has to know; it can also be used without logging in.
        clock: seconds that only go up.

    Raises:
        InputError: the token is too short to be one, or could not be sent in a header.
    """

    def __init__(self, token: str, clock: Callable[[], float] = time.monotonic) -> None:
        if len(token) < SHORTEST_TOKEN:
            raise InputError(f"the token has fewer than {SHORTEST_TOKEN} characters", where="--token")
        if not (token.isascii() and token.isprintable() and " " not in token):
            raise InputError("the token has a space or a character that is not ASCII", where="--token")
        self._token = token
        self._clock = clock
        self._used: OrderedDict[str, float] = OrderedDict()
        self._lock = Lock()

    def log_in(self, secret: str) -> str | None:
        """A new session's id, for a secret that ends with the token; None for any other.

        Salesforce's clients send the password with the security token after it. Here the token is all
        that counts.
        """
        given = secret.encode("utf-8", "replace")[-len(self._token) :]
        if not hmac.compare_digest(given, self._token.encode()):
            return None
        session_id = new_token()
        with self._lock:
            self._used[_key(session_id)] = self._clock()
            while len(self._used) > _MOST:
                self._used.popitem(last=False)
        return session_id

    def key(self, session_id: str) -> str | None:
        """What the server calls the session with this id; None if there is none, or it has run out."""
        key = _key(session_id)
        if hmac.compare_digest(session_id.encode("utf-8", "replace"), self._token.encode()):
            return key
        now = self._clock()
        with self._lock:
            # Found by its hash: how long that takes says nothing about any id.
            last = self._used.pop(key, None)
            if last is None or now - last > _LIFE:
                return None
            self._used[key] = now
        return key


def _key(session_id: str) -> str:
    return hashlib.sha256(session_id.encode("utf-8", "replace")).hexdigest()
