"""Logging in to a live org with variables of the environment, and its kinds of failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit
from xml.parsers.expat import ExpatError

from worksmith.tools.errors import InfrastructureError, InputError, needing
from worksmith.tools.kinds.crm.soql.errors import QueryError

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
"""Codes without information about the question."""

_LONGEST = 300


class PassingError(InfrastructureError):
    """A failure that may be over when one asks again."""


class ExpiredError(InfrastructureError):
    """The session is not, or no longer, good."""


@contextmanager
def told_apart() -> Iterator[None]:
    """Raise the exceptions of the block in their own classes.

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
    """The meaning of an answer with an error status. `content`: its body, decoded if it was JSON."""
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


URL = "SALESFORCE_INSTANCE_URL"
SESSION = "SALESFORCE_SESSION_ID"
USER = "SALESFORCE_USERNAME"
PASSWORD = "SALESFORCE_PASSWORD"
SECURITY = "SALESFORCE_SECURITY_TOKEN"
DOMAIN = "SALESFORCE_DOMAIN"

_WAYS = f"{URL} and {SESSION}, or {USER}, {PASSWORD} and {SECURITY}"
_CONNECTIONS = 64
"""Kept open, for as many episodes at once."""
_SECONDS = 60.0
"""How long a request may take; simple-salesforce by itself would wait for ever."""


@dataclass(frozen=True)
class Credentials:
    """How to log in: with a session that exists, or with a password.

    Attributes:
        host: of the org, with its port if it has one; empty if only the login server is known.
        domain: of the login server: `login`, `test`, or one's own.
    """

    host: str = ""
    session_id: str = field(default="", repr=False)
    username: str = ""
    password: str = field(default="", repr=False)
    security_token: str = field(default="", repr=False)
    domain: str = ""

    @classmethod
    def from_env(cls, environment: Mapping[str, str]) -> Credentials:
        """Those in the variables that users of simple-salesforce have set.

        Raises:
            InputError: some are missing, or the address is invalid.
        """
        given = {name: value for name, value in environment.items() if value}
        host = _host(given[URL]) if URL in given else ""
        if SESSION in given and host:
            return cls(host, given[SESSION])
        if USER not in given:
            known = [name for name in (URL, SESSION, PASSWORD, SECURITY) if name in given]
            found = f"; only {', '.join(known)} is set" if known else ""
            raise InputError(f"no live org is named{found}", where="environment", hint=f"set {_WAYS}")
        missing = [name for name in (PASSWORD, SECURITY) if name not in given]
        if missing:
            raise InputError(f"{' and '.join(missing)} not set", where="environment", hint=f"set {_WAYS}")
        return cls(
            host,
            username=given[USER],
            password=given[PASSWORD],
            security_token=given[SECURITY],
            domain=given.get(DOMAIN, "login"),
        )

    @property
    def renewable(self) -> bool:
        return not self.session_id

    def connect(self) -> Any:
        """A new client of simple-salesforce.

        Raises:
            SalesforceError, RequestException: see `worksmith.tools.kinds.crm.live.login`.
        """
        from simple_salesforce import Salesforce, SalesforceLogin

        session = _session()
        session_id, instance = self.session_id, self.host
        if self.renewable:
            at = {"scratch_url": f"https://{self.host}"} if self.host else {"domain": self.domain}
            session_id, instance = SalesforceLogin(
                username=self.username,
                password=self.password,
                security_token=self.security_token,
                session=session,
                **at,
            )
        return Salesforce(session_id=session_id, instance=instance, session=session, object_pairs_hook=dict)


def check_installed() -> None:
    """Check that the packages for a live org are installed.

    Raises:
        InputError: they are missing.
    """
    for name in ("simple_salesforce", "requests", "tenacity"):
        with needing("a live org", "salesforce"):
            import_module(name)


def _session() -> Any:
    import requests
    from requests.adapters import HTTPAdapter

    class Session(requests.Session):
        def request(self, *arguments: Any, **options: Any) -> requests.Response:
            options.setdefault("timeout", _SECONDS)
            return super().request(*arguments, **options)

    session = Session()
    session.mount("https://", HTTPAdapter(pool_maxsize=_CONNECTIONS))
    return session


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InputError(f"not an address: {error}", where=URL) from error
    if (
        parts.scheme != "https"
        or not parts.hostname
        or parts.path.strip("/")
        or parts.query
        or parts.username
    ):
        raise InputError("not the address of an org", where=URL, hint="write https://host")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{host}:{port}" if port not in (None, 443) else host
