from __future__ import annotations

from pathlib import Path

import pytest

from worksmith.retrievers.errors import PdfError
from worksmith.retrievers.texts.pdf import pages

fpdf = pytest.importorskip("fpdf")


def made(*texts: str) -> bytes:
    document = fpdf.FPDF()
    document.set_font("helvetica", size=12)
    for text in texts:
        document.add_page()
        if text:
            document.multi_cell(0, 8, text)
    return bytes(document.output())


def test_each_page_is_a_text(tmp_path: Path) -> None:
    content = made("Leave rules", "", "Twelve casual days")
    (tmp_path / "leave.pdf").write_bytes(content)

    assert pages(tmp_path / "leave.pdf") == ["Leave rules", "", "Twelve casual days"]
    assert pages(content) == pages(str(tmp_path / "leave.pdf"))


@pytest.mark.parametrize("content", [b"", b"hello", b"%PDF-1.7\n", made("text")[:200]])
def test_what_is_no_pdf_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "bad.pdf"
    file.write_bytes(content)

    with pytest.raises(PdfError, match=r"bad\.pdf"):
        pages(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PdfError, match=r"none\.pdf"):
        pages(tmp_path / "none.pdf")


def test_one_bad_page_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    import pypdf

    read = pypdf.PageObject.extract_text

    def broken(page: pypdf.PageObject, *args: object, **kwargs: object) -> str:
        if page.page_number == 1:
            raise KeyError("/Font")
        return str(read(page))

    monkeypatch.setattr(pypdf.PageObject, "extract_text", broken)

    assert pages(made("one", "two", "three")) == ["one", "", "three"]
