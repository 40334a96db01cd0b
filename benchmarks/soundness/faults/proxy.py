"""The proxy: an HTTP server that passes requests on to the servers of models and injects faults.

    python -m benchmarks.soundness.faults.proxy local/apprentice=http://127.0.0.1:8440/v1

The address that a client uses names the fault: `http://127.0.0.1:PORT/KIND/RATE/v1`, where KIND is one of
`FAULTS` or `none`, and RATE the share of requests that meet it, such as 0.1. A draw from the seed,
the digest of a request and the number of its earlier arrivals decides, so the order of arrival has no part in
it. The server behind is asked each request once; its replies are kept. `GET /KIND/RATE/counts` gives the
counts of one address.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from benchmarks.soundness.faults.kinds import FAULTS, NO_FAULT, RETRY_AFTER, Sent
from worksmith.tools.seeding import digest_bytes, rng

_REASONS = {200: "OK", 404: "Not Found", 429: "Too Many Requests", 500: "Internal Server Error"}
_PIECE = 4096
_LONGEST_SILENCE = 600.0
_AT_ONCE = 8
"""Requests that the server behind is asked at the same time."""


@dataclass
class Counts:
    """Requests at one address.

    Attributes:
        requests: that arrived.
        faults: by form.
        hastened: requests that were sent again before the time that a Retry-After asked for.
        largest: bytes of the largest request.
        arrivals: of each request, by digest.
        not_before: the earliest moment for the next try of a request, by digest.
    """

    requests: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    hastened: int = 0
    largest: int = 0
    arrivals: Counter[str] = field(default_factory=Counter)
    not_before: dict[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("requests", "faults", "hastened", "largest")}


class FaultyProxy:
    """Answers requests, whatever the connection.

    Args:
        upstream: the addresses of the servers behind, by the names of their models.
        seed: of the draws.
    """

    def __init__(self, upstream: Mapping[str, str], seed: int = 0) -> None:
        self._seed = seed
        self._upstream = upstream
        self._client = httpx.AsyncClient(timeout=300, trust_env=False)
        self._free = asyncio.Semaphore(_AT_ONCE)
        self._replies: dict[str, asyncio.Task[httpx.Response]] = {}
        self._counts: dict[str, Counts] = {}

    async def answer(self, target: str, token: str, body: bytes) -> Sent:
        """What a client gets.

        Args:
            target: the path of the request.
            token: the header with the key.
        """
        kind, rate, rest = target.strip("/").split("/", 2)
        counts = self._counts.setdefault(f"{kind}/{rate}", Counts())
        if rest == "counts":
            return Sent(json.dumps(counts.to_json()).encode())
        key, now = digest_bytes(body), time.monotonic()
        arrival = counts.arrivals[key]
        counts.arrivals[key] += 1
        counts.requests += 1
        counts.largest = max(counts.largest, len(body))
        counts.hastened += now < counts.not_before.pop(key, now)
        if rest != "v1/chat/completions":
            return Sent(b'{"error": {"message": "unknown address"}}', 404)
        if key not in self._replies:
            self._replies[key] = asyncio.create_task(self._ask(token, body))
        reply = await self._replies[key]
        fault = None if kind == NO_FAULT else FAULTS[kind]
        form = fault and fault.drawn(kind, float(rate), self._seed, key, arrival)
        if not fault or not form or reply.status_code != 200:
            return Sent(reply.content, reply.status_code)
        counts.faults[form] += 1
        sent = fault.forms[form](reply.json(), rng(self._seed, "form", key, arrival))
        if "retry-after" in sent.headers:
            counts.not_before[key] = time.monotonic() + RETRY_AFTER
        return sent

    async def _ask(self, token: str, body: bytes) -> httpx.Response:
        headers = {"authorization": token, "content-type": "application/json"}
        address = f"{self._upstream[json.loads(body)['model']]}/chat/completions"
        async with self._free:
            return await self._client.post(address, content=body, headers=headers)


class _Connection:
    """One connection of a client, which may send several requests."""

    def __init__(
        self, proxy: FaultyProxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._proxy, self._reader, self._writer = proxy, reader, writer

    async def run(self) -> None:
        try:
            while await self._one():
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client is gone
        finally:
            self._writer.close()

    async def _one(self) -> bool:
        """Answer one request; whether the connection goes on."""
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await self._reader.readexactly(int(headers.get("content-length", 0)))
        sent = await self._proxy.answer(first.split(" ")[1], headers.get("authorization", ""), body)
        if sent.silent == "all":
            return await self._silence()
        self._writer.write(_head(sent))
        if sent.silent == "body":
            await self._writer.drain()
            return await self._silence()
        shown = sent.body[: sent.cut]
        self._writer.write(_chunks(shown, whole=sent.cut is None) if sent.chunked else shown)
        await self._writer.drain()
        return sent.cut is None

    async def _silence(self) -> bool:
        """Wait until the client gives up."""
        await asyncio.wait_for(self._reader.read(1), _LONGEST_SILENCE)
        return False


def _head(sent: Sent) -> bytes:
    length = "transfer-encoding: chunked" if sent.chunked else f"content-length: {len(sent.body)}"
    kind = "text/html" if sent.body.startswith(b"<") else "application/json"
    named = [f"{name}: {value}" for name, value in sent.headers.items()]
    first = f"HTTP/1.1 {sent.status} {_REASONS.get(sent.status, 'Status')}"
    return "\r\n".join([first, f"content-type: {kind}", length, *named, "", ""]).encode("latin-1")


def _chunks(body: bytes, *, whole: bool) -> bytes:
    pieces = [body[start : start + _PIECE] for start in range(0, len(body), _PIECE)]
    sent = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    return sent + b"0\r\n\r\n" if whole else sent


async def serve(upstream: Mapping[str, str], seed: int) -> None:
    """Serve on a free port, whose address is printed as a line, until the process ends."""
    proxy = FaultyProxy(upstream, seed)
    server = await asyncio.start_server(
        lambda reader, writer: _Connection(proxy, reader, writer).run(), "127.0.0.1", 0, backlog=512
    )
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("upstream", nargs="+", metavar="MODEL=ADDRESS")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    asyncio.run(serve(dict(each.split("=", 1) for each in options.upstream), options.seed))
