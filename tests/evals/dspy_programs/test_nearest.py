"""The index behind nearest demonstrations."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from worksmith.evals.dspy_programs.nearest import text_index

TEXTS = {f"{number}": f"Close ticket {number} for Ann" for number in range(50)}


def test_threads_that_ask_for_the_same_texts_share_one_index() -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: text_index(dict(TEXTS), "lexical", {}), range(8)))

    assert len({id(index) for index in found}) == 1


def test_other_kin_have_another_index() -> None:
    alone = text_index(TEXTS, "lexical", {})

    assert text_index(TEXTS, "lexical", {"1": "close", "2": "close"}) is not alone
