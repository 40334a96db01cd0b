"""`worksmith serve crm`: serve a world to other programs over the API of the system that it stands for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worksmith.evals.kinds.crm.commands.options import crm_world, roles, say

if TYPE_CHECKING:
    from worksmith.tools.kinds.crm.schema import Schema
    from worksmith.tools.serving.server import Listening
    from worksmith.tools.world import World

TOKEN_VARIABLE = "WORKSMITH_SERVE_TOKEN"


def serve_crm(
    suite: Annotated[Path, typer.Argument(help="Suite directory; its world is enough.")],
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8430,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Listen on an address that other machines can reach.")
    ] = False,
    token: Annotated[
        str | None,
        typer.Option(
            envvar=TOKEN_VARIABLE,
            help="Secret of the clients. The variable keeps it out of the list of processes.",
            show_default="a new random one",
            show_envvar=False,
        ),
    ] = None,
    role: Annotated[
        str | None,
        typer.Option(
            "--as",
            help="Role of the clients.",
            show_default="the whole org",
            autocompletion=roles,
        ),
    ] = None,
    writable: Annotated[
        bool,
        typer.Option("--writable", help="Let clients change records, in memory; the suite stays unchanged."),
    ] = False,
    audit_dates: Annotated[
        bool,
        typer.Option(
            "--audit-dates",
            help="Let clients set the creation time of new records, as an org for migrations does.",
        ),
    ] = False,
    save: Annotated[
        Path | None,
        typer.Option(help="Write the org's final state as a new world.", file_okay=False),
    ] = None,
    tls: Annotated[
        bool, typer.Option("--tls/--no-tls", help="HTTPS with a certificate of its own, or plain HTTP.")
    ] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the address as one line of JSON on stdout.")
    ] = False,
) -> None:
    """Serve a CRM world over the subset of Salesforce's REST API that its Python client uses.

    Clients log in with any user name and password and the token as security token, or use the token as
    session id. Ctrl-C or SIGTERM ends the server.
    """
    from worksmith.tools.errors import InputError, needing
    from worksmith.tools.kinds.crm.rest.store import OrgStore, check_free
    from worksmith.tools.serving.tokens import new_token

    with needing("the command `serve`", "serve"):
        from worksmith.tools.kinds.crm.rest.app import THREADS, Api, App
        from worksmith.tools.kinds.crm.rest.login import Sessions
        from worksmith.tools.kinds.crm.rest.messages import Serving
        from worksmith.tools.serving.server import Server, check_reach
    check_reach(host, allow_remote=allow_remote, tls=tls)
    if save is not None:
        if not writable:
            raise InputError(
                "nothing can change, so there is nothing to save", where="--save", hint="--writable"
            )
        check_free(save)
    world = crm_world(suite)
    secret = token or new_token()
    store = OrgStore(world, THREADS)
    serving = Serving(_schema(world, role), writable, audit_dates)
    app = App(Api(store, serving), Sessions(secret), host=host, secure=tls)
    server = Server(app, host=host, port=port, secure=tls)
    with server.listening() as at:
        _announce(world, at, secret, given=token is not None, writable=writable, as_json=as_json)
        server.run()
    if save is not None:
        saved = store.save(save)
        say(f"Saved the org in {saved.path}")
    elif store.changed:
        say("What clients changed is gone; --save keeps it")


def _schema(world: World, role: str | None) -> Schema:
    from worksmith.tools.kinds.crm.access.policy import find_persona, open_policy
    from worksmith.tools.kinds.crm.schema import crm_schema

    policy = open_policy(world)
    if role is None:
        return crm_schema(policy.settings.links)
    return policy.schema_for(find_persona(world, role).id)


def _announce(world: World, at: Listening, token: str, *, given: bool, writable: bool, as_json: bool) -> None:
    from worksmith.tools.kinds.crm.schema import OBJECTS

    rights = "writable" if writable else "read-only"
    if as_json:
        certificate = str(at.certificate) if at.certificate else None
        facts = {"url": at.url, "token": token, "certificate": certificate, "rights": rights}
        typer.echo(json.dumps(facts))
        return
    records = sum(world.manifest.counts.get(name, 0) for name in OBJECTS)
    say(f"Serving {world.path} ({records:,} records) {rights} at {at.url}; Ctrl-C ends it. For clients:")
    say(f"export SALESFORCE_INSTANCE_URL={at.url}")
    say(f"export SALESFORCE_SESSION_ID={'(the token given)' if given else token}")
    if at.certificate:
        say(f"export REQUESTS_CA_BUNDLE={at.certificate}")
