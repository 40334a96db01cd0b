"""Calls written as text are read as Python would read them, and nothing is ever run."""

from __future__ import annotations

import ast
import warnings

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tables import each_row
from worksmith.evals.scoring.actions import UnreadableActionError, action_name, format_action, parse_action

toolnames = st.sampled_from(["calendar.create_event", "email.send_email", "analytics.create_plot"])


@given(toolnames, st.dictionaries(st.sampled_from(["body", "query", "time_min"]), st.text()))
@example("email.send_email", {"body": 'She said "go",\n\tthen\\n left\r\0'})
def test_what_is_formatted_is_read_back(tool: str, arguments: dict[str, str]) -> None:
    assert parse_action(format_action(tool, arguments)) == (tool, arguments)


@given(st.text(alphabet='abz"\\\n, =()', max_size=12))
def test_values_are_read_as_python_reads_them(value: str) -> None:
    """The formatting of the original does not escape; either Python agrees, or the action is unreadable."""
    text = f'email.send_email.func(body="{value}")'
    try:
        expected = _as_python(value.replace("\n", "\\n"))
    except (SyntaxError, ValueError):
        with pytest.raises(UnreadableActionError):
            parse_action(text)
    else:
        assert parse_action(text) == ("email.send_email", expected)


def _as_python(inside: str) -> dict[str, str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call = ast.parse(f'f(body="{inside}")', mode="eval").body
        compile(ast.Expression(call), "", "eval")
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)) or call.args:
        raise ValueError
    return {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}


@each_row(
    ("written", "arguments"),
    [
        ('a.b.func(x="None", y="30")', {"x": "None", "y": "30"}),
        ('a.b(x="1")', {"x": "1"}),
        ('  a.b.func(x="1")', {"x": "1"}),
        ('a.b.func(x="two\nlines")', {"x": "two\nlines"}),
        ('a.b.func(x="two\\nlines")', {"x": "two\nlines"}),
        ("a.b.func(x='single', y=3, z=None)", {"x": "single", "y": "3", "z": "None"}),
        ("a.b.func()", {}),
    ],
)
def test_readable(written: str, arguments: dict[str, str]) -> None:
    assert parse_action(written) == ("a.b", arguments)


@each_row(
    "written",
    [
        "",
        "a.b",
        "a.b.func(",
        'a.b.func("positional")',
        "a.b.func(x=y)",
        "a.b.func(x=open('f'))",
        "a.b.func(**{'x': '1'})",
        'a.b.func(x="1", x="2")',
        'a.b.func(x="say "no"")',
        'a.b.other(x="1")',
        'a.b.func.func(x="1")',
        'plain(x="1")',
        "[a.b.func() for _ in range(9)]",
        '__import__("os").system.func(x="1")',
        'a.b.func(x="1\0")',
        "(" * 5000,
    ],
)
def test_unreadable(written: str) -> None:
    with pytest.raises(UnreadableActionError):
        parse_action(written)


@given(st.text())
def test_any_text_is_either_a_call_or_unreadable(text: str) -> None:
    try:
        tool, arguments = parse_action(text)
    except UnreadableActionError:
        return
    assert tool.count(".") == 1
    assert all(isinstance(value, str) for value in arguments.values())


def test_the_name_is_told_even_of_what_cannot_be_read() -> None:
    assert action_name('email.send_email.func(body="say "no"")') == "email.send_email"
    assert action_name("Final Answer") == "Final Answer"
