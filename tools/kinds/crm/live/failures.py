"""What goes wrong with a live org: with the question, with the org, or with the way to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from xml.parsers.expat import ExpatError

from tools.errors import InfrastructureError, InputError
from tools.kinds.crm.soql.errors import QueryError

_OURS = frozenset(
    {
        "API_CURRENTLY_DISABLED",
        "API_DISABLED_FOR_ORG",
        "INVALID_QUERY_LOCATOR",
        "INVALID_SESSION_ID",
        "REQUEST_LIMIT_EXCEEDED",
        "SERVER_UNAVAILABLE",
        "TOO_MANY_APEX_REQUESTS",
        "UNKNOWN_EXCEPTION",
    }
)
"""Codes that say nothing about the question."""

_LONGEST = 300


class PassingError(InfrastructureError):
    """A failure that may be over when one asks again."""


class ExpiredError(InfrastructureError):
    """The session is not, or no longer, good."""


@contextmanager
def told_apart() -> Iterator[None]:
    """Raise what happens within the block as what it is.

    Raises:
        QueryError: the org refuses the question; code and message are its own.
        InfrastructureError: it does not answer, or not us, or not now.
    """
    import requests
    from simple_salesforce.exceptions import SalesforceError

    try:
        yield
    except SalesforceError as error:
        raise failure(error.status, error.content) from error
    except requests.exceptions.SSLError as error:
        raise InfrastructureError(f"the org's certificate is not trusted: {error}") from error
    except requests.exceptions.JSONDecodeError as error:
        raise PassingError(f"the org's answer is no JSON: {error}") from error
    except requests.RequestException as error:
        raise PassingError(f"the org cannot be reached: {_short(error)}") from error
    except OSError as error:  # such as a bundle of certificates that is not there
        raise InfrastructureError(f"the org cannot be reached: {_short(error)}") from error
    except (ArithmeticError, AttributeError, ExpatError, LookupError, TypeError, ValueError) as error:
        raise InfrastructureError(f"the org's answer cannot be understood: {error!r}") from error


def failure(status: int, content: Any) -> QueryError | InfrastructureError:
    """What an answer with an error status means. `content`: its body, decoded if it was JSON."""
    code, message = _said(content)
    if status == 401:
        return ExpiredError(f"the org does not know the session: {message}")
    if status >= 500 or (code == "REQUEST_LIMIT_EXCEEDED" and message.startswith("Concurrent")):
        return PassingError(f"the org fails with status {status}: {message}")
    if status in (413, 414, 431):
        return QueryError("QUERY_TOO_COMPLICATED", "the statement is too long for the org")
    if not code or code in _OURS or status == 404:
        return InfrastructureError(f"the org refuses with status {status}: {code} {message}".rstrip())
    return QueryError(code, message)


@contextmanager
def as_input() -> Iterator[None]:
    """Within the block, a session or password that is refused is the user's to mend."""
    from simple_salesforce.exceptions import SalesforceAuthenticationFailed

    try:
        yield
    except SalesforceAuthenticationFailed as error:
        if isinstance(error.code, int) and error.code >= 500:
            raise PassingError(f"the org fails with status {error.code}") from error
        hint = "look at the SALESFORCE_ variables"
        raise InputError(
            f"the org refuses to log in: {error.auth_message}", where="environment", hint=hint
        ) from error
    except ExpiredError as error:
        raise InputError(str(error), where="SALESFORCE_SESSION_ID", hint="log in again") from error


def _said(content: Any) -> tuple[str, str]:
    """Code and message of an error body; no code where it has another form."""
    first = content[0] if isinstance(content, list) and content else content
    if isinstance(first, dict) and isinstance(first.get("errorCode"), str):
        return first["errorCode"], str(first.get("message", ""))
    return "", _short(content)


def _short(what: object) -> str:
    text = str(what)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
