"""The models of worksmith as models of inspect_ai."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from dspy import lm15
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    StopReason,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from worksmith.models.resolve import resolve

if TYPE_CHECKING:
    import dspy

PREFIX = "worksmith/"

_STOPPED: dict[str, StopReason] = {
    "tool_call": "tool_calls",
    "length": "max_tokens",
    "content_filter": "content_filter",
}
_CONFIG = ("max_tokens", "temperature", "top_p", "seed", "frequency_penalty", "presence_penalty")


class WorksmithModel(ModelAPI):
    """A model by the name that `--lm` takes, such as `worksmith/openai/gpt-4o-mini`; texts and tools only.

    Raises:
        InputError: the model is unknown.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        lm: dspy.LM | None = None,
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        # inspect_ai has its own cache; DSPy's would give all epochs the same reply.
        self._lm = (resolve(model_name.removeprefix(PREFIX)) if lm is None else lm).copy(cache=False)

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        settings = {name: getattr(config, name) for name in _CONFIG}
        body = {
            "model": self._lm.model,
            "messages": list(map(_message, input)),
            **({"tools": list(map(_tool, tools))} if tools else {}),
            **{name: value for name, value in settings.items() if value is not None},
        }
        request = lm15.request_from_openai_chat(body)
        response: lm15.Response = await anyio.to_thread.run_sync(self._lm, request)
        return _output(response)


def _message(message: ChatMessage) -> dict[str, Any]:
    """A message in the form of OpenAI's chat API."""
    said: dict[str, Any] = {"role": message.role, "content": message.text}
    if isinstance(message, ChatMessageTool):
        said["tool_call_id"] = message.tool_call_id
        if message.error is not None:
            said["content"] = message.error.message
    if isinstance(message, ChatMessageAssistant) and message.tool_calls:
        said["tool_calls"] = list(map(_call, message.tool_calls))
        said["content"] = message.text or None
    return said


def _call(call: ToolCall) -> dict[str, Any]:
    written = json.dumps(call.arguments, ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.function, "arguments": written}}


def _tool(tool: ToolInfo) -> dict[str, Any]:
    schema = tool.parameters.model_dump(exclude_none=True)
    function = {"name": tool.name, "description": tool.description, "parameters": schema}
    return {"type": "function", "function": function}


def _output(response: lm15.Response) -> ModelOutput:
    said, usage = response.message, response.usage
    content = [
        *(ContentReasoning(reasoning=part.text) for part in said.parts_of(lm15.ThinkingPart)),
        *(ContentText(text=part.text) for part in said.parts_of(lm15.TextPart)),
        *(ContentText(text=part.text, refusal=True) for part in said.parts_of(lm15.RefusalPart)),
    ]
    calls = [ToolCall(part.id, part.name, dict(part.input)) for part in said.parts_of(lm15.ToolCallPart)]
    sent, made, cached = usage.input_tokens or 0, usage.output_tokens or 0, usage.cache_read_tokens or 0
    message = ChatMessageAssistant(
        content=list(content), tool_calls=calls or None, model=response.model, source="generate"
    )
    return ModelOutput(
        model=response.model,
        choices=[
            ChatCompletionChoice(message=message, stop_reason=_STOPPED.get(response.finish_reason, "stop"))
        ],
        usage=ModelUsage(
            input_tokens=sent - cached,
            output_tokens=made,
            total_tokens=sent + made,
            input_tokens_cache_read=usage.cache_read_tokens,
            reasoning_tokens=usage.reasoning_tokens,
        ),
    )
