"""`worksmith serve program`: serve a compiled program over HTTP."""

from __future__ import annotations

import json

import typer

from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import say
from worksmith.serving.programs.settings import ServeProgramSettings


@from_settings(
    ServeProgramSettings,
    examples=[
        "worksmith serve program compiled.json . --jwt-secret-env DESK_SECRET --audience desk --issuer https://login.example",
    ],
)
def serve_program(settings: ServeProgramSettings, as_json: JsonFlag = False) -> None:
    """Serve a compiled program: tasks on behalf of the person that a token names, changes for approval.

    The address /openapi.json describes the API. Ctrl-C or SIGTERM ends the server.
    """
    from worksmith.tools.errors import needing

    with needing("the command `serve`", "serve"):
        from worksmith.serving.programs.server import serve

    def announce(url: str) -> None:
        if as_json:
            typer.echo(json.dumps({"url": url}))
        else:
            say(f"Serving {settings.program} at {url}; Ctrl-C ends it.")

    serve(settings, announce)
