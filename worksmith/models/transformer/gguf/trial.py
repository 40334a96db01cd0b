"""Renders three short chats by the chat template on stdin; a script, for a process that may be ended."""

import sys

from transformers.utils.chat_template_utils import render_jinja_template

_TURNS = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Name a fruit."},
    {"role": "assistant", "content": "Apple."},
    {"role": "user", "content": "Another one."},
]

_CALL = {"id": "abcdefghi", "type": "function", "function": {"name": "pick", "arguments": {"tree": "pear"}}}
_CALLS = [
    *_TURNS,
    {"role": "assistant", "content": "", "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "abcdefghi", "name": "pick", "content": "A pear."},
]
_TOOL = {
    "type": "function",
    "function": {"name": "pick", "description": "Pick.", "parameters": {"type": "object", "properties": {}}},
}


def main() -> None:
    template = sys.stdin.read()
    shown = {"chat_template": template, "add_generation_prompt": True, "bos_token": "", "eos_token": ""}
    plain, _ = render_jinja_template([_TURNS[:2], _TURNS], **shown)
    if not all("Name a fruit." in text and "Be brief." in text for text in plain):
        raise ValueError("it leaves turns out")
    if sys.argv[1:]:
        render_jinja_template([_CALLS], tools=[_TOOL], **shown)


main()
