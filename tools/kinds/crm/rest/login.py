"""Sessions, and the two ways to log in that Salesforce clients know: SOAP, and OAuth 2.0 with a password."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from urllib.parse import parse_qs
from xml.parsers import expat
from xml.sax.saxutils import escape

from worksmith.tools.kinds.crm.rest.messages import XML, Reply, Request
from worksmith.tools.kinds.crm.soql.results import API_VERSION
from worksmith.tools.serving.tokens import checked_token, new_token, same

_LIFE = 2 * 60 * 60.0
"""Seconds that a login lasts without a request."""
_MOST = 200
"""Logins at a time; the one that has been idle for longest makes room."""


class Sessions:
    """The logins of a running server. Thread-safe.

    Args:
        token: the secret of a login; it can also be used without logging in.
        clock: seconds that only go up.

    Raises:
        InputError: the token is too short to be one, or could not be sent in a header.
    """

    def __init__(self, token: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._token = checked_token(token, where="--token")
        self._clock = clock
        self._used: OrderedDict[str, float] = OrderedDict()
        self._lock = Lock()

    def log_in(self, secret: str) -> str | None:
        """A new session's id, for a secret that ends with the token; None for any other.

        Salesforce's clients send the password with the security token after it. Here the token is all
        that counts.
        """
        if not same(secret[-len(self._token) :], self._token):
            return None
        session_id = new_token()
        with self._lock:
            self._used[_key(session_id)] = self._clock()
            while len(self._used) > _MOST:
                self._used.popitem(last=False)
        return session_id

    def key(self, session_id: str) -> str | None:
        """The name of the session with this id; None if it is unknown or has run out."""
        key = _key(session_id)
        if same(session_id, self._token):
            return key
        now = self._clock()
        with self._lock:
            # Found by its hash: the duration reveals nothing about any id.
            last = self._used.pop(key, None)
            if last is None or now - last > _LIFE:
                return None
            self._used[key] = now
        return key


def _key(session_id: str) -> str:
    return hashlib.sha256(session_id.encode("utf-8", "replace")).hexdigest()


_USER = "005wK00000000A1AAM"
_ORGANIZATION = "00DwK00000000A1AAM"
_DEEPEST = 20
_ENVELOPE = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" '
    'xmlns="urn:partner.soap.sforce.com" xmlns:sf="urn:fault.partner.soap.sforce.com">'
    "<soapenv:Body>{}</soapenv:Body></soapenv:Envelope>"
)


def soap_login(request: Request, sessions: Sessions) -> Reply:
    try:
        secret = _password(request.body)
    except (expat.ExpatError, ValueError):
        return _fault("UNKNOWN_EXCEPTION", "The request is no login in SOAP.")
    session_id = None if secret is None else sessions.log_in(secret)
    if session_id is None:
        wrong = "Invalid username, password, security token; or user locked out."
        return _fault("INVALID_LOGIN", wrong)
    address = f"{escape(request.origin)}/services/Soap/u/{API_VERSION}/{_ORGANIZATION}"
    result = (
        "<loginResponse><result><passwordExpired>false</passwordExpired><sandbox>true</sandbox>"
        f"<serverUrl>{address}</serverUrl><sessionId>{session_id}</sessionId>"
        f"<userId>{_USER}</userId></result></loginResponse>"
    )
    return Reply(200, _ENVELOPE.format(result), XML)


def oauth_login(request: Request, sessions: Sessions) -> Reply:
    try:
        form = parse_qs(request.body.decode(), keep_blank_values=True, max_num_fields=20)
    except ValueError:
        return _refused("invalid_request", "the body is no form")
    if any(len(values) > 1 for values in form.values()):
        return _refused("invalid_request", "the form has a name twice")
    fields = {name: values[0] for name, values in form.items()}
    if fields.get("grant_type") != "password":
        return _refused("unsupported_grant_type", "grant type not supported")
    session_id = sessions.log_in(fields.get("password", ""))
    if session_id is None:
        return _refused("invalid_grant", "authentication failure")
    body = {
        "access_token": session_id,
        "instance_url": request.origin,
        "id": f"{request.origin}/id/{_ORGANIZATION}/{_USER}",
        "token_type": "Bearer",
        "issued_at": str(int(time.time() * 1000)),
    }
    return Reply(200, body)


def _password(body: bytes) -> str | None:
    found: list[str] = []
    inside: list[str] = []

    def start(name: str, _attributes: dict[str, str]) -> None:
        inside.append(name.rpartition(":")[2])
        if len(inside) > _DEEPEST:
            raise ValueError("too deep")

    def text(data: str) -> None:
        if inside[-2:] == ["login", "password"]:
            found.append(data)

    def refuse(*_: object) -> None:
        # A document type can define entities, and with them texts without end.
        raise ValueError("a document type")

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _name: inside.pop()
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    parser.Parse(body, True)
    return "".join(found) if found else None


def _fault(code: str, message: str) -> Reply:
    fault = (
        f"<soapenv:Fault><faultcode>sf:{code}</faultcode><faultstring>{code}: {message}</faultstring><detail>"
        f"<sf:LoginFault><sf:exceptionCode>{code}</sf:exceptionCode>"
        f"<sf:exceptionMessage>{message}</sf:exceptionMessage></sf:LoginFault></detail></soapenv:Fault>"
    )
    return Reply(500, _ENVELOPE.format(fault), XML)


def _refused(code: str, message: str) -> Reply:
    return Reply(400, {"error": code, "error_description": message})
