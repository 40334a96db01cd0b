"""The routes of a served program, with their description in OpenAPI."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Path, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException

from worksmith import __version__
from worksmith.serving.programs.desk import Desk
from worksmith.serving.programs.messages import (
    Decision,
    ErrorBody,
    Health,
    ListedProposals,
    Settlement,
    ShownProposal,
    TaskRequest,
    TaskResult,
    event,
    wire,
)
from worksmith.serving.programs.metrics import Metrics
from worksmith.serving.programs.rollouts import BusyError, Done, Running, failed
from worksmith.serving.programs.tokens import Caller
from worksmith.tools.serving.refusals import RequestError

InThread = Callable[..., Awaitable[Any]]

_EVENTS = """event: step
data: {"number": 1, "tool": "tools.close_ticket", "arguments": {"ticket_id": "T-1036"}, "status": "ok", ...}

event: answer
data: {"id": "...", "status": "finished", "answer": "T-1036 is closed.", "answer_status": ""}

event: changes
data: {"id": "...", "digest": "...", "changes": [...]}

event: end
data: {"status": "finished", "usage": {"calls": 2, "tokens": 900, "usd": 0.0004}, "seconds": 1.8}

"""

_EVENT = {
    "type": "object",
    "description": "One event; its data is JSON.",
    "properties": {
        "event": {"enum": ["step", "answer", "changes", "error", "end"]},
        "data": {"type": "string"},
    },
    "required": ["event", "data"],
}

_REASONS = {
    400: "The request is not JSON.",
    401: "The token is missing or invalid.",
    403: "The token names no active person, or a person without this right.",
    404: "There is nothing of this name that is the caller's to see.",
    409: "The changes were decided on, are others, or cannot be made any more; or rows were changed since.",
    410: "The changes have expired.",
    413: "The body is too long.",
    422: "The request is not as described.",
    429: "Too many tasks of one person, or the task reached its limit; see `Retry-After`.",
    502: "A model or the commit function failed.",
    503: "The server is full, its budget is spent, or it is stopping; see `Retry-After`. Or it has no data.",
    504: "The time limit has passed.",
}
_RETRY = {"headers": {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}}}

ProposalId = Annotated[str, Path(max_length=64, pattern=r"^[0-9a-f]+$")]


def answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The refusals of a route, for its description."""
    return {
        status: {
            "model": ErrorBody,
            "description": _REASONS[status],
            **(_RETRY if status in (429, 503) else {}),
        }
        for status in statuses
    }


class Json(JSONResponse):
    """JSON that any client can read, see `wire`."""

    def render(self, content: Any) -> bytes:
        return wire(content)


def refusal(error: RequestError) -> Response:
    """A refusal as all routes word it."""
    headers = {}
    if isinstance(error, BusyError):
        headers["retry-after"] = str(error.seconds)
    if error.status == 401:
        headers["www-authenticate"] = 'Bearer error="invalid_token"'
    return Json({"error": {"code": error.code, "message": error.message}}, error.status, headers)


def caller_of(http: Request) -> Caller:
    """The person whose token was verified before any route was asked."""
    found: Caller = http.state.caller
    return found


CallerOf = Annotated[Caller, Depends(caller_of)]
_TOKEN = [Depends(HTTPBearer(bearerFormat="JWT", description="On whose behalf.", auto_error=False))]


