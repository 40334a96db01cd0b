"""The options of servers, and the token of their clients, from the environment or made for the occasion."""

from __future__ import annotations

import os
from typing import Annotated

import typer

TOKEN_VARIABLE = "WORKSMITH_SERVE_TOKEN"

Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")]
AllowRemote = Annotated[
    bool, typer.Option("--allow-remote", help="Listen on an address that other machines can reach.")
]
Tls = Annotated[
    bool, typer.Option("--tls/--no-tls", help="HTTPS with a certificate of its own, or plain HTTP.")
]
TokenVariable = Annotated[
    str,
    typer.Option(
        help="Environment variable with the token of the clients; without it a random one is printed."
    ),
]


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
