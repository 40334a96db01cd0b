"""`worksmith serve tools`: offer the tools of episodes to MCP clients."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from worksmith.cli.choices import personas
from worksmith.cli.options import from_settings
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
from worksmith.evals.progress.screen import Terminal
from worksmith.jobs.settings.tool_server import ToolServerSettings

if TYPE_CHECKING:
    from worksmith.serving.tools.episodes import Open


@from_settings(ToolServerSettings, complete={"persona": personas})
def serve_tools(
    settings: ToolServerSettings,
    transport: Annotated[
        Literal["stdio", "http"],
        typer.Option(help="stdio: one client, which starts this command. http: any number of clients."),
    ] = "stdio",
    host: Host = "127.0.0.1",
    port: Port = 8442,
    allow_remote: AllowRemote = False,
    tls: Tls = False,
    token_env: TokenVariable = TOKEN_VARIABLE,
    idle: Annotated[
        float, typer.Option(min=0.001, help="Seconds without a request after which a session ends (http).")
    ] = 1800.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the address as one line of JSON on stdout (http).")
    ] = False,
) -> None:
    """Offer the tools of a task, or of a persona, to clients of the Model Context Protocol.

    An episode ends when the client calls finish or disconnects, or the server is stopped. It is then scored
    and recorded, and the verdict is printed on stderr.
    """
    from worksmith.tools.errors import needing

    with needing("the command `serve tools`", "mcp"):
        import mcp  # noqa: F401
    from worksmith.evals.suite import Suite
    from worksmith.serving.tools.opening import episodes_of

    logging.getLogger("mcp").setLevel(logging.ERROR)  # else each malformed message is printed on stderr
    with episodes_of(Suite.open(settings.suite), settings, Terminal()) as open:
        if transport == "stdio":
            from worksmith.serving.tools.stdio import serve_stdio

            serve_stdio(open)
        else:
            token = token_of_clients(token_env)
            _serve_http(
                open,
                *token,
                host=host,
                port=port,
                allow_remote=allow_remote,
                tls=tls,
                idle=idle,
                as_json=as_json,
            )


def _serve_http(
    open: Open,
    token: str,
    given: bool,
    *,
    host: str,
    port: int,
    allow_remote: bool,
    tls: bool,
    idle: float,
    as_json: bool,
) -> None:
    from worksmith.tools.errors import needing

    with needing("`serve tools` over HTTP", "serve"):
        from worksmith.tools.serving.server import Server, check_reach
    from worksmith.serving.tools.http import PATH, ToolsApp

    check_reach(host, allow_remote=allow_remote, tls=tls)
    app = ToolsApp(open, token, host=host, idle=idle)
    server = Server(app, host=host, port=port, secure=tls, connections=512, keep_alive=300)
    with server.listening() as at:
        url = f"{at.url}{PATH}"
        if as_json:
            certificate = str(at.certificate) if at.certificate else None
            typer.echo(json.dumps({"url": url, "token": token, "certificate": certificate}))
        else:
            say(f"Serving MCP at {url}; Ctrl-C ends it. Clients send this header:")
            say(f"Authorization: Bearer {'(the token given)' if given else token}")
            if at.certificate:
                say(f"They trust the certificate {at.certificate}")
        server.run()
