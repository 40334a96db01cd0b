"""An episode as the spans of a trace: the episode, each question to a model, each call of a tool.

    react
      plan                         LLM: tokens, dollars; prompt and reply
      select                       LLM: the same
      check                        LLM: the access checker's question, where a model is asked for it
      calendar.search_events       TOOL: arguments, decision and rule, observation
      select ...
      chat gpt-4o-mini             a span that the program's framework emitted, with those below it

A question of a tool is below its call.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from worksmith.evals.lm.prices import dollars
from worksmith.evals.records.entries import AskEntry, CallEntry, Used
from worksmith.evals.records.prompts import shown_messages, shown_text
from worksmith.tools.episode_result import TOOLS, Tokens
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from mlflow.entities import Span

    from worksmith.evals.records.record import EpisodeRecord

_ROLES = {"developer": "system"}
"""Roles that MLflow's pages do not know, with their replacements."""


class Frame(NamedTuple):
    """The parts that all spans of a trace share: its id, begin and end (ns), and the model."""

    trace_id: str
    start: int
    end: int
    model: str


def spans(record: EpisodeRecord, frame: Frame) -> list[Span]:
    """The spans of an episode, its root first.

    A record has the durations of questions and calls in order; the rest of the episode's time is spread
    evenly before them.
    """
    made = [_root(record, frame)]
    parts = list(_parts(record))
    busy = sum(_nanoseconds(part) for part in parts)
    pause = max(0, frame.end - frame.start - busy) // (len(parts) + 1)
    clock = frame.start
    asks = calls = 0
    for part in parts:
        begin = min(frame.end, clock + pause)
        clock = min(frame.end, begin + _nanoseconds(part))
        if isinstance(part, AskEntry):
            made.append(_ask(record, part, asks, frame, (begin, clock), "root"))
            asks += 1
        else:
            made.append(_call(record, part, calls, frame, (begin, clock)))
            for number, ask in enumerate(_of_tool(record, calls)):
                within = (begin, min(clock, begin + _nanoseconds(ask)))
                made.append(_ask(record, ask, number, frame, within, f"call {calls}"))
            calls += 1
    return [*made, *_emitted(record, frame)]


def usage(tokens: Tokens) -> dict[str, int]:
    """Tokens under MLflow's names; input tokens are all tokens of prompts."""
    prompt, completion, cached, written = tokens
    through_cache = {"cache_read_input_tokens": cached, "cache_creation_input_tokens": written}
    return {
        "input_tokens": prompt,
        "output_tokens": completion,
        "total_tokens": prompt + completion,
        **(through_cache if cached or written else {}),
    }


def cost(model: str, tokens: Tokens) -> dict[str, float] | None:
    """Dollars under MLflow's names; None without a known price or without use; 0 for local models."""
    if model.startswith("local/"):
        return dict.fromkeys(("input_cost", "output_cost", "total_cost"), 0.0)
    paid_in = dollars(model, *tokens._replace(completion=0))
    paid_out = dollars(model, 0, tokens.completion)
    if paid_in is None or paid_out is None or not (tokens.prompt or tokens.completion):
        return None
    return {"input_cost": paid_in, "output_cost": paid_out, "total_cost": paid_in + paid_out}


def _parts(record: EpisodeRecord) -> Iterator[AskEntry | CallEntry]:
    """Questions and calls in order, without the questions of tools."""
    asks = [ask for ask in record.asks if ask.part != "tool"]
    for number in range(len(record.calls) + 1):
        yield from (ask for ask in asks if ask.call == number)
        yield from record.calls[number : number + 1]


def _of_tool(record: EpisodeRecord, call: int) -> list[AskEntry]:
    return [ask for ask in record.asks if ask.part == "tool" and ask.call == call]


def _nanoseconds(part: AskEntry | CallEntry) -> int:
    return round(part.seconds * 1e9)


def _root(record: EpisodeRecord, frame: Frame) -> Span:
    ending = {"answer_status": record.answer_status} if record.answer_status else {}
    attributes: dict[str, Any] = {
        "mlflow.spanType": "AGENT",
        "mlflow.spanInputs": {"task": record.query},
        "mlflow.spanOutputs": {"status": record.status, "answer": record.answer, **ending},
    }
    if not record.asks:
        # The usage of single questions is unknown.
        attributes |= _used(frame.model, record)
    times = (frame.start, frame.end)
    return _span(frame, "root", None, record.strategy or "episode", times, attributes, record.error)


def _ask(
    record: EpisodeRecord, ask: AskEntry, number: int, frame: Frame, times: tuple[int, int], parent: str
) -> Span:
    attributes = {
        "mlflow.spanType": "LLM",
        **_used(ask.model or frame.model, ask),
        **_filled({"finish_reason": ask.finish_reason}),
        **_said(record, ask),
    }
    name = "answer the tool" if ask.part == "tool" else ask.part
    return _span(frame, f"{parent} ask {number}", parent, name, times, attributes, None)


