"""The secrets of clients."""

from __future__ import annotations

import hmac
import secrets

from worksmith.tools.errors import InputError

SHORTEST = 16


def new_token() -> str:
    return secrets.token_urlsafe(32)


def checked_token(token: str, *, where: str) -> str:
    """A token that a user chose.

    Args:
        where: the option or variable that it is from, for errors.
    """
    if len(token) < SHORTEST:
        raise InputError(f"the token has fewer than {SHORTEST} characters", where=where)
    if not (token.isascii() and token.isprintable() and " " not in token):
        raise InputError("the token has a space or a character that is not ASCII", where=where)
    return token


def same(given: str, token: str) -> bool:
    """Whether a client's secret is the token. Its duration reveals nothing about the token."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())
