"""`worksmith serve model`: serve a local model to other programs over OpenAI's chat API."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from worksmith.cli.serve.server_options import (
    TOKEN_VARIABLE,
    AllowRemote,
    Host,
    Port,
    Tls,
    TokenVariable,
    token_of_clients,
)
from worksmith.cli.terminal import say

if TYPE_CHECKING:
    from worksmith.tools.serving.server import Listening


def serve_model(
    name: Annotated[
        str,
        typer.Argument(
            help="local/apprentice, gguf:FILE, a name of models list, a folder that worksmith train wrote, "
            "or package.module:engine, an engine for dspy.LM."
        ),
    ],
    host: Host = "127.0.0.1",
    port: Port = 8440,
    allow_remote: AllowRemote = False,
    tls: Tls = False,
    token_env: TokenVariable = TOKEN_VARIABLE,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds that a reply may take.")] = 300.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the address as one line of JSON on stdout.")
    ] = False,
) -> None:
    """Serve a local model over OpenAI's chat API: completions, streams, tools, usage, /v1/models.

    Clients send the token as their API key. Ctrl-C or SIGTERM ends the server.
    """
    from worksmith.models.serving.engines import served_engine
    from worksmith.tools.errors import needing

    with needing("the command `serve`", "serve"):
        from worksmith.models.serving.app import ModelApp
        from worksmith.tools.serving.server import Server, check_reach
    check_reach(host, allow_remote=allow_remote, tls=tls)
    token, given = token_of_clients(token_env)
    engine = served_engine(name)
    app = ModelApp(engine, name, token, host=host, seconds=timeout)
    server = Server(app, host=host, port=port, secure=tls, connections=_CONNECTIONS, keep_alive=_KEEP_ALIVE)
    with server.listening() as at:
        _announce(name, at, token, given=given, as_json=as_json)
        if (length := getattr(engine, "compact_prompts", None)) is not None and not as_json:
            say(f"It was trained on compact prompts. Clients of worksmith need --prompt compact:{length}")
        server.run()


_CONNECTIONS = 512
"""Connections at a time: workers keep one each."""
_KEEP_ALIVE = 300


def _announce(name: str, at: Listening, token: str, *, given: bool, as_json: bool) -> None:
    url = f"{at.url}/v1"
    if as_json:
        certificate = str(at.certificate) if at.certificate else None
        typer.echo(json.dumps({"url": url, "token": token, "model": name, "certificate": certificate}))
        return
    say(f"Serving {name} at {url}; Ctrl-C ends it. For clients, which call it openai/{name}:")
    say(f"export OPENAI_BASE_URL={url}")
    say(f"export OPENAI_API_KEY={'(the token given)' if given else token}")
    if at.certificate:
        say(f"export SSL_CERT_FILE={at.certificate}")
