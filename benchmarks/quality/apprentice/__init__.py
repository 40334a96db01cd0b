"""The recipe of `local/apprentice`: worlds by seed, documents of several conversations, training, a check.

    python -m benchmarks apprentice                        # a small one, in minutes on two cores
    python -m benchmarks apprentice --whole --work big     # one like the shipped one, on a GPU of 80 GB

The figures compare the model before and after, on worlds of seeds that it was not trained on: the loss, and
the share of replies that are right to the last token where the true replies stand before them. `plain` has
no demonstrations, `before` has them, in `renamed` all tools and arguments have new names as well.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.quality.apprentice.projects import Project
from worksmith.evals.lm.named import SMOLLM2
from worksmith.tools.seeding import rng

DESCRIPTION = "the recipe of the packaged model: it trains a small one, and measures it on worlds held out"

_HELD = 100_000
"""The first seed of the worlds held out."""

_FORMS: dict[str, dict[str, Any]] = {
    "plain": {"conversations": 1},
    "before": {"near": 1.0},
    "renamed": {"near": 1.0, "renamed": 1.0},
}
"""Options of the documents held out; of the last two those count whose origin has the name."""


@dataclass(frozen=True)
class Form:
    """The size of a run.

    Attributes:
        worlds: their number by kind; `project` is drawn own data.
        held: projects held out.
        documents, checked: to train on, and of each form held out.
        conversations, tokens: most of a document.
        batch: tokens of a step.
        rate: the highest learning rate.
    """

    worlds: dict[str, int]
    held: int
    documents: int
    checked: int
    conversations: int
    tokens: int
    batch: int = 1_500
    steps: int = 32
    rate: float = 6e-4


SMALL = Form({"project": 12, "office": 1}, held=3, documents=90, checked=12, conversations=3, tokens=1_000)
QUICK = replace(SMALL, worlds={"project": 3}, held=1, documents=12, checked=6, steps=6)
WHOLE = Form(
    {"project": 296, "office": 126, "crm": 5, "enterprise": 2},
    held=24,
    documents=38_370,
    checked=700,
    conversations=7,
    tokens=3_000,
    batch=131_072,
    steps=1_094,
    rate=5e-4,
)


def run(quick: bool, *, whole: bool = False, work: Path | None = None) -> dict[str, Any]:
    """Train a model and measure it.

    Args:
        whole: make the big one.
        work: the folder for worlds, data and model; what is there is used again. A temporary one by default.
    """
    form = WHOLE if whole else QUICK if quick else SMALL
    if work is not None:
        return study(form, work)
    with tempfile.TemporaryDirectory() as folder:
        return study(form, Path(folder))


def study(form: Form, work: Path, model: str = SMOLLM2) -> dict[str, Any]:
    """The recipe in one of its forms, from a model."""
    from worksmith.exports.training import sft
    from worksmith.jobs.settings.training import TrainSftSettings
    from worksmith.training.folder import UNFINISHED
    from worksmith.training.job import train

    work.mkdir(parents=True, exist_ok=True)
    worlds = [_world(work, kind, seed) for kind, count in form.worlds.items() for seed in range(count)]
    held = [_world(work, "project", _HELD + at) for at in range(form.held)]
    documents: dict[str, Any] = {
        "conversations": form.conversations,
        "document_tokens": form.tokens,
        "tokenizer": model,
        "leave_out": True,
        "force": True,
    }
    data = work / "train.jsonl"
    made = sft(worlds, out=data, documents=form.documents, near=0.7, renamed=0.6, **documents)
    for name, options in _FORMS.items():
        sft(held, out=work / f"{name}.jsonl", documents=form.checked, **{**documents, **options})
    out = work / "model"
    trained = train(
        TrainSftSettings(
            model=model,
            data=data,
            out=out,
            tune="full",
            form="difference",
            epochs=1_000,
            max_steps=form.steps,
            learning_rate=form.rate,
            batch_tokens=form.batch,
            max_length=2 * form.tokens,
            packing=True,
            track=False,
            recompute=form is WHOLE,
            resume=(out / UNFINISHED).is_file(),
            force=not (out / UNFINISHED).is_file(),
        )
    )
    (file,) = made.card.files
    return {
        "form": asdict(form),
        "rows": {"conversations": file.conversations, "renamed": file.renamed},
        "trained_tokens": trained.trained_tokens,
        "taught_share": round(trained.taught_tokens / trained.tokens, 3),
        "tokens_per_second": trained.tokens_per_second,
        "held_out": _held_out(work, model, out),
    }


def _world(work: Path, kind: str, seed: int) -> Path:
    """The suite or project of a seed."""
    place = work / f"{kind}-{seed}"
    if kind == "project":
        Project(place, seed).write()
    if place.is_dir():
        return place
    from worksmith.jobs.building import build
    from worksmith.jobs.settings.suites import BuildSettings

    today = date(2019, 1, 1) + timedelta(days=rng(seed, "today").randrange(2_900))
    options: dict[str, dict[str, Any]] = {
        "office": {"options": {"today": str(today), "wordings": "many" if seed % 4 else "few"}},
        "crm": {"scale": 0.3},
        "enterprise": {"scale": 0.06, "options": {"train": 1_500}},
    }
    build(BuildSettings(kind=kind, out=place, seed=seed, **options[kind]))
    return place


def _held_out(work: Path, model: str, out: Path) -> dict[str, Any]:
    """The figures of each form before and after, by the difference as it was written."""
    from worksmith.models.transformer.difference import add
    from worksmith.training.encoding import TokenEncoder
    from worksmith.training.rows import read_data
    from worksmith.training.start import open_base, open_start, open_tokenizer

    start = open_start(model)
    encoder, weights = TokenEncoder(open_tokenizer(start)), open_base(start).eval()
    forms = {
        name: [
            encoder.encode(row)
            for row in read_data(work / f"{name}.jsonl", preferences=False).rows
            if name == "plain" or name in row.origin
        ]
        for name in _FORMS
    }
    before = {name: _measured(weights, examples) for name, examples in forms.items()}
    add(weights, out)
    return {
        name: {"before": before[name], "after": _measured(weights, examples)}
        for name, examples in forms.items()
    }


def _measured(model: Any, examples: Sequence[Any]) -> dict[str, Any]:
    """The mean loss of the taught tokens, and the share of replies of which each token is the likeliest."""
    import torch
    from torch.nn.functional import cross_entropy

    from worksmith.training.encoding import UNTAUGHT

    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.to(device)
    loss, taught, replies = 0.0, 0, list[bool]()
    for example in examples:
        labels = torch.tensor(example.labels[1:], device=device)
        with torch.no_grad():
            logits = model(torch.tensor([example.tokens[:-1]], device=device)).logits[0]
        right, at = (logits.argmax(-1) == labels).tolist(), 0
        loss += float(cross_entropy(logits, labels, ignore_index=UNTAUGHT, reduction="sum"))
        for in_reply, tokens in groupby(labels != UNTAUGHT, bool):
            length = len(list(tokens))
            if in_reply:
                replies.append(all(right[at : at + length]))
                taught += length
            at += length
    model.to("cpu")
    share = round(sum(replies) / len(replies), 3)
    return {"loss": round(loss / taught, 4), "right": share, "of": len(replies)}
