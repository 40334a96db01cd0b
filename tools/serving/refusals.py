"""Refused requests."""

from __future__ import annotations


class RequestError(Exception):
    """A request that is refused.

    Attributes:
        status: of HTTP.
        code: a word for programs, e.g. `request_too_large`.
        message: for people.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
