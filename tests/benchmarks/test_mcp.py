"""Malformed messages neither stop the MCP server nor change what an episode did."""

from __future__ import annotations

import pytest

from benchmarks import mcp


@pytest.mark.slow
def test_malformed_messages_change_nothing() -> None:
    pytest.importorskip("mcp")
    figures = mcp.run(quick=True)

    for transport in ("stdio", "http"):
        found = figures[transport]
        assert (found["exit_code"], found["tracebacks"], found["score"]) == (0, 0, 1.0)
    assert figures["http"]["server_errors"] == 0
    assert len({*figures["stdio"]["outcomes"], *figures["http"]["outcomes"]}) == 1
    assert figures["stdio"]["replies"]["error"] > 20
