"""Secrets in what is to be kept: found, told without being repeated, and masked. Pure.

Three nets. Tokens that their makers gave a shape, and addresses with a password in them, are
nearly sure. Assignments such as `password=…` are judged by their value: documents are full of
`password=<your password>` and `token = next_token()`, and a warning that is mostly wrong is soon
not read any more.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from personal_context.content.secret_forms import (
    ADDRESS,
    ASSIGNMENT,
    ASSIGNMENT_STARTS,
    AUTHORIZATION,
    NAMES_IT,
    SHOWN,
    STANDS_FOR,
    TOKENS,
)

MOST = 50
"""Secrets of one text that are told; all are masked."""

_ROUNDS = 4
"""Where two secrets stand together without a gap, the second shows when the first is gone."""

_NAME = re.compile(
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Za-z]+(?:_[A-Za-z]+)+|[a-z]+(?:[A-Z][a-z]+)+"
)
"""A name in a program, or a path of names: `user_password`, `request.token`, `newToken`."""

_MASK = "(redacted {})".format
_LABEL = re.compile(r"[A-Z]?[^\W\d_]+(?: .*)?", re.DOTALL)
_WORDS = re.compile(r"(?<![A-Za-z\d])[A-Za-z]{4,}(?![A-Za-z\d])")


@dataclass(frozen=True, slots=True)
class Secret:
    """Where something secret stands, without saying it.

    Attributes:
        kind: What it looks like, e.g. `GitHub token`.
        where: `content`, `title`, `tags`, `source_url`, or `metadata` and the key.
        line: Line within that, from 1.
    """

    kind: str
    where: str
    line: int


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    kind: str


def find_secrets(text: str, where: str = "content") -> Sequence[Secret]:
    """Return what looks like a secret, in order, one of a kind for each line."""
    spans = _spans(text)
    if not spans:
        return ()
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    found = (Secret(span.kind, where, bisect_right(starts, span.start)) for span in spans)
    return tuple(dict.fromkeys(found))[:MOST]


def masked(text: str, mask: Callable[[str], str] = _MASK) -> str:
    """Return the text with each secret replaced.

    Args:
        text: Any text.
        mask: Says what to put in the place of a secret of a kind.
    """
    for _ in range(_ROUNDS):
        spans = _spans(text)
        if not spans:
            break
        text = _with_masks(text, spans, mask)
    return text


def find_in_metadata(metadata: Mapping[str, Any]) -> Sequence[Secret]:
    """Return what looks like a secret in a JSON object; `where` names the top key."""
    found = (
        Secret(span.kind, f"metadata {key[:60]!r}", 1)
        for key, value in metadata.items()
        for name, text in _texts(key, value)
        for span in _value_spans(name, text)
    )
    return tuple(dict.fromkeys(found))[:MOST]


def masked_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON object with the secrets in its texts masked; keys and order stay."""
    return {key: _masked_value(key, value) for key, value in metadata.items()}


# --- metadata: a key and its text are judged as the assignment that they are


