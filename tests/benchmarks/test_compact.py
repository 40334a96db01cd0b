"""The benchmark of compact prompts, in its quick form and with characters for tokens."""

from __future__ import annotations

import pytest

import benchmarks.compact as benchmark


@pytest.mark.slow
def test_compact_prompts_have_fewer_tokens_for_the_same_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    by = (lambda chat: sum(len(each["content"]) for each in chat) // 4, "a quarter of the characters")
    monkeypatch.setattr(benchmark, "_counter", lambda: by)

    [found] = benchmark.run(quick=True)["worlds"].values()

    assert found["text"]["tasks"] == found["compact"]["tasks"] == 2
    assert 3 * found["compact"]["an_episode"] < found["text"]["an_episode"]
