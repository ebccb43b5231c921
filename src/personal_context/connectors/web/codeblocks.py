"""Code on pages: highlighted, numbered and copied in a dozen ways, made plain. Pure."""

import re

from bs4 import BeautifulSoup, Tag

from personal_context.connectors.web.html import (
    BLOCKS,
    all_tags,
    attribute,
    classes,
    is_text,
    remove,
    tags_in,
)

_LANGUAGE = re.compile(
    r"(?:language|lang|highlight-source|highlight|brush|src|code)[-:_]([A-Za-z][\w+#.-]{0,20})"
)
_BRUSH = re.compile(r"brush:\s*([A-Za-z][\w+#-]{0,20})")
_NO_LANGUAGE = re.compile(
    r"block|box|container|content|default|inline|lines?|none|notranslate|nohighlight|plain|"
    r"plaintext|snippet|source|text|toolbar|wrapper|wrap|example|sample|section|area|view|txt"
)
# Classes that are a language without saying so; on `pre` and `code` only.
_BARE = re.compile(
    r"bash|c|cpp|csharp|css|diff|elixir|go|haskell|html|java|javascript|js|json|kotlin|lua|perl|"
    r"php|powershell|python|r|ruby|rust|scala|scss|shell|sql|swift|toml|ts|typescript|xml|yaml"
)

_NAME = re.compile(r"[a-z][\w+#.-]{0,20}")

_NUMBERS = re.compile(
    r"(?:hljs-)?(?:ln|line-?(?:no|nos|number|numbers|num))|linenos?|linenodiv|gutter|rouge-gutter|"
    r"lnt|lnlinks|hljs-ln-n(?:umbers)?|react-syntax-highlighter-line-number|blob-num|number\d*"
)
_ONLY_NAME = re.compile(r"[a-z][\w+#.-]{0,20}")

_NUMBERS = re.compile(r"[\s\d.]+")
_ONLY_NUMBERS = re.compile(r"[\s\d.]+")
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\U000e0000-\U000e01ef\u202a-\u202e\u2066-\u2069]")


def plain_code(root: Tag) -> None:
    """Make each block of code one `<pre>` of text, its language in `data-language`."""
    for table in root.find_all("table"):
        _unnumbered(table)
    for pre in root.find_all("pre"):
        if pre.find_parent("pre") is not None:
            continue
        language = _language(pre)
        text = code_text(pre)
        pre.clear()
        pre.attrs = {"data-language": language} if language else {}
        pre.string = text


def code_text(tag: Tag) -> str:
    """Return code as it stands, with a line for each element that is one."""
    for number in all_tags(tag):
        if any(_NUMBERS.fullmatch(c) for c in classes(number)):
            remove(number)
    return _INVISIBLE.sub("", _lines(tag)).replace("\xa0", " ").strip("\n")


def _lines(root: Tag) -> str:
    """Return an element's text, with a line for each element in it that is a block."""
    parts: list[str] = []
    left: list[object] = [*reversed(root.contents)]
    while left:
        node = left.pop()
        if isinstance(node, Tag):
            inside = [*reversed(node.contents)]
            left += [None, *inside, None] if node.name in BLOCKS else inside
            if node.name == "br":
                parts.append("\n")
        elif is_text(node):
            parts.append(str(node))
        elif node is None and parts and not parts[-1].endswith("\n"):
            parts.append("\n")
    return "".join(parts)


def _unnumbered(table: Tag) -> None:
    """Replace a table of line numbers and code by the code."""
    rows = [row for row in table.find_all("tr") if row.find_parent("table") is table]
    cells = [[cell for cell in tags_in(row) if cell.name in {"td", "th"}] for row in rows]
    if not cells or any(len(row) != 2 for row in cells):  # noqa: PLR2004 - numbers and code
        return
    codes = [row[1] for row in cells]
    if not all(code.find(["pre", "code"]) or "code" in " ".join(classes(code)) for code in codes):
        return
    if not all(_ONLY_NUMBERS.fullmatch(row[0].get_text() or " ") for row in cells):
        return
    if table.find_parent("pre") is not None:
        for row in cells:
            remove(row[0])
        return
    pre = BeautifulSoup("", "lxml").new_tag("pre")
    language = next(filter(None, map(_language, [*codes, table])), "")
    pre.string = "\n".join(code_text(code) for code in codes)
    if language:
        pre["data-language"] = language
    if table.parent is not None:
        table.replace_with(pre)


def _language(tag: Tag) -> str:
    """Return the language that a block of code, or what is right around it, names; else empty."""
    around = [tag, *tag.find_all("code", limit=1), *list(tag.parents)[:3]]
    for near in around:
        for name in ("data-language", "data-lang", "lang-name", "language"):
            if found := _known(attribute(near, name)):
                return found
        parameters = (
            f"{attribute(near, 'data-syntaxhighlighter-params')} {attribute(near, 'class')}"
        )
        if brush := _BRUSH.search(parameters):
            return brush[1].lower()
        for name in classes(near):
            match = _LANGUAGE.fullmatch(name)
            if match and (found := _known(match[1])):
                return found
    for near in around[:2]:
        for name in classes(near):
            if _BARE.fullmatch(name.lower()):
                return name.lower()
    return ""


def _known(name: str) -> str:
    name = name.strip().lower()
    return name if _NAME.fullmatch(name) and not _NO_LANGUAGE.fullmatch(name) else ""
