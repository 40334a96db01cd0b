"""The file that an upload keeps: a world's ids with those of the org that it was moved to."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools.errors import InputError
from tools.files.json_files import cut_torn_line, read_lines

FORMAT = "worksmith-org-ids/1"


class IdFile:
    """The journal of an upload: what was about to be sent, and which ids came back.

    Its first line names world and org. Every line is on the disk before the next step, so that whoever
    goes on after a crash knows what was under way.

    Attributes:
        theirs: their id by ours, of all records so far.
        looked: whether it has been noted what the org had before.
        there: by object the ids of records that it had.
        under_way: object and our ids of records that were sent without an answer on record.
        finished: names of steps that need not be done again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.theirs: dict[str, str] = {}
        self.there: dict[str, list[str]] = {}
        self.under_way: tuple[str, list[str]] | None = None
        self.finished: set[str] = set()
        self.looked = False
        self.world = ""
        self.org = ""

    @classmethod
    def new(cls, path: Path, world: str, org: str) -> IdFile:
        """An empty one.

        Raises:
            InputError: there is one already.
        """
        if os.path.lexists(path):
            raise InputError("there is one already", where=str(path), hint="--resume goes on with it")
        file = cls(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        file.note({"format": FORMAT, "world": world, "org": org})
        return file

    @classmethod
    def read(cls, path: Path) -> IdFile:
        """One that is there. A last line that was cut off by a crash does not count.

        Raises:
            InputError: it cannot be read, or is no such file.
        """
        file = cls(path)
        try:
            entries = [entry for _, entry in read_lines(path, "a file of ids", appended=True)]
            head, rest = entries[0], entries[1:]
            if head["format"] != FORMAT:
                raise ValueError(f"format {head['format']!r}")
            file.world, file.org = str(head["world"]), str(head["org"])
            for entry in rest:
                file._take(entry)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            raise InputError(f"not a file of ids: {error}", where=str(path)) from error
        cut_torn_line(path)
        return file

    def note(self, entry: Mapping[str, Any]) -> None:
        """Add a line; it is on the disk when this returns."""
        if "format" in entry:
            self.world, self.org = entry["world"], entry["org"]
        else:
            self._take(entry)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _take(self, entry: Mapping[str, Any]) -> None:
        if "there" in entry:
            self.looked = True
            self.there = {name: list(ids) for name, ids in entry["there"].items()}
        if "sending" in entry:
            self.under_way = (str(entry["object"]), list(entry["sending"]))
        if "ids" in entry:
            self.theirs.update(entry["ids"])
            self.under_way = None
        if "finished" in entry:
            self.finished.add(str(entry["finished"]))
