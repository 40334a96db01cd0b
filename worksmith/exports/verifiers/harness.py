"""The agent of rollouts: a loop over OpenAI's chat API in this process, with the tools of the episode."""

from __future__ import annotations

import ssl
from functools import cache
from typing import TYPE_CHECKING, Any

import httpx
import openai
import verifiers.v1 as vf

from worksmith.evals.lm.failures import failure_status
from worksmith.exports.verifiers.task import EpisodeState, in_thread
from worksmith.tools.statuses import INFRASTRUCTURE

if TYPE_CHECKING:
    from worksmith.exports.verifiers.task import RolloutTrace


@cache
def _tls() -> ssl.SSLContext:
    """One for all rollouts, since each takes a while to make."""
    return httpx.create_ssl_context(trust_env=False)


_DONE = vf.ProgramResult(exit_code=0, stdout="", stderr="")


class SuiteHarness(vf.Harness[vf.HarnessConfig]):
    """Calls tools until the model makes no call, or calls `finish`. The runner counts turns and stops it."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: RolloutTrace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Do the task. A model's failure that is the agent's own doing ends it; others are raised."""
        messages: list[Any] = [
            {"role": "system", "content": data.system_prompt},
            {"role": "user", "content": data.prompt_text},
        ]
        # The runner's server is on this machine, and the runner has the time limits.
        http = httpx.AsyncClient(trust_env=False, verify=_tls(), timeout=httpx.Timeout(None, connect=30))
        async with openai.AsyncOpenAI(base_url=endpoint, api_key=secret, http_client=http) as client:
            try:
                trace.state.end(await _last_message(client, ctx.model, messages, trace.state))
            except openai.APIStatusError as error:
                if trace.stop_condition is None:
                    trace.state.end(failure=error)
                    if failure_status(error) in INFRASTRUCTURE:
                        raise
            except Exception as error:
                trace.state.end(failure=error)
                raise
        return _DONE

    async def cleanup(self, trace: RolloutTrace, runtime: vf.Runtime) -> None:
        if isinstance(trace.state, EpisodeState):
            await trace.state.abandon()


async def _last_message(
    client: openai.AsyncOpenAI, model: str, messages: list[Any], state: EpisodeState
) -> str:
    """The message without calls that ends the task; empty after `finish`."""
    task = state.session.task
    offered: Any = task.tools.openai()
    while task.tools.answer is None:
        reply = await client.chat.completions.create(model=model, messages=messages, tools=offered)
        if reply.usage is not None:
            task.usage.add(reply.usage.prompt_tokens, reply.usage.completion_tokens)
        said = reply.choices[0].message
        if not said.tool_calls:
            return said.content or ""
        messages.append(said.model_dump(exclude_none=True))
        for call in said.tool_calls:
            result = await _called(task.tools, call)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    return ""


async def _called(tools: Any, call: Any) -> str:
    function = call.function
    return await in_thread(lambda: tools.call(function.name, function.arguments))
