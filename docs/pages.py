"""What `docs/README.md` lists: the navigation of the site, and `llms.txt`.

    python -m docs.pages     writes llms.txt

mkdocs calls the functions `on_...`. The site has copies of the files outside `docs/` that pages link to.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
INDEX = DOCS / "README.md"
LLMS = ROOT / "llms.txt"

_ENTRY = re.compile(r"^- \[(.+?)\]\((.+?)\): (.+)$", re.MULTILINE)
_LINK = re.compile(r"(\]\()(?!\w+:|#)([^)\s#]+)((?:#[^)\s]*)?\))")
_HEAD = """\
# worksmith

> worksmith compiles DSPy agents on your tables, tools and tasks, under your access rules and your budget, and
> measures whether that helped.
"""


def sections() -> list[tuple[str, list[tuple[str, str, str]]]]:
    """The sections of the index; each page has its title, its path from `docs/` and a line about it."""
    _, *parts = re.split(r"^## ", INDEX.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [(part.partition("\n")[0], _ENTRY.findall(part)) for part in parts]


def llms_txt() -> str:
    """The index in the form of llmstxt.org."""
    text = _HEAD
    for title, pages in sections():
        text += f"\n## {title}\n\n"
        for name, path, about in pages:
            text += f"- [{name}]({os.path.relpath(DOCS / path, ROOT)}): {about}\n"
    return text


def on_config(config: Any) -> Any:
    """Set the navigation."""
    config.nav = [{"Documentation": "README.md"}]
    for title, pages in sections():
        config.nav.append({title: [{name: _in_site(DOCS / path)} for name, path, _ in pages]})
    names = sorted(page.name for page in DOCS.glob("api/*.md") if page.stem != "README")
    config.nav.append({"Names of the Python API": [f"api/{name}" for name in names]})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add what pages link to outside `docs/`."""
    from mkdocs.structure.files import File

    waiting, seen = sorted(DOCS.rglob("*.md")), set[Path]()
    while waiting:
        page = waiting.pop()
        for target in map(page.parent.joinpath, _targets(page)):
            file = target.resolve()
            if file in seen or file.is_relative_to(DOCS) or not file.is_file():
                continue
            seen.add(file)
            files.append(File.generated(config, _in_site(file), abs_src_path=str(file)))
            if file.suffix == ".md":
                waiting.append(file)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Lead links to where their targets are in the site."""
    here = page.file.src_uri
    file = ROOT / here.removeprefix("repository/") if here.startswith("repository/") else DOCS / here

    def moved(link: re.Match[str]) -> str:
        target = (file.parent / link[2]).resolve()
        if target.is_dir():
            target = target / "README.md"
        return f"{link[1]}{os.path.relpath(_in_site(target), os.path.dirname(here) or '.')}{link[3]}"

    return _LINK.sub(moved, markdown)


def _targets(page: Path) -> list[str]:
    return [link[1] for link in _LINK.findall(page.read_text(encoding="utf-8"))]


def _in_site(file: Path) -> str:
    file = file.resolve()
    if file.is_relative_to(DOCS):
        return file.relative_to(DOCS).as_posix()
    return f"repository/{file.relative_to(ROOT).as_posix()}"


if __name__ == "__main__":
    LLMS.write_text(llms_txt(), encoding="utf-8")
