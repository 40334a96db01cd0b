"""GGUF files as models: one file for all, without its own template and tools, and files that are refused."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from dspy import lm15
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.worksmith.models.transformer.gguf.tiny_gguf import WITH_TOOLS, write_gguf
from tests.worksmith.training.tiny import TEMPLATE, one_thread
from worksmith.cli.app import app
from worksmith.models.named import read_models, use_models
from worksmith.models.resolve import resolve
from worksmith.models.transformer.gguf import conversion, model
from worksmith.models.transformer.gguf.header import read_header
from worksmith.models.transformer.gguf.model import gguf_model
from worksmith.tools.errors import InputError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(map(find_spec, ("gguf", "torch", "transformers"))), reason="needs worksmith[small]"
    ),
]

TOOL = lm15.FunctionTool("look_up", "Look up.", {"type": "object", "properties": {}})


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    one_thread()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gguf")
    for other in ("tokenizer.json", "tokenizer_config.json"):
        (folder / other).write_text('{"chat_template": "of another model"}')
    return write_gguf(folder / "tiny.gguf", template=WITH_TOOLS)


def ask(engine: Any, text: str, tools: tuple[lm15.FunctionTool, ...] = (), **config: Any) -> lm15.Response:
    asked = lm15.Config(**{"max_tokens": 6, **config})
    request = lm15.Request("m", (lm15.Message.user(text),), "Be brief.", tools=tools, config=asked)
    found: lm15.Response = engine.complete(request)
    return found


def test_a_file_answers_by_its_own_template_alone_and_among_others(file: Path) -> None:
    engine = gguf_model(file)
    alone = [ask(engine, text).message for text in ("red?", "yes?", "no?")]
    with ThreadPoolExecutor(3) as pool:
        together = [
            each.message for each in pool.map(lambda text: ask(engine, text), ("red?", "yes?", "no?"))
        ]
    plain, told = ask(engine, "red?").usage.input_tokens, ask(engine, "red?", (TOOL,)).usage.input_tokens
    again = pickle.loads(pickle.dumps(engine))

    assert together == alone
    assert ask(engine, "red?", temperature=1.0, seed=1) != ask(engine, "red?", temperature=1.0, seed=2)
    assert (told or 0) > (plain or 0) + 20
    assert (again.digest, again.supports_function_calling) == (engine.digest, True)
    assert ask(again, "red?").message == alone[0]
    with pytest.raises(lm15.ContextLengthError, match="window 256"):
        ask(engine, "a " * 300)


def test_its_settings_are_part_of_its_name(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    use_models(read_models({"mine": {"file": "tiny.gguf", "context_window": 64}}, where="worksmith.toml"))
    try:
        plain, half, short = map(resolve, ("gguf:tiny.gguf", "gguf:tiny.gguf precision=bfloat16", "mine"))
    finally:
        use_models({})

    assert len({plain.model, half.model, short.model}) == 3
    assert [each.model.partition("@")[0] for each in (plain, half)] == [
        "local/tiny.gguf",
        "local/tiny.gguf:bfloat16",
    ]
    assert short.engine.context_window == 64
    assert ask(half.engine, "red?").message.role == "assistant"
    for name, said in (
        ("context_window=257", "larger than the model's"),
        ("api_base=http://x", "no setting"),
    ):
        with pytest.raises(InputError, match=said):
            resolve(f"gguf:tiny.gguf {name}")
    with pytest.raises(InputError, match="a name and a file"):
        read_models({"mine": {"file": "tiny.gguf", "model": "openai/x"}}, where="worksmith.toml")


def test_the_doctor_shows_what_a_file_can(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    done = CliRunner().invoke(app, ["doctor", "gguf:tiny.gguf", "gguf:none.gguf", "--json"])
    checks = {(each["subject"][5:9], each["name"]): each for each in json.loads(done.stdout)["checks"]}

    assert done.exit_code == 1
    assert checks["none", "settings"]["said"] == "cannot read the model: No such file or directory"
    assert checks["tiny", "weights"]["said"].startswith("float32, read after ")
    assert "tokens of prompt and reply in " in checks["tiny", "reply"]["said"]
    assert checks["tiny", "context window"]["said"] == "256 tokens"
    assert checks["tiny", "tool calls"]["said"] == "native"


def test_the_prompt_does_not_depend_on_the_day(tmp_path: Path) -> None:
    dated = write_gguf(tmp_path / "dated.gguf", template="{{ strftime_now('%d %b %Y') }}" + TEMPLATE)
    fixed = write_gguf(tmp_path / "fixed.gguf", template="26 Jul 2024" + TEMPLATE)

    assert ask(gguf_model(dated), "red?").usage == ask(gguf_model(fixed), "red?").usage
    assert ask(gguf_model(dated), "red?").message == ask(gguf_model(fixed), "red?").message


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no template": ({"template": None}, "no chat template"),
    "a template of another language": ({"template": "{% for %}"}, "cannot be read"),
    "a template that refuses": ({"template": "{{ raise_exception('no system') }}"}, "no system"),
    "a template without the turns": ({"template": "hello"}, "leaves turns out"),
    "a template that reaches out": ({"template": "{{ ''.__class__.__mro__ }}" + TEMPLATE}, "unsafe"),
    "no tokenizer": ({"tokenizer": False}, "no tokenizer"),
    "no window": ({"window": None}, "no context length"),
    "an unknown architecture": ({"architecture": "rwkv7"}, "no architecture 'rwkv7' is known here"),
    "a lost tensor": ({"left_out": "blk.1.attn_k.weight"}, "lacks weights"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_no_chat_model_is_refused(name: str, tmp_path: Path) -> None:
    settings, said = BAD[name]
    file = write_gguf(tmp_path / "bad.gguf", **settings)

    with pytest.raises(InputError, match=said):
        ask(gguf_model(file), "red?")
    assert not conversion.folder_of(conversion.file_digest(file), "float32").exists()


def test_a_template_that_does_not_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversion, "_SECONDS", 1.0)
    loop = "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}" + TEMPLATE

    with pytest.raises(InputError, match="does not end"):
        gguf_model(write_gguf(tmp_path / "loop.gguf", template=loop))


def test_a_model_that_is_too_big_is_refused_before_it_is_read(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversion, "_memory", lambda device: 10_000)
    with pytest.raises(InputError, match=r"take 0\.\d+ GB of memory, and 0\.0 GB are available"):
        gguf_model(file, window=200)
    monkeypatch.undo()
    monkeypatch.setattr(model, "FORM", 99)
    monkeypatch.setattr(conversion, "FORM", 99)
    monkeypatch.setattr("shutil.disk_usage", lambda place: type("Disk", (), {"free": 10_000}))
    with pytest.raises(InputError, match="converted weights take"):
        gguf_model(file, window=199)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_damaged_header_is_told(
    file: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = file.read_bytes()
    head = whole.index(b"token_embd")
    cut = data.draw(st.one_of(st.integers(0, head), st.integers(head, len(whole) - 1)))
    damaged = bytearray(whole[:cut])
    for place in data.draw(st.lists(st.integers(0, max(0, min(head, cut) - 1)), max_size=3)) if cut else ():
        damaged[place] = data.draw(st.integers(0, 255))
    other = tmp_path_factory.mktemp("bad") / "bad.gguf"
    other.write_bytes(damaged)

    with pytest.raises(InputError):
        read_header(other)
