"""The engine that `dspy.LM` calls: a request in, the reply that the demonstrations suggest out."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.models.analogy import bare, follow
from worksmith.models.analogy.reading.prompt import Layout, Prompt, count_tokens, read_request

if TYPE_CHECKING:
    from dspy.lm15 import Request, Response


class AnalogyEngine:
    """A model without weights that follows the demonstrations of its prompt. Not a language model.

    It sees the request and nothing else, keeps nothing between requests but bounded caches of parsed
    demonstrations, and gives the same reply to the same request, in any thread or process.

    Attributes:
        formats: the adapters of DSPy's whose prompts it can read, by name.
    """

    formats = ("ChatAdapter",)
    supports_function_calling = True

    @property
    def digest(self) -> str:
        """Changes when the engine's code does; belongs in the model string, by which replies are cached."""
        return _source_digest()

    def complete(self, request: Request) -> Response:
        """The reply to `request`, in the format that its demonstrations or its system text show."""
        from dspy.lm15 import Message, Response, TextPart, Usage

        prompt = read_request(request)
        fields = reply(prompt)
        text = render(fields, prompt.layout)
        spent = count_tokens(text)
        native = prompt.calls is not None
        return Response(
            id=None,
            model=request.model,
            message=Message.assistant(parts(fields, prompt) if native else [TextPart(text)]),
            finish_reason="tool_call" if native else "stop",
            usage=Usage(input_tokens=prompt.tokens, output_tokens=spent, total_tokens=prompt.tokens + spent),
        )

    def dump_state(self) -> dict[str, Any]:
        """The state of a saved program's model: the version."""
        return {"engine": "analogy", "digest": self.digest}

    def load_state(self, state: dict[str, Any]) -> None:
        """Accept what `dump_state` gave; an engine has no state of its own."""


def reply(prompt: Prompt) -> dict[str, Any]:
    if prompt.demos:
        return follow.reply(prompt)
    return bare.reply(prompt)


def parts(fields: dict[str, Any], prompt: Prompt) -> list[Any]:
    """The parts of a native reply: the text beside the calls, if any, and the calls."""
    from dspy.lm15 import TextPart, ToolCallPart

    layout, so_far = prompt.layout, prompt.calls or 0
    if layout.arguments is not None:
        calls = [(fields[layout.tool or ""], fields[layout.arguments])]
        beside = [text for name, text in fields.items() if name not in (layout.tool, layout.arguments)]
    else:
        listed = [each for name in layout.lists for each in fields[name] if isinstance(each, dict)]
        calls = [(each.get("tool"), each.get("arguments")) for each in listed]
        beside = [text for name, text in fields.items() if name not in layout.lists]
    made = [(name, given) for name, given in calls if name and isinstance(given, dict)]
    if not made:
        closing = bare.closing(prompt.tools)
        made = [(closing.name, dict.fromkeys(closing.arguments, ""))]
    return [
        *(TextPart(text) for text in beside if text),
        *(ToolCallPart(f"call{so_far + number:05}", *call) for number, call in enumerate(made)),
    ]


def render(fields: dict[str, Any], layout: Layout) -> str:
    if layout.as_json:
        return json.dumps(fields, ensure_ascii=False)
    texts = {n: v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for n, v in fields.items()}
    if list(texts) == [""]:
        return texts[""]
    blocks = [f"[[ ## {name} ## ]]\n{text}" for name, text in texts.items()]
    if layout.end:
        blocks.append(f"[[ ## {layout.end} ## ]]")
    return "\n\n".join(blocks)


@lru_cache(maxsize=1)
def _source_digest() -> str:
    total = hashlib.sha256()
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("*.py")):
        total.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:12]
