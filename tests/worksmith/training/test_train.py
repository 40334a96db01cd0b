"""Training a tiny model by the command line: it learns, and a kill changes nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM

from tests.worksmith.training.tiny import dpo_rows, sft_rows, turn, write_rows, write_tiny_model
from worksmith.evals.tracking import Run, Tracker
from worksmith.evals.tracking.opening import open_tracker
from worksmith.evals.tracking.reaching import TrackingError
from worksmith.jobs.settings.training import TrainDpoSettings, TrainSftSettings
from worksmith.models.resolve import resolve
from worksmith.models.transformer.difference import add, encoded
from worksmith.models.transformer.manifest import DIFFERENCE, MANIFEST, read_manifest
from worksmith.tools.errors import InputError, Notice
from worksmith.training.folder import UNFINISHED, last_checkpoint
from worksmith.training.forecast import forecast
from worksmith.training.job import Trained, train
from worksmith.training.start import open_start

pytestmark = pytest.mark.slow

_WEIGHTS = "adapter_model.safetensors"
_OPTIONS: dict[str, Any] = {"tune": "lora-all", "learning_rate": 0.03, "epochs": 8}
"""With which the adapter learns."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("training")
    write_tiny_model(folder / "base")
    write_rows(folder / "sft.jsonl", sft_rows())
    write_rows(folder / "dpo.jsonl", dpo_rows())
    return folder


def _sft(place: Path, out: str, **others: Any) -> TrainSftSettings:
    given = {"model": str(place / "base"), "batch_tokens": 400, "track": False, "precision": "float32"}
    return TrainSftSettings(data=place / "sft.jsonl", out=place / out, **{**given, **others})


@pytest.fixture(scope="module")
def trained(place: Path) -> Trained:
    """An adapter, with its figures in MLflow."""
    store = f"sqlite:///{place}/mlflow.db"
    return train(_sft(place, "sft", tracking_uri=store, track=True, **_OPTIONS))


def test_an_adapter_learns_and_is_written_with_its_card(place: Path, trained: Trained) -> None:
    first, last = trained.loss
    assert last < 0.5 * first
    manifest = read_manifest(place / "sft")
    assert (manifest.weights, manifest.base.name) == ("adapter", str(place / "base"))
    assert not (place / "sft" / UNFINISHED).exists()


def test_a_trained_adapter_opens_as_a_model_and_answers(trained: Trained) -> None:
    assert resolve(f"local/{trained.out}")("Number 3?")[0].startswith("It is ")


def test_mlflow_has_the_curve(place: Path, trained: Trained) -> None:
    tracker: Any = open_tracker(f"sqlite:///{place}/mlflow.db")
    assert trained.run is not None
    steps = {
        name: [each.step for each in tracker.client.get_metric_history(trained.run, name)]
        for name in ("loss", "learning_rate", "tokens_per_second")
    }
    assert all({1, trained.steps} <= set(found) for found in steps.values())


class Gone(Run):
    """A run whose store is gone as soon as it is made."""

    @property
    def id(self) -> str:
        return "a" * 32

    def metrics(self, values: Mapping[str, float], *, step: int = 0, split: str = "") -> None:
        raise TrackingError("nobody answers")


class GoneTracker(Tracker):
    def start(self, *_: Any, **__: Any) -> Run:
        return Gone()


