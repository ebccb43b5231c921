"""JSON from outside: text that a database can hold, and nesting without an end."""

import json
import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff\0]")
_SPACE = " \t\n\r"


def clean(text: str) -> str:
    r"""Replace NUL and lone surrogates, which JSON can carry and databases can't, by U+FFFD.

    >>> clean("a\0b")
    'a\ufffdb'
    """
    return _SURROGATE.sub("\ufffd", text)


def decode(body: bytes) -> Any:  # noqa: ANN401 - JSON is anything
    """Decode a JSON body of any depth.

    Raises:
        ValueError: It isn't JSON, or isn't UTF-8.
    """
    try:
        return json.loads(body)
    except RecursionError:
        # Up to Python 3.11 this comes at about 500 levels of documents below documents.
        return _decode_deep(body.decode("utf-8-sig", "surrogatepass"))


def _decode_deep(text: str) -> Any:  # noqa: ANN401 - JSON is anything
    """Decode without recursion: containers here, everything else by the standard library."""
    decoder = json.JSONDecoder()
    # The whole stands in a list of its own, so that every value has a container.
    root: list[Any] = []
    stack: list[list[Any] | dict[str, Any]] = [root]
    position = 0
    while len(stack) > 1 or not root:
        container = stack[-1]
        position = _skip(text, position)
        if len(stack) > 1 and _at(text, position, "]" if isinstance(container, list) else "}"):
            stack.pop()
            position += 1
            continue
        if container:
            position = _after(text, position, ",")
        key = ""
        if isinstance(container, dict):
            key, position = decoder.raw_decode(text, _after(text, position, '"') - 1)
            position = _after(text, position, ":")
        position = _skip(text, position)
        value: Any
        if _at(text, position, "[") or _at(text, position, "{"):
            value = [] if text[position] == "[" else {}
            stack.append(value)
            position += 1
        else:
            value, position = decoder.raw_decode(text, position)
        if isinstance(container, dict):
            container[key] = value
        else:
            container.append(value)
    if _skip(text, position) < len(text):
        raise ValueError(f"Something follows the JSON at character {position}.")
    return root[0]


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position] in _SPACE:
        position += 1
    return position


def _at(text: str, position: int, sign: str) -> bool:
    return text.startswith(sign, position)


def _after(text: str, position: int, sign: str) -> int:
    position = _skip(text, position)
    if not _at(text, position, sign):
        raise ValueError(f"{sign!r} is expected at character {position}.")
    return position + 1
