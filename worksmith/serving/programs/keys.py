"""The keys by which tokens are verified: a shared secret, or the public keys of an issuer."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import httpx
import jwt

from worksmith.retrievers.strict_json import parse_json
from worksmith.tools.errors import InputError

SHORTEST_SECRET = 32
"""Bytes of a secret for HS256, as many as its hash has (RFC 7518, 3.2)."""
SHORTEST_MODULUS = 2048
"""Bits of an RSA key (RFC 7518, 3.3)."""

_LONGEST_SET = 1 << 20
_FRESH = 300.0
"""Seconds for which a set from an address is not asked for again."""
_PAUSE = 10.0
"""Seconds between two requests for a set, however many tokens name an unknown key."""
_PATIENCE = 10.0


class NoKeyError(Exception):
    """No key verifies a token: its `kid` or algorithm is not among those of the server."""


class Keys(Protocol):
    """Keys for tokens. Thread-safe."""

    def find(self, algorithm: str, kid: str | None) -> Any:
        """The key for an algorithm that this server allows."""
        ...


class Secret:
    """A secret shared with the issuer, for HS256 and nothing else.

    Raises:
        InputError: it is too short.
    """

    def __init__(self, secret: bytes, *, where: str) -> None:
        if len(secret) < SHORTEST_SECRET:
            raise InputError(
                f"the secret has {len(secret)} bytes, and HS256 needs {SHORTEST_SECRET}",
                where=where,
                hint="make one with: openssl rand -hex 32",
            )
        self._secret = secret

    def find(self, algorithm: str, kid: str | None) -> bytes:
        if algorithm != "HS256":
            raise NoKeyError
        return self._secret


_ALGORITHMS: Mapping[tuple[Any, Any], str] = {
    ("RSA", None): "RS256",
    ("EC", "P-256"): "ES256",
    ("OKP", "Ed25519"): "EdDSA",
}
"""The algorithm of a public key by its type and curve; no token chooses it."""


def read_set(text: bytes, *, where: str) -> tuple[jwt.PyJWK, ...]:
    """The public keys of a JSON Web Key Set (RFC 7517). Keys of other kinds and uses are left out.

    Raises:
        InputError: it is not a set, holds a private or weak key, or has no usable key.
    """
    try:
        found = [key for entry in parse_json(text)["keys"] if (key := _public(entry, where)) is not None]
    except (ValueError, TypeError, KeyError, jwt.PyJWTError) as error:
        raise InputError(f"no JSON Web Key Set: {error}", where=where) from error
    if not found:
        raise InputError("no key for RS256, ES256 or EdDSA in the set", where=where)
    return tuple(found)


def _public(entry: Mapping[str, Any], where: str) -> jwt.PyJWK | None:
    algorithm = _ALGORITHMS.get((entry.get("kty"), entry.get("crv")))
    if algorithm is None or entry.get("use", "sig") != "sig" or entry.get("alg", algorithm) != algorithm:
        return None
    if "d" in entry:
        raise InputError("the set holds a private key", where=where, hint="give the public keys alone")
    found = jwt.PyJWK(dict(entry), algorithm)
    if algorithm == "RS256" and found.key.key_size < SHORTEST_MODULUS:
        raise InputError(f"an RSA key has {found.key.key_size} bits, below {SHORTEST_MODULUS}", where=where)
    return found


class KeySet:
    """The public keys of an issuer.

    Args:
        read: gives the set's text.
        where: its file or address.
        lasting: whether it never changes. Another set is asked for again when it is old, and when a token
            names an unknown key; the old one serves for as long as no other can be had.

    Raises:
        InputError: the set cannot be had.
    """

    def __init__(
        self,
        read: Callable[[], bytes],
        *,
        where: str,
        lasting: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read, self._where, self._lasting, self._clock = read, where, lasting, clock
        self._lock = threading.Lock()
        self._keys = read_set(read(), where=where)
        self._asked = self._got = clock()

    def find(self, algorithm: str, kid: str | None) -> Any:
        if not self._lasting and self._clock() - self._got > _FRESH:
            self._renew()
        found = self._found(algorithm, kid)
        if not found and not self._lasting:
            self._renew()
            found = self._found(algorithm, kid)
        if len(found) != 1:
            raise NoKeyError
        return found[0].key

    def _found(self, algorithm: str, kid: str | None) -> Sequence[jwt.PyJWK]:
        """The keys that fit; a token without `kid` fits where one key only has its algorithm."""
        return [
            each
            for each in self._keys
            if each.algorithm_name == algorithm and (kid is None or each.key_id == kid)
        ]

    def _renew(self) -> None:
        # One request at a time, without waiting callers: else unknown keys would block good tokens.
        if not self._lock.acquire(blocking=False):
            return
        try:
            if self._clock() - self._asked < _PAUSE:
                return
            self._asked = self._clock()
            self._keys = read_set(self._read(), where=self._where)
            self._got = self._asked
        except InputError:
            return
        finally:
            self._lock.release()


def key_set(named: str) -> KeySet:
    """The set in a file or at an https address."""
    if "://" not in named:
        return KeySet(lambda: _file(Path(named)), where=named, lasting=True)
    if not named.startswith("https://"):
        raise InputError("keys come over https only", where=f"--jwks {named}")
    return KeySet(lambda: _fetched(named), where=named, lasting=False)


def _file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error}", where=str(path)) from error


def _fetched(address: str) -> bytes:
    try:
        with httpx.stream("GET", address, timeout=_PATIENCE, follow_redirects=False) as reply:
            reply.raise_for_status()
            text = b""
            for piece in reply.iter_bytes():
                text += piece
                if len(text) > _LONGEST_SET:
                    raise InputError("the set is longer than 1 MiB", where=address)
            return text
    except httpx.HTTPError as error:
        raise InputError(f"the keys cannot be had: {error}", where=address) from error


def secret_of(variable: str | None, file: Path | None) -> Secret:
    """The secret in an environment variable or a file, whose last line break does not count."""
    if file is not None:
        return Secret(_file(file).rstrip(b"\r\n"), where=str(file))
    assert variable is not None
    given = os.environ.get(variable)
    if not given:
        raise InputError(f"the environment variable {variable} is not set", where="--jwt-secret-env")
    return Secret(given.encode(), where=variable)