def test_a_training_goes_on_without_mlflow(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worksmith.training.job.open_tracker", lambda *_, **__: GoneTracker())
    with pytest.warns(Notice, match="the run goes on without MLflow: nobody answers"):
        found = train(_sft(place, "alone", max_steps=1, track=True))
    assert found.run is None
    assert read_manifest(found.out).weights == "adapter"

    named = _sft(place, "named", max_steps=1, track=True, register_as="mine")
    with pytest.warns(Notice), pytest.raises(TrackingError, match="the result is written, but MLflow failed"):
        train(named)
    assert read_manifest(named.out).weights == "adapter"


def test_an_adapter_is_trained_further_by_preferences(place: Path, trained: Trained) -> None:
    given: dict[str, Any] = {"tune": "lora-all", "track": False, "batch_tokens": 1_000, "learning_rate": 0.01}
    settings = TrainDpoSettings(
        model=str(trained.out), data=place / "dpo.jsonl", out=place / "dpo", epochs=3, **given
    )
    found = train(settings)
    assert found.loss[0] == pytest.approx(0.693, abs=0.01)  # at the start it is its own reference
    assert found.loss[1] < 0.6
    assert read_manifest(place / "dpo").base == read_manifest(place / "sft").base
    with pytest.raises(InputError, match="--tune lora-all --rank 16"):
        train(settings.model_copy(update={"tune": "lora", "out": place / "other"}))


def test_a_whole_model_is_trained_with_frozen_embeddings(place: Path) -> None:
    from safetensors.torch import load_file

    train(_sft(place, "full", tune="full", packing=True, max_steps=3))
    before = load_file(place / "base" / "model.safetensors")
    after = load_file(place / "full" / "model.safetensors")
    same = {name for name, weights in before.items() if weights.equal(after[name])}
    assert same == {"model.embed_tokens.weight"}
    assert read_manifest(place / "full").weights == "whole"


def test_a_difference_is_derived_from_a_trained_model_to_the_same_bytes(place: Path) -> None:
    """Training writes what the trained model and its base give, and the sum of both answers as the model."""
    from torch.nn.functional import cosine_similarity

    base = str(write_tiny_model(place / "wide", width=64))
    given: dict[str, Any] = {"model": base, "tune": "full", "epochs": 6, "learning_rate": 0.01}
    whole = train(_sft(place, "whole", **given))
    small = train(_sft(place, "small", form="difference", **given)).out
    manifest = read_manifest(small)
    assert (manifest.weights, manifest.base.name) == ("difference", base)
    assert open_start("local/apprentice").form == "difference"

    models = [AutoModelForCausalLM.from_pretrained(place / name) for name in ("wide", "whole", "wide")]
    save_file(encoded(*models[:2]), place / DIFFERENCE)
    assert (place / DIFFERENCE).read_bytes() == (small / DIFFERENCE).read_bytes()
    add(models[2], place)
    asked = torch.arange(3, 40)[None]
    with torch.no_grad():
        before, tuned, again = (model(asked).logits.flatten() for model in models)
    # Two bits keep nine tenths of a normally distributed difference, so of the logits' as well.
    assert cosine_similarity(again - before, tuned - before, dim=0) > 0.9
    assert (again - tuned).norm() < 0.45 * (tuned - before).norm()

    answer = resolve(f"local/{small}")("Number 3?")[0]
    assert answer == resolve(f"local/{place}/whole")("Number 3?")[0]
    further = train(_sft(place, "further", form="difference", **{**given, "model": f"local/{small}"}))
    assert further.loss[0] < whole.loss[0] / 2
    assert read_manifest(further.out).base == manifest.base
    with pytest.raises(InputError, match="not a multiple of 64"):
        train(_sft(place, "narrow", tune="full", form="difference"))
    for settings in ({"form": "difference"}, {"model": str(small)}):
        with pytest.raises(InputError, match="a difference is of all weights"):
            train(_sft(place, "lora", **settings))


def test_a_packed_example_does_not_see_others(place: Path) -> None:
    losses = [
        train(_sft(place, out, packing=packing, max_steps=1, batch_tokens=4_000)).loss
        for out, packing in (("packed", True), ("not", False))
    ]
    assert losses[0] == pytest.approx(losses[1], abs=1e-4)


def test_a_killed_training_goes_on_to_the_same_weights(place: Path, trained: Trained) -> None:
    options = {**_OPTIONS, "save_every": 8}
    killed = place / "killed"
    given = f"train sft --model {place}/base --data {place}/sft.jsonl --out {killed} --no-track"
    others = "--batch-tokens 400 --precision float32 --save-every 8"
    learning = "--tune lora-all --learning-rate 0.03 --epochs 8"
    command = [sys.executable, "-m", "worksmith.cli", *f"{given} {others} {learning}".split()]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=os.environ)
    while process.poll() is None and last_checkpoint(killed / "checkpoints") is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it was done before it was killed"
    assert (killed / UNFINISHED).is_file()
    assert not (killed / MANIFEST).exists()

    with pytest.raises(InputError, match="--resume continues it"):
        train(_sft(place, "killed", **options))
    with pytest.raises(InputError, match="another seed"):
        train(_sft(place, "killed", **options, seed=4, resume=True))
    again = train(_sft(place, "killed", **options, resume=True))
    assert (killed / _WEIGHTS).read_bytes() == (trained.out / _WEIGHTS).read_bytes()
    assert again.loss == trained.loss
    assert sorted(each.name for each in killed.iterdir()) == sorted(
        each.name for each in trained.out.iterdir()
    )


