"""Trained models from their folders: the weights that are asked, and folders that are refused."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy import lm15

from tests.worksmith.training.tiny import one_thread
from worksmith.models.resolve import resolve
from worksmith.models.transformer.bases import base_model
from worksmith.models.transformer.manifest import TrainedModel, file_digests, read_manifest, write_manifest
from worksmith.models.transformer.trained import trained
from worksmith.tools.errors import InputError

pytestmark = pytest.mark.slow

WORDS = ["<|im_start|>", "<|im_end|>", "<unk>", *"abcdefghijklmnopqrstuvwxyz"]
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['content'] }}<|im_end|>{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>{% endif %}"
)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    one_thread()


def tiny(folder: Path) -> Path:
    """A random model of two layers, with letters as tokens."""
    import torch
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    torch.manual_seed(1)
    size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "vocab_size": len(WORDS)}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2, "max_position_embeddings": 256}
    config = LlamaConfig(**size, **heads, bos_token_id=0, eos_token_id=1, tie_word_embeddings=True)
    LlamaForCausalLM(config).save_pretrained(folder)
    tokens = Tokenizer(
        models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="<unk>")
    )
    tokens.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokens, bos_token=WORDS[0], eos_token=WORDS[1], unk_token=WORDS[2]
    )
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    return folder


def adapter(base: Path, folder: Path) -> Any:
    """An adapter of random weights, as PEFT writes it, and the merged model."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    torch.manual_seed(2)
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    config = LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", init_lora_weights=False)
    wrapped = get_peft_model(model, config)
    wrapped.save_pretrained(str(folder))
    (folder / "README.md").unlink()
    return wrapped.merge_and_unload()


def manifest(folder: Path, base: Path, **more: Any) -> None:
    write_manifest(
        folder,
        TrainedModel(
            base=base_model(str(base))[1],
            files=file_digests(folder),
            context_window=256,
            licence="Apache-2.0",
            **{"weights": "adapter", **more},
        ),
    )


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A base, an adapter on it, and the same model whole."""
    top = tmp_path_factory.mktemp("models")
    base = tiny(top / "base")
    merged = adapter(base, top / "adapter")
    manifest(top / "adapter", base, observation=90)
    tiny(top / "whole")
    merged.save_pretrained(top / "whole")
    manifest(top / "whole", base, weights="whole", prompt="text")
    return {name: top / name for name in ("base", "adapter", "whole")}


def said(folder: Path) -> str:
    config = lm15.Config(max_tokens=12)
    request = lm15.Request("m", (lm15.Message.user("abc"),), config=config)
    return trained(folder).complete(request).message.text or ""


def test_an_adapter_answers_as_the_merged_model_does(folders: dict[str, Path]) -> None:
    from transformers import AutoModelForCausalLM

    from worksmith.models.transformer.lora import merge

    base = AutoModelForCausalLM.from_pretrained(folders["base"])
    whole = AutoModelForCausalLM.from_pretrained(folders["whole"]).state_dict()
    merge(base, folders["adapter"])

    for name, weights in base.state_dict().items():
        assert weights.sub(whole[name]).abs().max() < 1e-6
    assert said(folders["adapter"]) == said(folders["whole"]) != ""


def test_it_is_a_model_like_any_other(folders: dict[str, Path]) -> None:
    lm = resolve(f"local/{folders['adapter']} max_tokens=5")

    assert isinstance(lm, dspy.LM)
    assert lm.model == f"local/{folders['adapter']}@{lm.engine.digest}"
    assert (lm.kwargs["max_tokens"], lm.engine.context_window, lm.engine.compact_prompts) == (5, 256, 90)
    assert trained(folders["whole"]).compact_prompts is None
    assert trained(folders["whole"]).digest != lm.engine.digest
    assert trained(folders["adapter"]) is lm.engine
    again = pickle.loads(pickle.dumps(lm.engine))
    assert (again.digest, again.compact_prompts) == (lm.engine.digest, 90)
    with pytest.raises(InputError, match="no setting 'api_base'"):
        resolve(f"local/{folders['adapter']} api_base=http://localhost")


def copy(folder: Path, to: Path) -> Path:
    import shutil

    return Path(shutil.copytree(folder, to))


def test_an_adapter_of_another_base_is_refused(folders: dict[str, Path], tmp_path: Path) -> None:
    base, mine = copy(folders["base"], tmp_path / "base"), copy(folders["adapter"], tmp_path / "adapter")
    (mine / "model.json").unlink()
    manifest(mine, base)
    config = json.loads((base / "config.json").read_text())
    (base / "config.json").write_text(json.dumps({**config, "rms_norm_eps": 1e-3}))

    with pytest.raises(InputError, match="is of another"):
        trained(mine)


@pytest.mark.parametrize(
    "change",
    [{"use_dora": True}, {"peft_type": "IA3"}, {"r": 8}, {"alpha_pattern": {"q_proj": 3}}, {"bias": "all"}],
)
def test_an_adapter_of_another_form_is_refused(
    folders: dict[str, Path], tmp_path: Path, change: dict[str, Any]
) -> None:
    mine = copy(folders["adapter"], tmp_path / "adapter")
    (mine / "model.json").unlink()
    config = json.loads((mine / "adapter_config.json").read_text())
    (mine / "adapter_config.json").write_text(json.dumps({**config, **change}))
    manifest(mine, folders["base"])

    with pytest.raises(InputError, match=r"LoRA adapter|does not fit its base"):
        said(mine)


def test_weights_that_are_none_and_code_are_refused(folders: dict[str, Path], tmp_path: Path) -> None:
    broken, coded = copy(folders["whole"], tmp_path / "broken"), copy(folders["whole"], tmp_path / "coded")
    (broken / "model.safetensors").write_bytes(b"no weights")
    config = json.loads((coded / "config.json").read_text())
    told = {**config, "model_type": "mine", "auto_map": {"AutoConfig": "mine.Config"}}
    (coded / "config.json").write_text(json.dumps(told))
    for folder in (broken, coded):
        (folder / "model.json").unlink()
        manifest(folder, folders["base"], weights="whole")
        with pytest.raises(InputError, match="cannot be read"):
            said(folder)


def test_a_model_that_changes_in_use_is_refused(folders: dict[str, Path], tmp_path: Path) -> None:
    mine = copy(folders["adapter"], tmp_path / "adapter")
    engine = trained(mine)
    (mine / "model.json").unlink()
    manifest(mine, folders["base"], observation=91)

    with pytest.raises(InputError, match="was changed"):
        engine.complete(lm15.Request("m", (lm15.Message.user("abc"),)))
    assert read_manifest(mine).observation == 91


@pytest.mark.parametrize("name", ["local/none", "local/", "local/analogous"])
def test_other_local_names_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"no local model|missing"):
        resolve(name)


def test_a_folder_is_served_and_examined_as_any_local_model(folders: dict[str, Path]) -> None:
    from worksmith.jobs.health.doctor import diagnose
    from worksmith.jobs.settings.health import DoctorSettings
    from worksmith.models.serving.engines import served_engine

    name = f"local/{folders['adapter']}"
    found = diagnose(DoctorSettings(models=(name, "local/none")), may_ask=lambda _: False)

    assert served_engine(str(folders["adapter"])) is served_engine(name) is trained(folders["adapter"])
    said = {(check.subject, check.name): (check.status, check.said) for check in found.checks}
    assert said[name, "context window"] == ("ok", "256 tokens")
    assert said[name, "prompts"] == ("ok", "compact, with 90 characters of an observation")
    assert said["local/none", "settings"][0] == "failure"