def _used(model: str, asked: Used) -> dict[str, Any]:
    """Model, tokens and dollars: used ones under MLflow's names, paid ones beside them.

    Without a known price the model is not under MLflow's name: the store would look it up in LiteLLM, which
    takes seconds to load and has no other list.
    """
    tokens = {
        "mlflow.chat.tokenUsage": usage(asked.usage.tokens),
        "paid_requests": asked.paid_requests,
        "paid_tokens": asked.usage.paid_tokens,
        **({"estimated_tokens": True} if asked.estimated else {}),
    }
    price = cost(model, asked.usage.tokens)
    if price is None:
        return {"model": model, **tokens}
    return {"mlflow.llm.model": model, **tokens, "mlflow.llm.cost": price}


def _said(record: EpisodeRecord, ask: AskEntry) -> dict[str, Any]:
    """The prompt and the reply as a chat; without them, the question's traces in the record."""
    if ask.exchange is not None:
        messages = shown_messages(ask.exchange)
        chat = [{"role": _ROLES.get(role, role), "content": text} for role, text in messages if role != TOOLS]
        tools = "".join(text for role, text in messages if role == TOOLS)
        prompt = {"messages": chat, **_filled({"tools": tools})}
        reply = {"mlflow.spanOutputs": shown_text(ask.exchange.reply)}
        return {"mlflow.spanInputs": prompt, **_filled(reply)}
    if ask.part == "plan":
        # The record has only the first plan.
        return {"mlflow.spanOutputs": record.plan} if ask.call == 0 and record.plan else {}
    call = record.calls[ask.call] if ask.call < len(record.calls) else None
    if ask.part == "select":
        if call is None:
            return {"mlflow.spanOutputs": {"answer": record.answer}} if record.answer else {}
        return {"mlflow.spanOutputs": _filled({"thought": call.thought, "tool": call.tool})}
    if ask.part == "check" and call is not None and call.opinion:
        said = _filled({"opinion": call.opinion, "reason": call.opinion_reason})
        return {"mlflow.spanInputs": {"tool": call.tool}, "mlflow.spanOutputs": said}
    return {}


def _call(record: EpisodeRecord, call: CallEntry, number: int, frame: Frame, times: tuple[int, int]) -> Span:
    attributes = {
        "mlflow.spanType": "TOOL",
        "mlflow.spanInputs": call.arguments,
        "mlflow.spanOutputs": call.observation,
        "allowed": call.allowed,
        **_filled({"rule": call.rule, "access_check": call.opinion, "truncated": call.truncated}),
        **({} if record.asks else _filled({"thought": call.thought})),
    }
    error = None if call.status == "ok" else call.status
    return _span(frame, f"call {number}", "root", call.tool, times, attributes, error)


def _emitted(record: EpisodeRecord, frame: Frame) -> Iterator[Span]:
    """The spans that the program's framework emitted, at their own times. MLflow knows their attributes."""
    for number, span in enumerate(record.spans):
        parent = "root" if span.parent is None else f"emitted {span.parent}"
        begin = min(frame.end, frame.start + round(span.start * 1e9))
        times = (begin, min(frame.end, begin + round(span.seconds * 1e9)))
        # Under its own name the model would be looked up for a price, see `_used`.
        attributes = {_MODELS.get(name, name): value for name, value in span.attributes.items()}
        yield _span(frame, f"emitted {number}", parent, span.name, times, attributes, span.error or None)


_MODELS = {"gen_ai.request.model": "model", "gen_ai.response.model": "answered by"}


def _filled(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}


def _span(
    frame: Frame,
    key: str,
    parent: str | None,
    name: str,
    times: tuple[int, int],
    attributes: Mapping[str, Any],
    error: str | None,
) -> Span:
    from mlflow.entities import Span

    dumped = {key: json.dumps(value, ensure_ascii=False) for key, value in attributes.items()}
    return Span.from_dict(
        {
            "trace_id": _base64(frame.trace_id),
            "span_id": _base64(digest([frame.trace_id, key])),
            "parent_span_id": _base64(digest([frame.trace_id, parent])) if parent else "",
            "name": name or "call",
            "start_time_unix_nano": times[0],
            "end_time_unix_nano": max(times[1], times[0] + 1),
            "status": {
                "code": "STATUS_CODE_ERROR" if error else "STATUS_CODE_OK",
                "message": error or "",
            },
            "attributes": {"mlflow.traceRequestId": json.dumps(f"tr-{frame.trace_id}"), **dumped},
            "events": [],
        }
    )


def _base64(hexadecimal: str) -> str:
    return base64.b64encode(bytes.fromhex(hexadecimal)).decode()
