"""The notebook runs from its first cell to its last, and shows each result once, shortly, as a table."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from worksmith.tools.view import LINES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "examples" / "tutorial.ipynb"
RECORDED = "from docs.replies import answer_from_records\nanswer_from_records()"
PAGE, OUTPUTS = 12_000, 60_000
"""The most characters of one output, and of all."""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> nbformat.NotebookNode:
    """The notebook after a run by a kernel, whose model answers from records."""
    folder = tmp_path_factory.mktemp("notebook")
    shutil.copytree(NOTEBOOK.parent / "helpdesk", folder / "helpdesk")
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(book)
    book.cells.insert(0, nbformat.v4.new_code_cell(RECORDED))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(book, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    assert (folder / "report.html").stat().st_size > 10_000
    book.cells = [cell for cell in book.cells[1:] if cell.cell_type == "code"]
    return book


def test_each_cell_shows_its_result_once(ran: nbformat.NotebookNode) -> None:
    for cell in ran.cells:
        *before, last = [each.output_type for each in cell.outputs]
        assert last == "execute_result", cell.source
        assert before in ([], ["display_data"]), cell.source  # its progress


def test_outputs_are_short_and_complete(ran: nbformat.NotebookNode) -> None:
    found = [each for cell in ran.cells for each in cell.outputs]
    for output in found:
        assert len(output.data["text/plain"].split("\n")) <= LINES
        assert len(output.data.get("text/html", "")) <= PAGE
    assert sum(len(str(output.data)) for output in found) <= OUTPUTS
    everything = "".join(str(output.data) for output in found)
    for trouble in ("Traceback", "Warning", "object at 0x"):
        assert trouble not in everything
    for shown in ("37.5 [13.7, 69.4] %", "chosen: covering-0", "lifted as it is from 37.5 to 100.0 %"):
        assert shown in everything


def test_the_notebook_in_the_repository_has_these_outputs(ran: nbformat.NotebookNode) -> None:
    kept = [cell for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code"]
    assert [[{*each.data} for each in cell.outputs] for cell in kept] == [
        [{*each.data} for each in cell.outputs] for cell in ran.cells
    ]