def _texts(name: str, value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(str(key), item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(name, item)


def _masked_value(name: str, value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        return masked(_with_masks(value, _value_spans(name, value), _MASK), _MASK)
    if isinstance(value, Mapping):
        return {key: _masked_value(str(key), item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked_value(name, item) for item in value]
    return value


def _value_spans(name: str, text: str) -> Sequence[_Span]:
    before = f"{name}='"
    spans = _spans(f"{before}{text}'") if not re.search("['\n]", text) else ()
    inside = [_Span(s.start - len(before), s.end - len(before), s.kind) for s in spans]
    return inside if inside and inside[0].start >= 0 else _spans(text)


# --- texts


def _with_masks(text: str, spans: Sequence[_Span], mask: Callable[[str], str]) -> str:
    pieces, done = [], 0
    for span in spans:
        pieces += [text[done : span.start], mask(span.kind)]
        done = span.end
    return "".join([*pieces, text[done:]])


def _spans(text: str) -> Sequence[_Span]:
    """Return the secrets in order; those that overlap as one, by the name of the surest."""
    joined: list[_Span] = []
    for span in sorted(_found(text), key=lambda span: span.start):  # stable: the surest first
        if joined and span.start < joined[-1].end:
            last = joined[-1]
            joined[-1] = _Span(last.start, max(last.end, span.end), last.kind)
        else:
            joined.append(span)
    return joined


def _found(text: str) -> Iterator[_Span]:
    yield from _tokens(text)
    for pattern, kind in (ADDRESS, "password in an address"), (AUTHORIZATION, "login in a header"):
        for match in re.finditer(pattern, text):
            if _is_real(match["secret"]):
                yield _Span(*match.span("secret"), kind)
    done = 0
    for match in _assignments(text):
        if match.start() >= done and _is_assigned_secret(match):
            done = match.end()
            start, end = match.span("quoted" if match["quoted"] else "bare")
            end -= len(match[0]) - len(match[0].rstrip("*_")) if match["bare"] else 0
            yield _Span(start, end, "password" if match["password"] else "secret")


def _tokens(text: str) -> Iterator[_Span]:
    for form in TOKENS:
        if any(start in text for start in form.starts):
            for match in re.finditer(form.pattern, text):
                if not re.search(SHOWN, match["secret"]):
                    yield _Span(*match.span("secret"), form.kind)


def _assignments(text: str) -> Iterator[re.Match[str]]:
    lower = text.lower()
    if len(lower) != len(text):  # a few letters become two
        yield from re.finditer(ASSIGNMENT, text)
        return
    form = re.compile(ASSIGNMENT)
    for start in re.finditer(ASSIGNMENT_STARTS, lower):
        if match := form.match(text, start.start()):
            yield match


def _is_real(value: str) -> bool:
    """Tell a value from what stands for one: `<password>`, `${PASSWORD}`, `xxxx`."""
    if re.search(STANDS_FOR, value) or _NAME.fullmatch(value) or len(set(value)) < 3:  # noqa: PLR2004 - as in "-_-_"
        return False
    return _kinds(value) > 1 or not re.search(NAMES_IT, value)


def _is_assigned_secret(match: re.Match[str]) -> bool:
    """Judge an assignment by the name, the sign, the form of the value, and what follows it."""
    quoted, bare = match["quoted"], match["bare"]
    value = bare.rstrip(".:!?*_") if bare else quoted
    if not _is_real(value) or match["sign"] == "==":
        return False
    if bare and match["after"] in {"(", "["}:
        return False  # a call, an index
    # `=` without blanks, as in a shell, an address or a settings file.
    tight = match["sign"] == "=" and not (match["closing"] + match["opening"]).strip("\"'`")
    if match["password"]:
        return _is_password(value, sure=bool(quoted) or (tight and match["after"] == ""))
    return _is_key(value, sure=bool(quoted) or tight)


def _is_password(value: str, *, sure: bool) -> bool:
    """Judge what is given as a password.

    Args:
        value: What stands there.
        sure: Its form says that it is a value, and not the next word of a sentence.
    """
    if " " in value and _LABEL.fullmatch(value):
        return False  # a text of a program: "Enter it again"
    if _kinds(value) > 1:
        return len(value) >= 6  # noqa: PLR2004 - what servers ask for at least
    # One kind of characters: a word, a name, a number. A bare "Geheimnis" may be a label.
    return sure and len(value) >= 8 and not re.fullmatch("[A-Z][a-z]+", value)  # noqa: PLR2004 - what careful servers ask for


def _is_key(value: str, *, sure: bool) -> bool:
    """Judge what is given as a key or token: those are made by machines, and long."""
    if " " in value or _kinds(value) < 2 or not re.search(r"\d", value):  # noqa: PLR2004 - more than a word or a number
        return False
    in_words = sum(len(word) for word in _WORDS.findall(value))
    return len(value) >= (10 if sure else 16) and in_words * 2 < len(value)


def _kinds(value: str) -> int:
    """Count the kinds of characters: letters, digits, others but `.`, `-` and `_`."""
    return sum(bool(re.search(kind, value)) for kind in (r"[^\W\d_]", r"\d", r"[^\w.\-]"))
