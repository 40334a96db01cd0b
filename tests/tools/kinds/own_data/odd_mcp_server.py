"""An MCP server that starts at once and misbehaves: written without the SDK, which would not let it."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

TOOLS = [
    "die",
    "garbage",
    "long",
    "number",
    "refuse",
    "secret",
    "stay",
    "trouble",
    *os.environ.get("MORE", "").split(),
]
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "x", "version": "1"},
}


def text(said: str) -> dict[str, Any]:
    return {"result": {"content": [{"type": "text", "text": said}]}}


def reply(method: str, tool: str) -> dict[str, Any]:
    match method, tool:
        case "initialize", _:
            return {"result": HELLO}
        case "tools/list", _:
            return {
                "result": {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]}
            }
        case _, "die":
            sys.stderr.write("I am dying\n")
            os._exit(3)
        case _, "stay":
            time.sleep(3.5)
            return text("late")
        case _, "garbage":
            return {"result": {"content": "no list"}}
        case _, "refuse":
            return {"error": {"code": -32602, "message": "refuse takes nothing"}}
        case _, "trouble":
            return {"error": {"code": -32603, "message": "out of order"}}
        case _, "long":
            return text("x" * 60_000)
        case _, "number":
            return text(str(os.getpid()))
        case _, "secret":
            return text(os.environ.get("WEATHER_KEY", "") + os.environ.get("OPENAI_API_KEY", ""))
    return {"error": {"code": -32601, "message": "no such method"}}


for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        said = reply(asked["method"], asked.get("params", {}).get("name", ""))
        sys.stdout.write("no JSON\n" + json.dumps({"jsonrpc": "2.0", "id": asked["id"], **said}) + "\n")
        sys.stdout.flush()

time.sleep(float(os.environ.get("STAYS", "0")))
