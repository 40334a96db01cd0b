"""The two ways to log in that Salesforce's clients know: SOAP, and OAuth 2.0 with a password."""

from __future__ import annotations

import time
from urllib.parse import parse_qs
from xml.parsers import expat
from xml.sax.saxutils import escape

from tools.kinds.crm.rest.messages import XML, Reply, Request
from tools.kinds.crm.rest.sessions import Sessions
from tools.kinds.crm.soql.results import API_VERSION

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
    fields = {name: values[-1] for name, values in form.items()}
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
    """The password in a login's envelope, with the security token behind it."""
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
