"""Replies that follow a grammar: in each step the tokens that may not come next are ruled out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any

import torch
from dspy import lm15
from llguidance import LLMatcher, LLTokenizer
from llguidance.hf import from_tokenizer

from worksmith.models.transformer.chat import CallForm
from worksmith.programs.prompting.replies.grammar import AS_WRITTEN, as_json, closed

_CLOSING = 96
"""The last tokens of a reply's limit, in which calls are brought to their end; texts have half of it."""


class Grammars:
    """The grammars of the requests to one model. A grammar is compiled once.

    Args:
        ends: the tokens that end a reply.
    """

    def __init__(self, tokenizer: Any, ends: Sequence[int]) -> None:
        self._tokenizer = tokenizer
        self.ends = ends
        self._compiled = lru_cache(maxsize=64)(lambda grammar: LLMatcher(self._tokens, grammar))

    @cached_property
    def _tokens(self) -> LLTokenizer:
        return from_tokenizer(self._tokenizer, eos_token=list(self.ends))

    @cached_property
    def known(self) -> int:
        """The number of tokens that a reply may have; a model can have scores of more."""
        return int(self._tokens.vocab_size)

    def tag(self, tag: str) -> str:
        """A tag as grammars have it: by name if it is a single token, else in quotes."""
        tokens = self._tokens.tokenize_str(tag, parse_special=True)
        special = len(tokens) == 1 and self._tokens.is_special_token(tokens[0])
        return tag if special else json.dumps(tag)

    def constraint(self, grammar: str, most: int) -> GrammarConstraint:
        """The constraint of one reply of at most `most` tokens."""
        return GrammarConstraint(self._compiled(grammar).deep_copy(), self, most)

    def closing(self, allowed: torch.Tensor, *, calls: bool) -> torch.Tensor:
        """Of the allowed tokens those that bring a reply nearer to its end; all, if no token is known to.

        A text ends with its line, a string with its quote, and no optional part is begun.

        Args:
            calls: whether calls are to end, too, and not only the text before them.
        """
        letter, line = (allowed[token] for token in self._content)
        if letter and line:
            steps: tuple[str, ...] = ("[<", "\n")
        elif calls:
            steps = ('"',) if letter else ("", "}]", ",")
        else:
            return allowed
        for step in steps:
            if (nearer := self._beginning[step] & allowed).any():
                return nearer
        return allowed

    @cached_property
    def _beginning(self) -> dict[str, torch.Tensor]:
        """The tokens that begin with one of some characters; for no character those that end a reply."""
        found = {
            characters: torch.tensor([bool(text) and text[0] in characters.encode() for text in self._texts])
            for characters in ("[<", "\n", '"', "}]", ",")
        }
        ends = torch.zeros(len(self._texts), dtype=torch.bool)
        ends[list(self.ends)] = True
        return {**found, "": ends}

    @cached_property
    def _texts(self) -> list[bytes]:
        return [self._tokens.decode_bytes([token]) for token in range(self._tokens.vocab_size)]

    @cached_property
    def _content(self) -> list[int]:
        """The tokens of a letter, which may come next within texts and strings, and of a line break."""
        return [self._texts.index(text) if text in self._texts else 0 for text in (b"q", b"\n")]


class GrammarConstraint:
    """The grammar of one reply, and its place in it.

    Attributes:
        closed: whether the limit of tokens brought the reply to its end.
    """

    def __init__(self, matcher: LLMatcher, grammars: Grammars, most: int) -> None:
        self._matcher = matcher
        self._grammars = grammars
        self._most = most
        self._read = 0
        self.closed = False

    def allows(self, token: int, said: Sequence[int]) -> bool:
        """Whether a token may follow the reply so far, which costs far less than to narrow the scores.

        A grammar that cannot be compiled, or that becomes too large, allows everything.
        """
        self._follow(said)
        if self._matcher.is_error():
            return True
        if self._is_late(said):
            return False
        if token in self._grammars.ends:
            return bool(self._matcher.is_accepting())
        return token < self._grammars.known and self._matcher.validate_tokens([token]) == 1

    def narrow(self, scores: torch.Tensor, said: Sequence[int]) -> None:
        """Set the scores of tokens that may not follow the reply so far to minus infinity.

        Where the grammar leaves one text, only its usual tokens are left.
        """
        self._follow(said)
        if self._matcher.is_error():
            return
        allowed = torch.frombuffer(bytearray(self._matcher.compute_logit_bias()), dtype=torch.bool)
        if self._is_late(said):
            nearer = self._grammars.closing(allowed, calls=self._most - len(said) <= _CLOSING)
            self.closed = self.closed or bool((nearer != allowed).any())
            allowed = nearer
        scores[: len(allowed)].masked_fill_(~allowed.to(scores.device), -torch.inf)
        scores[len(allowed) :] = -torch.inf

    def _follow(self, said: Sequence[int]) -> None:
        """Read the tokens of the reply that are new."""
        self._matcher.consume_tokens(list(said[self._read :]))
        self._read = len(said)

    def _is_late(self, said: Sequence[int]) -> bool:
        """Whether the reply must end, because half of its limit is spent."""
        return self._most - len(said) <= self._most // 2


def grammar_of(
    request: lm15.Request, form: CallForm | None, tag: Callable[[str], str] = json.dumps
) -> str | None:
    """The grammar that a request asks replies to follow; None without one.

    Args:
        form: how the model writes calls of tools; None if it has no native ones.
        tag: see `Grammars.tag`.
    """
    config = request.config
    grammar = (config.extensions or {}).get("grammar")
    if isinstance(grammar, str):
        return str(LLMatcher.grammar_from_lark(grammar))
    if config.response_format is not None and "schema" in config.response_format:
        schema = json.dumps(config.response_format["schema"])
        return str(LLMatcher.grammar_from_json_schema(schema, overrides=AS_WRITTEN))
    choice = config.tool_choice
    if form is None or choice is None or choice.mode != "required":
        return None
    calls = [
        {
            "type": "object",
            "properties": {"name": {"enum": [tool.name]}, "arguments": closed(tool.parameters)},
            "required": ["name", "arguments"],
            "additionalProperties": False,
        }
        for tool in request.tools
    ]
    further = "" if choice.parallel is False else '("\\n" call)*'
    rules = (
        f"start: TEXT? call {further}",
        rf'call: {tag("<tool_call>")} "\n" chosen "\n" {tag("</tool_call>")}',
        f"chosen: {as_json({'anyOf': calls})}",
        r"TEXT: /[^\[<\n]*\n/",
    )
    return str(LLMatcher.grammar_from_lark("\n".join(rules)))