def test_what_a_training_reads_is_not_replaced(place: Path, trained: Trained) -> None:
    before = sorted(each.name for each in trained.out.iterdir())
    own = {"model": str(trained.out), "force": True}
    with pytest.raises(InputError, match="reads from the folder that it would replace"):
        train(_sft(place, trained.out.name, **own))
    with pytest.raises(InputError, match="keeps its form"):
        train(_sft(place, "adapter", model=str(trained.out), rank=3))
    assert sorted(each.name for each in trained.out.iterdir()) == before


def test_code_of_a_model_is_not_run(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = write_tiny_model(place / "hostile")
    (base / "evil.py").write_text("raise SystemExit('it ran')")
    for name, key in (("tokenizer_config.json", "AutoTokenizer"), ("config.json", "AutoModelForCausalLM")):
        config = json.loads((base / name).read_text())
        known = {"model_type": "evil"} if name == "config.json" else {"tokenizer_class": "EvilTokenizer"}
        auto = {key: ["evil.Evil", "evil.Evil"] if key == "AutoTokenizer" else "evil.Evil"}
        (base / name).write_text(json.dumps({**config, **known, "auto_map": auto}))
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    with pytest.raises(InputError):
        forecast(_sft(place, "none", model=str(base)))


def test_turns_that_the_chat_template_refuses_are_named(place: Path) -> None:
    base = write_tiny_model(place / "strict")
    refusing = "{% if message['role'] == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
    config = base / "chat_template.jinja"
    config.write_text(config.read_text().replace("{{'<|im_start|>'", refusing + "{{'<|im_start|>'"))
    rows = [*sft_rows(2), {"messages": [turn("system", "Be."), turn("user", "a"), turn("assistant", "b")]}]
    settings = _sft(place, "none", model=str(base))
    data = write_rows(place / "system.jsonl", rows)
    with pytest.raises(InputError, match="no system role") as caught:
        forecast(settings.model_copy(update={"data": data}))
    assert caught.value.where == f"{data}:3"


def test_a_forecast_keeps_nothing(place: Path) -> None:
    before = sorted(place.iterdir())
    found = forecast(_sft(place, "none", epochs=3))
    assert (found.steps, found.examples) == (12, 24)
    assert found.tokens_per_second > 0
    assert found.megabytes > 0
    assert sorted(place.iterdir()) == before


def test_lines_that_are_too_long_are_left_out(place: Path) -> None:
    rows = [*sft_rows(4), {"messages": [turn("user", "w" * 200), turn("assistant", "x")]}]
    write_rows(place / "long.jsonl", rows)
    settings = _sft(place, "none").model_copy(update={"data": place / "long.jsonl"})
    assert forecast(settings.model_copy(update={"max_length": 100})).left_out == 1
    with pytest.raises(InputError, match="every line has more than 20 tokens"):
        forecast(settings.model_copy(update={"max_length": 20}))
