"""Tokens (JWT) of clients: who they are for, verified with the server's keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jwt

from worksmith.serving.programs.keys import NoKeyError
from worksmith.tools.errors import InputError
from worksmith.tools.serving.refusals import RequestError

if TYPE_CHECKING:
    from worksmith.serving.programs.keys import Keys
    from worksmith.tools.environment import Environment
    from worksmith.tools.persona import Persona

LONGEST_TOKEN = 8192
"""Characters."""

_LONGEST_NAME = 256
_REFUSED = "The token is missing or not valid"
"""A client learns no more: the reason would help a forger."""


@dataclass(frozen=True)
class Caller:
    """The person for whom a request is made.

    Attributes:
        approver: whether the token has the claim of those who approve changes.
    """

    persona: Persona
    approver: bool


class Tokens:
    """Verifies tokens.

    Args:
        keys: of the issuer.
        algorithms: those that are allowed, for any token.
        audience, issuer: that a token must be for and from.
        persona_claim: the claim with the persona's id.
        leeway: seconds by which clocks may differ.
        approver: claim and value of those who approve changes; None for no such claim.
    """

    def __init__(
        self,
        keys: Keys,
        *,
        algorithms: Sequence[str],
        audience: str,
        issuer: str,
        persona_claim: str = "sub",
        leeway: float = 10.0,
        approver: tuple[str, str] | None = None,
    ) -> None:
        self._keys, self._algorithms = keys, tuple(algorithms)
        self._audience, self._issuer = audience, issuer
        self._claim, self._leeway, self._approver = persona_claim, leeway, approver

    def caller(self, header: str, env: Environment) -> Caller:
        """The person that a request's `Authorization` names.

        Raises:
            RequestError: the token is not valid (401), or the world has no such person who is active (403).
        """
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer":
            raise RequestError(401, "invalid_token", _REFUSED)
        claims = self.claims(token.strip())
        named = claims.get(self._claim)
        named = str(named) if type(named) is int else named
        if not isinstance(named, str) or not named or len(named) > _LONGEST_NAME:
            raise RequestError(401, "invalid_token", _REFUSED)
        try:
            persona = env.persona(named)
        except InputError:
            persona = None
        if persona is None or not persona.active:
            raise RequestError(403, "unknown_persona", "The token names no active person")
        return Caller(persona, self._approves(claims))

    def claims(self, token: str) -> Mapping[str, Any]:
        """The claims of a valid token."""
        try:
            if len(token) > LONGEST_TOKEN:
                raise NoKeyError
            header = jwt.get_unverified_header(token)
            algorithm, kid = header.get("alg"), header.get("kid")
            # Extensions that a verifier must understand; this one understands no extension.
            if algorithm not in self._algorithms or "crit" in header or "b64" in header:
                raise NoKeyError
            if kid is not None and not isinstance(kid, str):
                raise NoKeyError
            found: dict[str, Any] = jwt.decode(
                token,
                self._keys.find(algorithm, kid),
                algorithms=[algorithm],
                audience=self._audience,
                issuer=self._issuer,
                leeway=self._leeway,
                options={"require": ["exp", "aud", "iss"]},
            )
            return found
        except (NoKeyError, jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError):
            raise RequestError(401, "invalid_token", _REFUSED) from None

    def _approves(self, claims: Mapping[str, Any]) -> bool:
        if self._approver is None:
            return False
        name, value = self._approver
        held = claims.get(name)
        if isinstance(held, list):
            return value in held
        # OAuth's `scope` is one text of words (RFC 8693, 4.2).
        return isinstance(held, str) and (held == value or (name == "scope" and value in held.split()))