def make_api(desk: Desk, metrics: Metrics, in_thread: InThread, title: str) -> FastAPI:
    """The API.

    Args:
        in_thread: runs a function that may wait.
    """
    api = FastAPI(
        title=title,
        version=__version__,
        description="Tasks on behalf of the person that a token names. What a task would change is returned "
        "as changes to be approved.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        default_response_class=Json,
    )
    _add_refusals(api)

    @api.post(
        "/tasks",
        response_model=TaskResult,
        dependencies=_TOKEN,
        responses={
            200: {
                "description": "The end of the task; with `stream` its events.",
                "content": {"text/event-stream": {"schema": _EVENT, "example": _EVENTS}},
            },
            **answers(400, 401, 403, 413, 422, 429, 502, 503, 504),
        },
    )
    async def do_task(request: TaskRequest, http: Request, caller: CallerOf) -> Response:
        """Do a task."""
        running = desk.rollouts.start(request.task, tuple(request.toolkits), caller.persona)
        if request.stream:
            return StreamingResponse(_stream(desk, running, in_thread), media_type="text/event-stream")
        return Json(await _unless_gone(http, _result(desk, running, in_thread)))

    decided = answers(400, 401, 403, 404, 409, 410, 413, 422, 502)

    @api.get(
        "/changes",
        response_model=ListedProposals,
        dependencies=_TOKEN,
        responses=answers(401, 403),
    )
    async def list_changes(caller: CallerOf) -> Response:
        """The changes that wait for a decision: one's own, and those of all for those who approve."""
        return Json(await in_thread(desk.listed, caller))

    @api.get(
        "/changes/{id}",
        response_model=ShownProposal,
        dependencies=_TOKEN,
        responses=answers(401, 403, 404, 422),
    )
    async def see_changes(id: ProposalId, caller: CallerOf) -> Response:
        """Proposed changes, as far as the reader may read them."""
        return Json(await in_thread(desk.proposal, id, caller))

    @api.post("/changes/{id}/approve", response_model=ShownProposal, dependencies=_TOKEN, responses=decided)
    async def approve(id: ProposalId, decision: Decision, caller: CallerOf) -> Response:
        """Approve changes. They are committed if the environment has a function for that."""
        return Json(await in_thread(desk.approve, id, decision.digest, caller))

    @api.post("/changes/{id}/reject", response_model=ShownProposal, dependencies=_TOKEN, responses=decided)
    async def reject(id: ProposalId, decision: Decision, caller: CallerOf) -> Response:
        """Reject changes."""
        return Json(await in_thread(desk.reject, id, decision.digest, caller))

    @api.post("/changes/{id}/settle", response_model=ShownProposal, dependencies=_TOKEN, responses=decided)
    async def settle(id: ProposalId, settlement: Settlement, caller: CallerOf) -> Response:
        """Say whether `unsettled` changes were committed."""
        return Json(await in_thread(desk.settle, id, settlement.digest, settlement.committed, caller))

    @api.get("/health/live", response_model=Health)
    async def live() -> Response:
        """Whether the process answers."""
        return Json({"status": "ok"})

    @api.get("/health/ready", response_model=Health, responses={503: {"model": Health}})
    async def ready() -> Response:
        """Whether it takes tasks."""
        is_ready = desk.rollouts.ready
        return Json({"status": "ok" if is_ready else "not_ready"}, 200 if is_ready else 503)

    @api.get(
        "/metrics", response_class=Response, responses={200: {"content": {"text/plain": {"schema": {}}}}}
    )
    async def figures() -> Response:
        """Figures for Prometheus."""
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    toolkits = api.openapi()["components"]["schemas"]["TaskRequest"]["properties"]["toolkits"]
    toolkits["items"]["enum"] = [kit.name for kit in desk.rollouts.suite.env.kind.toolkits]
    return api


def _add_refusals(api: FastAPI) -> None:
    @api.exception_handler(RequestError)
    async def refuse(_: Request, error: RequestError) -> Response:
        return refusal(error)

    @api.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return refusal(RequestError(400, "invalid_json", "The body is not JSON"))
        place = ".".join(str(part) for part in first["loc"])[:200]
        return refusal(RequestError(422, "invalid_request", f"{place}: {first['msg']}"))

    @api.exception_handler(HTTPException)
    async def other(_: Request, error: HTTPException) -> Response:
        refused = refusal(RequestError(error.status_code, "http_error", str(error.detail)))
        refused.headers.update(error.headers or {})
        return refused

    @api.exception_handler(Exception)
    async def defect(_: Request, error: Exception) -> Response:
        return refusal(failed(500, "unknown_exception", "An unexpected error occurred", repr(error)))


async def _result(desk: Desk, running: Running, in_thread: InThread) -> dict[str, Any]:
    steps: list[dict[str, Any]] = []
    async for each in running.steps():
        if isinstance(each, Done):
            found: dict[str, Any] = await in_thread(desk.result, running, each, steps)
            return found
        if each is not None:
            steps.append(desk.step(len(steps) + 1, each))
    raise AssertionError("a task ends with its end")


async def _stream(desk: Desk, running: Running, in_thread: InThread) -> AsyncIterator[bytes]:
    number = 0
    try:
        async for each in running.steps():
            if isinstance(each, Done):
                result = await in_thread(desk.result, running, each, [])
                named = ("id", "status", "answer", "answer_status")
                yield event("answer", {name: result[name] for name in named})
                if result["changes"] is not None:
                    yield event("changes", result["changes"])
                yield event("end", {name: result[name] for name in ("status", "usage", "seconds")})
            elif each is None:
                yield b": still working\n\n"
            else:
                number += 1
                yield event("step", desk.step(number, each))
    except RequestError as error:
        yield event("error", {"status": error.status, "code": error.code, "message": error.message})
        yield event("end", {"status": error.code})


async def _unless_gone(http: Request, working: Any) -> Any:
    """The result of some work, which is stopped if the client hangs up."""
    work, gone = asyncio.ensure_future(working), asyncio.ensure_future(_hung_up(http))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise RequestError(400, "client_gone", "The client hung up")
        return work.result()
    finally:
        for each in (work, gone):
            each.cancel()
            with suppress(asyncio.CancelledError, RequestError):
                await each


async def _hung_up(http: Request) -> None:
    while (await http.receive())["type"] != "http.disconnect":
        pass
