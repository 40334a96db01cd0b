"""Tokens: who they are believed to be for, and everything that is refused."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from hypothesis import given
from hypothesis import strategies as st
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

import worksmith as ws
from tests.tables import each_row
from tests.tools.kinds.own_data.desk import desk
from tests.worksmith.serving.programs.running import AUDIENCE, ISSUER, SECRET, Served, served, token
from worksmith.serving.programs.keys import Keys, KeySet, Secret, key_set, read_set, secret_of
from worksmith.serving.programs.tokens import Tokens
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError
from worksmith.tools.serving.refusals import RequestError

PUBLIC = ("RS256", "ES256", "EdDSA")


@cache
def private(algorithm: str, number: int = 0) -> Any:
    if algorithm == "RS256":
        return rsa.generate_private_key(65537, 2048)
    return (
        ec.generate_private_key(ec.SECP256R1())
        if algorithm == "ES256"
        else ed25519.Ed25519PrivateKey.generate()
    )


def jwk(algorithm: str, kid: str | None, number: int = 0, **more: Any) -> dict[str, Any]:
    makers: dict[str, Any] = {"RS256": RSAAlgorithm, "ES256": ECAlgorithm, "EdDSA": OKPAlgorithm}
    found = json.loads(makers[algorithm].to_jwk(private(algorithm, number).public_key()))
    return {**found, **({} if kid is None else {"kid": kid}), **more}


def claims(**changed: Any) -> dict[str, Any]:
    given = {"sub": "ann", "aud": AUDIENCE, "iss": ISSUER, "exp": int(time.time()) + 86_400, **changed}
    return {name: value for name, value in given.items() if value is not None}


def signed(algorithm: str, *, number: int = 0, headers: dict[str, Any] | None = None, **changed: Any) -> str:
    return jwt.encode(claims(**changed), private(algorithm, number), algorithm, headers=headers)


def by_hand(header: dict[str, Any], body: dict[str, Any] | bytes, secret: bytes | None) -> str:
    """A token that no library would make."""
    parts = [json.dumps(header).encode(), body if isinstance(body, bytes) else json.dumps(body).encode()]
    text = ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)
    mac = b"" if secret is None else hmac.new(secret, text.encode(), hashlib.sha256).digest()
    return f"{text}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def tokens(keys: Keys | None = None, **settings: Any) -> Tokens:
    algorithms = ("HS256",) if keys is None else PUBLIC
    made = keys or Secret(SECRET, where="tests")
    return Tokens(made, algorithms=algorithms, audience=AUDIENCE, issuer=ISSUER, **settings)


@cache
def three_keys() -> KeySet:
    text = json.dumps({"keys": [jwk(name, f"k-{name}") for name in PUBLIC]}).encode()
    return KeySet(lambda: text, where="tests", lasting=True)


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return desk(tmp_path_factory.mktemp("env"))


def refused(found: Tokens, given: str) -> bool:
    try:
        found.claims(given)
    except RequestError as error:
        return error.status == 401
    return False


def test_a_valid_token_names_its_persona(env: Environment, tmp_path: Path) -> None:
    assert tokens().caller(f"Bearer {token('bo')}", env).persona.id == "bo"
    of_claim = jwt.encode(claims(sub="x", **{"https://desk/person": "bo"}), SECRET, "HS256")
    named = tokens(persona_claim="https://desk/person").caller(f"bearer {of_claim}", env)
    assert named.persona.id == "bo"
    people: Any = [{"id": 6}]
    numbered = ws.Environment.from_tables(
        {"people": people}, now="2026-01-05", personas="people", folder=tmp_path
    )

    @numbered.tool
    def look(ctx: ws.Context) -> str:
        """Look."""
        return ""

    of_number = jwt.encode(claims(sub="x", employee=6), SECRET, "HS256")
    assert tokens(persona_claim="employee").caller(f"Bearer {of_number}", numbered).persona.id == "6"
    several = tokens().caller(f"Bearer {token(aud=['other', AUDIENCE])}", env)
    assert several.persona.id == "ann"


SECRETLY: dict[str, str] = {
    "nothing": "",
    "no token": "abc",
    "another secret": token(secret=b"x" * 40),
    "expired": token(lasting=-60),
    "no expiry": token(exp=None),
    "expiry that is no number": token(exp="tomorrow"),
    "infinite expiry": by_hand(
        {"alg": "HS256"}, b'{"sub":"ann","aud":"desk","iss":"https://login.example","exp":Infinity}', SECRET
    ),
    "not yet valid": token(nbf=time.time() + 43_200),
    "issued in the future": token(iat=time.time() + 43_200),
    "another audience": token(aud="desks"),
    "no audience": token(aud=None),
    "another issuer": token(iss="https://login.example.evil"),
    "no issuer": token(iss=None),
    "no persona": token(sub=None),
    "alg none": by_hand({"alg": "none"}, claims(), None),
    "alg None": by_hand({"alg": "None"}, claims(), SECRET),
    "no alg": by_hand({}, claims(), SECRET),
    "another alg": jwt.encode(claims(), SECRET * 2, "HS384"),
    "public key": signed("RS256"),
    "critical extension": by_hand({"alg": "HS256", "crit": ["exp"]}, claims(), SECRET),
    "unencoded payload": by_hand({"alg": "HS256", "b64": False, "crit": ["b64"]}, claims(), SECRET),
    "kid that is no text": by_hand({"alg": "HS256", "kid": {"a": 1}}, claims(), SECRET),
    "body that is no object": by_hand({"alg": "HS256"}, b"[]", SECRET),
    "too long": token(more="x" * 10_000),
}


@each_row(
    ("given", "claim"),
    [
        *((each, "sub") for each in SECRETLY.values()),
        *(
            (jwt.encode(claims(who=who), SECRET, "HS256"), "who")
            for who in (["ann"], {"id": "ann"}, 7.5, True, "", "x" * 300)
        ),
    ],
)
def test_a_faulty_token_is_refused_without_a_reason(env: Environment, given: str, claim: str) -> None:
    with pytest.raises(RequestError) as caught:
        tokens(persona_claim=claim).caller(f"Bearer {given}", env)
    assert (caught.value.status, caught.value.message) == (401, "The token is missing or not valid")


@pytest.mark.parametrize("algorithm", PUBLIC)
def test_public_keys_verify_tokens_of_their_own_algorithm(algorithm: str) -> None:
    found = tokens(three_keys())
    assert not refused(found, signed(algorithm, headers={"kid": f"k-{algorithm}"}))
    assert not refused(found, signed(algorithm)), "one key has this algorithm"
    assert refused(found, signed(algorithm, number=1, headers={"kid": f"k-{algorithm}"}))
    for other in {*PUBLIC} - {algorithm}:
        assert refused(found, signed(algorithm, headers={"kid": f"k-{other}"}))


OWN = jwk("RS256", "evil", 1)
BROUGHT: list[dict[str, Any]] = [
    {"jwk": OWN},
    {"jwk": OWN, "kid": "evil"},
    {"jku": "https://evil.example/keys", "kid": "evil"},
    {"x5u": "https://evil.example/cert", "kid": "k-RS256"},
    {"x5c": ["MIIB"], "kid": "k-RS256"},
]
NAMED = ("", "../../../../dev/null", "k-RS256' OR 1=1 --", "https://evil.example/jwks", "k-rs256", "0")
FORMS = [
    (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo),
    (serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo),
    (serialization.Encoding.PEM, serialization.PublicFormat.PKCS1),
]


def test_a_token_brings_no_key_and_a_public_key_is_no_secret() -> None:
    texts = [private("RS256").public_key().public_bytes(*form) for form in FORMS]
    forged = [
        *(signed("RS256", number=1, headers=headers) for headers in BROUGHT),
        *(signed("RS256", headers={"kid": kid}) for kid in NAMED),
        *(
            by_hand({"alg": "HS256", **kid}, claims(), text)
            for text in texts
            for kid in ({}, {"kid": "k-RS256"})
        ),
        by_hand({"alg": "none", "kid": "k-RS256"}, claims(), None),
    ]
    assert [each for each in forged if not refused(tokens(three_keys()), each)] == []


def test_a_text_that_is_none_of_the_issuers_is_refused_whatever_it_says() -> None:
    body = st.dictionaries(st.text(max_size=5), st.text(max_size=5) | st.integers() | st.none(), max_size=4)

    @given(body, body, st.binary(max_size=40), st.text(max_size=60))
    def hold(header: dict[str, Any], payload: dict[str, Any], secret: bytes, text: str) -> None:
        assert refused(tokens(), by_hand({"alg": "HS256", **header}, {**claims(), **payload}, secret))
        assert refused(tokens(), text)
        assert refused(tokens(three_keys()), by_hand({"alg": "RS256", **header}, claims(), secret))

    hold()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "no JSON Web Key Set"),
        ("[]", "no JSON Web Key Set"),
        ('{"keys": []}', "no key for"),
        ('{"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}', "no key for"),
        ('{"keys": [{"kty": "RSA", "n": "!", "e": "AQAB"}]}', "no JSON Web Key Set"),
        (json.dumps({"keys": [jwk("ES256", "a", use="enc")]}), "no key for"),
        (json.dumps({"keys": [jwk("ES256", "a", alg="ES512")]}), "no key for"),
        (json.dumps({"keys": [jwk("ES256", "a", d="AA")]}), "private key"),
    ],
)
def test_a_set_without_usable_keys_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_set(text.encode(), where="keys.json")


def test_weak_keys_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weak = json.loads(RSAAlgorithm.to_jwk(rsa.generate_private_key(65537, 1024).public_key()))
    with pytest.raises(InputError, match="1024 bits"):
        read_set(json.dumps({"keys": [weak]}).encode(), where="keys.json")
    with pytest.raises(InputError, match="needs 32"):
        Secret(b"x" * 31, where="tests")
    monkeypatch.delenv("NO_SECRET", raising=False)
    with pytest.raises(InputError, match="is not set"):
        secret_of("NO_SECRET", None)
    with pytest.raises(InputError, match="https only"):
        key_set("http://login.example/jwks")
    (tmp_path / "secret").write_bytes(SECRET + b"\n")
    assert secret_of(None, tmp_path / "secret").find("HS256", None) == SECRET


def test_a_renewed_set_is_asked_for_seldom_and_its_failure_forgiven() -> None:
    now, asked = [0.0], [0]
    texts = [[jwk("ES256", "old")], [jwk("ES256", "old"), jwk("ES256", "new", 1)], None]

    def read() -> bytes:
        found = texts[min(asked[0], 2)]
        asked[0] += 1
        if found is None:
            raise InputError("the issuer is away")
        return json.dumps({"keys": found}).encode()

    found = tokens(KeySet(read, where="tests", lasting=False, clock=lambda: now[0]))
    new = signed("ES256", number=1, headers={"kid": "new"})
    for _ in range(50):
        assert refused(found, new)
    assert asked == [1], "unknown keys do not make the server ask again and again"
    now[0] = 20
    assert not refused(found, new)
    now[0] = 1000
    assert not refused(found, new), "the old set serves while no other can be had"
    assert asked == [3]


@pytest.mark.parametrize(
    ("status", "size", "said"),
    [(200, 0, ""), (302, 0, "cannot be had"), (404, 0, "cannot be had"), (200, 2 << 20, "longer than 1 MiB")],
)
def test_a_set_is_fetched_whole_from_the_address_and_no_other(
    monkeypatch: pytest.MonkeyPatch, status: int, size: int, said: str
) -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        text = json.dumps({"keys": [jwk("ES256", "a")], "more": "x" * size})
        return httpx.Response(status, text=text, headers={"Location": "https://evil.example/keys"})

    def stream(*given: Any, follow_redirects: bool, **_: Any) -> Any:
        client = httpx.Client(transport=httpx.MockTransport(answer), follow_redirects=follow_redirects)
        return client.stream(*given)

    monkeypatch.setattr(httpx, "stream", stream)
    if said:
        with pytest.raises(InputError, match=said):
            key_set("https://login.example/keys")
    else:
        assert not refused(tokens(key_set("https://login.example/keys")), signed("ES256"))
    assert asked == ["https://login.example/keys"]


def test_nobody_waits_for_another_ones_request_for_keys() -> None:
    now, slow, begun = [0.0], threading.Event(), threading.Event()
    text = json.dumps({"keys": [jwk("ES256", "a")]}).encode()

    def read() -> bytes:
        if now[0]:
            begun.set()
            slow.wait(20)
        return text

    found = tokens(KeySet(read, where="tests", lasting=False, clock=lambda: now[0]))
    now[0] = 1000.0
    unknown = signed("ES256", headers={"kid": "unknown"})
    first = threading.Thread(target=refused, args=(found, unknown))
    first.start()
    begun.wait(20)
    assert refused(found, unknown)
    assert not refused(found, signed("ES256", headers={"kid": "a"}))
    assert first.is_alive()
    slow.set()
    first.join()


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with served(desk(folder), folder) as running:
        yield running


@each_row("path", ["/tasks", "/changes", "/changes/0", "/changes/0/approve", "/docs"])
@each_row("given", [None, "Bearer", "Basic YTpi", "Bearer x", f"Bearer {token(lasting=-60)}"])
def test_no_address_answers_without_a_valid_token(at: Served, path: str, given: str | None) -> None:
    with at.client(None) as client:
        reply = client.post(path, headers={} if given is None else {"Authorization": given})
    assert reply.status_code == 401
    assert reply.headers["www-authenticate"].startswith("Bearer")
