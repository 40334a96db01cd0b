"""The index behind nearest demonstrations."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import dspy

from worksmith.evals.dspy_programs.nearest import NearestPredict, NearestSettings, text_index

TEXTS = {f"{number}": f"Close ticket {number} for Ann" for number in range(50)}


def test_threads_that_ask_for_the_same_texts_share_one_index() -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: text_index(dict(TEXTS), "lexical", {}), range(8)))

    assert len({id(index) for index in found}) == 1


def test_other_kin_have_another_index() -> None:
    alone = text_index(TEXTS, "lexical", {})

    assert text_index(TEXTS, "lexical", {"1": "close", "2": "close"}) is not alone


def test_the_same_words_of_another_person_are_another_request() -> None:
    demos = [
        dspy.Example(context=f"Working for: {who}.", task="Close it.", tool=who) for who in ("Ann", "Bo")
    ]
    asked = {"context": "Working for: Bo.\n\nOrders close at 9.", "task": "close  IT."}
    for asker, tools in (("context", ["Ann"]), ("", [])):
        predict = NearestPredict(
            dspy.Signature("context, task -> tool"), NearestSettings("task", 2, asker=asker)
        )
        predict.demos = demos
        assert [demo.tool for demo in predict.nearest_demos(asked)] == tools
