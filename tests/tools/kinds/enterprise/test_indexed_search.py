"""Search in episodes over an index with vectors, a weak and fast model's."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.tools.kinds.enterprise.small_world import CEO, GITA, HR_MANAGER, write_small_world
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.enterprise.documents import open_library

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    from worksmith.retrievers.index.building import build_index

    world = write_small_world(tmp_path_factory.mktemp("indexed"))
    library = open_library(world)
    assert library.directory is not None
    build_index(library.directory, library.documents, embedder="static", version=world.manifest.digest)
    return Environment.open(world.path)


def hits(env: Environment, who: str, changeset: bytes = b"", **arguments: Any) -> list[str]:
    episode = env.episode(persona=env.persona(who))
    episode.changeset = changeset
    observation = episode.call("conversations.read", arguments)
    assert observation.status == "ok", observation.text
    return [record["conversation_id"] for record in observation.value["records"]]


def test_everything_that_may_be_read_is_ranked_and_nothing_else(indexed: Environment) -> None:
    assert indexed.library is not None
    assert indexed.library.indexed
    assert hits(indexed, GITA, query="release of the parser") == ["CV-00001", "CV-00002"]
    assert hits(indexed, HR_MANAGER, query="release of the parser") == ["CV-00003"]
    assert hits(indexed, CEO, query="release of the parser") == []


def test_the_episode_s_own_writes_are_ranked_by_their_new_texts(indexed: Environment) -> None:
    episode = indexed.episode(persona=indexed.persona(GITA))
    episode.call("conversations.create", {"recipient": "Hari", "text": "A zeppelin lands on the roof."})
    episode.call("conversations.update", {"conversation_id": "CV-00001", "text": "Lunch is late."})
    episode.call("conversations.delete", {"conversation_id": "CV-00002"})

    assert hits(indexed, GITA, episode.changeset, query="zeppelin on the roof", limit=1) == ["CV-00004"]
    assert sorted(hits(indexed, GITA, episode.changeset, query="parser")) == ["CV-00001", "CV-00004"]
    assert hits(indexed, CEO, episode.changeset, query="zeppelin on the roof") == []


def test_an_index_over_another_world_is_not_searched(indexed: Environment) -> None:
    from worksmith.retrievers.errors import RetrievalError
    from worksmith.retrievers.index.library import Library

    assert indexed.library is not None
    other = Library(indexed.library.directory, indexed.library.documents, version="another")

    with pytest.raises(RetrievalError, match="another version"):
        other.collection("conversations")


def test_a_damaged_index_is_no_answer_to_be_graded(indexed: Environment, tmp_path: Path) -> None:
    from worksmith.evals.lm.failures import failure_status
    from worksmith.retrievers.errors import RetrievalError

    suite = tmp_path / "copy"
    shutil.copytree(indexed.world.path, suite)
    [file] = (suite / "index" / "arrays").glob("conversations-*.npz")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)

    with pytest.raises(RetrievalError, match="build the index again") as error:
        hits(Environment.open(suite), GITA, query="release of the parser")
    assert failure_status(error.value) == "harness_error"
