"""Bodies of JSON that two readers may read differently."""

from __future__ import annotations


def odd_bodies(body: bytes, text: bytes) -> list[bytes]:
    """Variants of an object: in other encodings, with a key twice, and with NUL characters.

    Args:
        body: the object.
        text: a quoted text in it.
    """
    encodings = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")
    found = [body.decode().encode(each) for each in encodings]
    found += [body.replace(text, text[:-1] + nul + b'"') for nul in (b"\0", b"\\u0000")]
    twice = body[:-1] + b"," + body[1:]
    return [*found, twice, body + b"\0", b"\0" + body]
