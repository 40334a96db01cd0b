"""Any command, in any language, that speaks JSON lines over stdin and stdout; AGENT_COMMAND names it.

It reads {"task", "instructions", "tools"}, writes {"call": NAME, "arguments": {...}} and reads {"result"}, as
often as it likes, and at last writes {"answer": TEXT}, with "status" where the
world wants one.
"""

import json
import os
import shlex
import subprocess
from contextlib import suppress

import worksmith as ws


class TooManyStepsError(Exception):
    """The command goes on and on."""

    episode_status = "step_limit"


def agent(task: ws.AgentTask) -> ws.Answer:
    """Hand the task to the command, and make the calls that it asks for."""
    command = shlex.split(os.environ["AGENT_COMMAND"])
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        said = {"task": task.text, "instructions": task.instructions, "tools": task.tools.openai()}
        try:
            for _ in range(task.max_steps):
                with suppress(BrokenPipeError):  # it has ended, perhaps after its answer
                    print(json.dumps(said), file=process.stdin, flush=True)
                line = json.loads(process.stdout.readline() or "{}")
                if "usage" in line:  # [prompt tokens, completion tokens] of a request to a model
                    task.usage.add(*line["usage"])
                if "answer" in line:
                    return ws.Answer(line["answer"], line.get("status", "answered"))
                if "call" not in line:
                    raise RuntimeError("the command ended without an answer")
                said = {"result": task.tools.call(line["call"], line["arguments"])}
            raise TooManyStepsError(task.max_steps)
        finally:
            process.kill()
