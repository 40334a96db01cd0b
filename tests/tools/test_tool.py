"""How a tool shows itself."""

from __future__ import annotations

import pytest

from tests.tools.notes import KIT
from worksmith.tools.errors import InputError
from worksmith.tools.tool import BadArgumentsError, Tool, ToolText, tool, toolset
from worksmith.tools.tool_context import ToolContext

SEARCH, ADD = KIT.tools[:2]


def test_as_text() -> None:
    assert SEARCH.text == (
        "notes.search(text=''): Find notes whose text contains a word.\n  text: the word; empty finds all."
    )


def test_null_leaves_an_optional_argument_out_and_a_required_one_unsaid() -> None:
    assert SEARCH.validate({"text": None}) == {"text": ""}
    with pytest.raises(BadArgumentsError, match="text"):
        ADD.validate({"text": None})


def test_arguments_that_the_tool_takes_become_plain_ones_and_others_stay() -> None:
    assert SEARCH.plain({"text": None}) == {}
    assert SEARCH.plain({"text": 7}) == {"text": "7"}
    assert ADD.plain({"text": None, "other": 1}) == {"text": None, "other": 1}


def test_as_json_schema() -> None:
    assert ADD.parameters["required"] == ["text"]
    assert set(ADD.parameters["properties"]) == {"text", "owner"}


def test_other_texts_change_what_is_read_and_nothing_else() -> None:
    told = ADD.described(ToolText(description="Write\nit down.", arguments={"text": "what to keep"}))
    assert told.text.splitlines()[0].endswith(": Write it down.")
    assert "  text: what to keep" in told.text.splitlines()
    plain, shown = ADD.parameters, told.parameters
    assert shown["properties"]["text"]["description"] == "what to keep"
    for schema in (plain, shown):
        bare = {n: {**p, "description": ""} for n, p in schema["properties"].items()}
        assert {**schema, "properties": bare} == {
            **plain,
            "properties": {n: {**p, "description": ""} for n, p in plain["properties"].items()},
        }
    assert told.validate({"text": "milk"}) == ADD.validate({"text": "milk"})
    assert "what to keep" not in ADD.text
    with pytest.raises(InputError, match=r"notes\.add has no argument 'wings'"):
        ADD.described(ToolText(arguments={"wings": "two"}))


def test_a_function_without_docstring_is_no_tool() -> None:
    @tool()
    def mute(ctx: ToolContext) -> str:
        return ""

    with pytest.raises(TypeError, match="no docstring"):
        Tool("notes", mute)


def test_an_argument_has_no_name_that_means_something_else() -> None:
    @tool()
    def look(ctx: ToolContext, model_config: str) -> str:
        """Look."""
        return model_config

    with pytest.raises(InputError, match=r"notes\.look: no argument can be called model_config"):
        Tool("notes", look)


def test_an_unknown_toolkit_is_refused() -> None:
    with pytest.raises(InputError, match="no toolkit 'flights'"):
        toolset([KIT], ["flights"])
