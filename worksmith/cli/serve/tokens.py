"""The token of a server's clients, from the environment or made for the occasion."""

from __future__ import annotations

import os

TOKEN_VARIABLE = "WORKSMITH_SERVE_TOKEN"


def token_of_clients(variable: str) -> tuple[str, bool]:
    """The token, and whether the user gave it.

    Raises:
        InputError: the variable that the user named is not set, or its value makes no token.
    """
    from worksmith.tools.errors import InputError
    from worksmith.tools.serving.tokens import checked_token, new_token

    given = os.environ.get(variable)
    if given:
        return checked_token(given, where=variable), True
    if variable != TOKEN_VARIABLE:
        raise InputError(f"the environment variable {variable} is not set", where="--token-env")
    return new_token(), False
