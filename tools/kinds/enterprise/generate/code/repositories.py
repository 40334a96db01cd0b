"""The files of the code repositories."""

from __future__ import annotations

from hashlib import sha256

from tools.kinds.enterprise.generate.code.code_files import CodeFile, plan_code
from tools.kinds.enterprise.generate.draft import Draft


def add_repositories(draft: Draft) -> None:
    """Every file as it is at the world's clock, planted faults included."""
    for number, file in enumerate(plan_code(draft)):
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
        names = [part.name for part in file.module.parts] if file.module else []
        facts = {"project": file.repository.project.name, "topic": file.repository.topic}
        if names:
            facts["functions"] = ", ".join(names)
        draft.latent(ref, file.language, facts)


def file_id(file: CodeFile) -> str:
    """The key of a file: repository and path."""
    return f"{file.repository.name}:{file.path}"
