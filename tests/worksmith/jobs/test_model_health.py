"""The doctor says what to do about the documented refusals of providers."""

from __future__ import annotations

import datetime
import os
import ssl
from collections.abc import Iterator
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from dspy.utils.exceptions import LMError

from tests.evals.lm.provider_fixtures import Case, ProviderServer, provider_server
from worksmith.evals.lm.failures import failure_of
from worksmith.evals.lm.metering import metered
from worksmith.jobs.health.check import Check
from worksmith.jobs.health.models import asked, opened
from worksmith.models.named import use_models
from worksmith.models.resolve import resolve
from worksmith.tools.errors import InputError


@pytest.fixture(scope="module")
def running() -> Iterator[ProviderServer]:
    with provider_server() as server:
        yield server


@pytest.fixture
def server(running: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("STUDENT", "q7Zr93kLm20aXw")
    yield running
    use_models({})


@pytest.mark.parametrize(
    ("api", "name", "check", "remedy"),
    [
        ("openai", "unauthorized", "key", "put a right one in its place"),
        ("anthropic", "unauthorized", "key", "put a right one in its place"),
        ("gemini", "wrong_key", "key", "put a right one in its place"),
        ("anthropic", "no_credit", "key", "pay the provider"),
        ("openrouter", "no_credit", "key", "pay the provider"),
        ("openai", "quota", "key", "pay the provider"),
        ("openrouter", "unknown_model", "connection", "check the model's name"),
        ("vllm", "unknown_model", "connection", "check the model's name"),
        ("ollama", "unknown_model", "connection", "check the model's name"),
        ("anthropic", "rate_limit", "connection", "wait"),
        ("gemini", "overloaded", "connection", "the server fails"),
        ("openai", "bad_parameter", "settings", "change the setting temperature"),
        ("ollama", "bad_parameter", "settings", "change the setting reasoning_effort"),
        ("openai", "login_page_in_200", "connection", "check the network"),
    ],
)
def test_a_refusal_is_told_with_what_to_do(
    api: str, name: str, check: str, remedy: str, server: ProviderServer
) -> None:
    server.open(Case(api, "errors", name))
    model, key = opened("student")
    assert model is not None
    found = next(asked(model, wait=60))

    assert key.status == "ok"
    assert (found.name, found.status) == (check, "failure")
    assert remedy in found.remedy


def test_a_model_that_answers_is_sound(server: ProviderServer) -> None:
    server.open(Case("anthropic", "replies", "text"))
    model, _ = opened("student")
    assert model is not None

    assert [(found.name, found.status) for found in asked(model, wait=60)] == [
        ("connection", "ok"),
        ("usage", "ok"),
    ]


def found_without_keys(name: str, monkeypatch: pytest.MonkeyPatch) -> Check:
    """The first failure of a model, where no variable holds a key."""
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    for variable in list(os.environ):
        if variable.startswith(("AZURE_", "AWS_", "MISTRAL_")):
            monkeypatch.delenv(variable)
    model, key = opened(name)
    assert model is not None
    return next(asked(model, wait=30)) if key.status == "ok" else key


@pytest.mark.parametrize(
    ("name", "check", "said", "remedy"),
    [
        ("azure/x", "settings", "AZURE_OPENAI_ENDPOINT", "set one of the variables"),
        pytest.param(
            "azure/x api_base=http://127.0.0.1:9 api_version=2024-10-21",
            "key",
            "Missing credentials",
            "export the provider's key",
            marks=pytest.mark.slow,
        ),
        pytest.param("mistral/x", "key", "MISTRAL_API_KEY", "export MISTRAL", marks=pytest.mark.slow),
    ],
)
def test_a_missing_key_is_told_for_every_client(
    name: str, check: str, said: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = found_without_keys(name, monkeypatch)

    assert (found.name, found.status) == (check, "failure")
    assert said in found.said
    assert remedy in found.remedy


@pytest.mark.slow
def test_credentials_that_litellm_misses_end_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("AZURE_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    lm = metered(resolve("azure/x api_base=http://127.0.0.1:9 api_version=2024-10-21 num_retries=0"))
    with pytest.raises(LMError) as caught:
        lm("How is the weather?", cache=False)
    with pytest.raises(InputError, match="Missing credentials"):
        failure_of(caught.value)


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A file with a key and its own certificate for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "company")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - datetime.timedelta(days=1))
    builder = builder.not_valid_after(now + datetime.timedelta(days=1)).add_extension(address, critical=False)
    shown = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    form = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = tmp_path / "company.pem"
    file.write_bytes(key.private_bytes(serialization.Encoding.PEM, *form) + shown)
    return file


@pytest.mark.parametrize("api", ["openai", pytest.param("azure", marks=pytest.mark.slow)])
def test_a_company_s_certificate_is_asked_for_and_taken(
    api: str, certificate: Path, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    found = []
    with provider_server(tls) as secure:
        for file in (None, certificate):
            if file is not None:
                monkeypatch.setenv("SSL_CERT_FILE", str(file))
            secure.open(Case(api, "replies", "text"))
            model, _ = opened("student")
            assert model is not None
            found.append(next(asked(model, wait=30)))

    assert [check.status for check in found] == ["failure", "ok"]
    assert "CERTIFICATE_VERIFY_FAILED" in found[0].said
    assert "SSL_CERT_FILE" in found[0].remedy
