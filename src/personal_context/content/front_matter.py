"""YAML front matter: taken out of a Markdown text as metadata, and put back. Pure.

Outline would make a rule and a heading of it. Scalars are read by YAML 1.2's core schema, and only
where nothing is lost: `1.10`, `007`, `10:30`, `no` and `2026-03-01` stay the text that they are.
Values are built by hand from YAML's node tree, so no tag of a stranger makes an object.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import yaml

LIMIT = 64_000
"""Characters of front matter that are read; a text that begins with more has none."""

NODES = 10_000
"""Values that front matter may have when its aliases are followed: a bomb has billions."""

DEPTH = 50
"""Levels of lists and mappings."""

_OPENING = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_BLANK = re.compile(r"[ \t]*\r?\n")
_INT = re.compile(r"0|-?[1-9][0-9]{0,999}")
_BRACKET = re.compile(r"[\[\]{}]")
_OTHER_BREAK = re.compile("[\r\x85\u2028\u2029]")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+(?:[eE][-+][0-9]+)?")


@dataclass(frozen=True, slots=True)
class Parted:
    """A text without its front matter.

    Attributes:
        body: The text behind it, without the blank line that parts them; all of the text if
            nothing was taken out.
        metadata: What it said, as JSON knows it.
        problem: Why something that looks like front matter was left in the text, or None.
    """

    body: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    problem: str | None = None


def take_out(text: str, *, limit: int = LIMIT) -> Parted:
    """Part a text from its front matter, if it begins with any. Takes any string.

    What can't be read is left where it is. Two rules with a paragraph between them are no front
    matter.

    Args:
        text: Markdown.
        limit: Characters of front matter that are read.
    """
    opening = _OPENING.match(text)
    closing = opening and _CLOSING.search(text, opening.end(), opening.end() + limit)
    if not opening or not closing:
        return Parted(text)
    try:
        metadata = _read(text[opening.end() : closing.start()])
    except _Unreadable as error:
        return Parted(text, problem=str(error))
    if metadata is None:
        return Parted(text)
    blank = _BLANK.match(text, closing.end())
    return Parted(text[blank.end() if blank else closing.end() :], metadata)


def put_back(metadata: Mapping[str, Any], body: str) -> str:
    """Return the text with front matter: `take_out` gives the same metadata and body again.

    Args:
        metadata: A JSON object, written in its order. Without any, nothing is put before the
            body, unless the body would be taken for front matter itself.
        body: Markdown.
    """
    if metadata:
        return f"---\n{_written(metadata)}---\n\n{body}"
    return body if take_out(body) == Parted(body) else f"---\n---\n\n{body}"


class _Unreadable(Exception):
    """Says in one line what is wrong with front matter."""


def _read(source: str) -> dict[str, Any] | None:
    """Return the mapping that YAML holds; None if it holds something else."""
    if not source.strip():
        return {}
    if _unclosed(source) > 2 * DEPTH:  # PyYAML would take seconds to find that out
        raise _Unreadable("it is nested too deep")
    try:
        root = yaml.compose(source, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1  # the rule is line 1
        raise _Unreadable(f"line {line}: {error.problem or 'it is not YAML'}") from None
    except yaml.YAMLError as error:
        raise _Unreadable(" ".join(str(error).split())[:200]) from None
    except RecursionError:
        raise _Unreadable("it is nested too deep") from None
    if root is None:  # comments alone
        return {}
    if not isinstance(root, yaml.MappingNode):
        return None
    found: dict[str, Any] = _Values().mapping(root, 0)
    return found


def _unclosed(source: str) -> int:
    """Return how many brackets are open at once, at most; quotes are not looked at."""
    opened = (1 if bracket in "[{" else -1 for bracket in _BRACKET.findall(source))
    return max(accumulate(opened), default=0)


class _Values:
    """Builds plain values from nodes, and stops where there are too many."""

    def __init__(self) -> None:
        self._left = NODES

    def mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _Unreadable(f"line {key.start_mark.line + 2}: a key is not a word")
            if key.value in found:
                raise _Unreadable(f"line {key.start_mark.line + 2}: {key.value!r} is there twice")
            found[key.value] = self.value(value, depth + 1)
        return found

    def value(self, node: yaml.Node, depth: int) -> Any:  # noqa: ANN401 - any JSON value
        self._left -= 1
        if self._left < 0:
            raise _Unreadable(f"it has more than {NODES:,} values")
        if depth > DEPTH:
            raise _Unreadable(f"it is nested deeper than {DEPTH} levels")
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, depth)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, depth + 1) for item in node.value]
        return _scalar(node.tag, node.value)


def _scalar(tag: str, text: str) -> Any:  # noqa: ANN401 - any JSON scalar
    match tag.removeprefix("tag:yaml.org,2002:"):
        case "null":
            return None
        case "bool" if text.lower() in {"true", "false"}:
            return text.lower() == "true"
        case "int" if _INT.fullmatch(text):
            return int(text)
        case "float" if _FLOAT.fullmatch(text) and _float_text(float(text)) == text.lower():
            return float(text)
        case _:
            return text


def _float_text(number: float) -> str:
    """Return a float as YAML 1.1 and 1.2 both read it: with a dot, also before an exponent."""
    text = repr(number)
    return text if "." in text else text.replace("e", ".0e", 1)


class _Loader(yaml.SafeLoader):
    """Composes nodes; which scalars are no text is decided by the core schema's forms."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - as PyYAML has it


for _tag, _form, _first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("int", rf"^(?:{_INT.pattern})$", "-0123456789"),
    ("float", rf"^(?:{_FLOAT.pattern})$", "-0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_form), list(_first))


class _Dumper(yaml.SafeDumper):
    """Writes JSON values; quotes whatever a reader of YAML 1.1 or 1.2 could mistake.

    Dates alone stay bare: they are text to us, and dates to whoever expects them.
    """

    yaml_implicit_resolvers = {  # noqa: RUF012 - as PyYAML has it
        first: [(tag, form) for tag, form in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in yaml.SafeDumper.yaml_implicit_resolvers.items()
    }

    def ignore_aliases(self, _data: Any) -> bool:  # noqa: ANN401 - as PyYAML has it
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - as PyYAML has it
        super().increase_indent(flow, indentless=False)

    def represent_number(self, data: float) -> yaml.ScalarNode:
        return self.represent_scalar("tag:yaml.org,2002:float", _float_text(data))

    def represent_text(self, data: str) -> yaml.ScalarNode:
        style = None
        if _OTHER_BREAK.search(data):
            style = '"'  # left bare or in single quotes they would be folded away
        elif "\n" in data:
            style = "|"
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)


_Dumper.add_representer(float, _Dumper.represent_number)
_Dumper.add_representer(str, _Dumper.represent_text)


def _written(metadata: Mapping[str, Any]) -> str:
    text: str = yaml.dump(
        dict(metadata),
        Dumper=_Dumper,
        allow_unicode=True,
        default_flow_style=False,
        sort_keys=False,
        width=2**31,
    )
    # After a text that ends in empty lines YAML ends the document; that would end ours too.
    return text[: -len("...\n")] if text.endswith("\n...\n") else text
