"""The files of the code repositories."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from worksmith.tools.kinds.enterprise.generate.code.code_files import CodeFile
from worksmith.tools.kinds.enterprise.generate.draft import Draft


def add_repositories(draft: Draft, files: Sequence[CodeFile]) -> None:
    """Every file as it is at the world's clock, planted faults included."""
    for number, file in enumerate(files):
        numbers = draft.rng("repositories", "copies", number)
        ref = draft.add(
            "repositories",
            file_id=file_id(file),
            repo_name=file.repository.name,
            path=file.path,
            emp_id=file.repository.owner.emp_id,
            language=file.language,
            license=file.repository.license,
            creation_date=file.created,
            size=len(file.text.encode()),
            copies=int(numbers.paretovariate(1.2)),
            hash=sha256(file.text.encode()).hexdigest()[:32],
            code=file.text,
        )
        facts = {"project": file.repository.project.name, "topic": file.repository.topic}
        if file.language != "SQL":  # not called: views and triggers
            facts["functions"] = ", ".join(file.functions)
        draft.latent(ref, file.language, facts)


def file_id(file: CodeFile) -> str:
    """The key of a file: repository and path."""
    return f"{file.repository.name}:{file.path}"
