"""Prompts with blanks: `{{names}}` in a text that somebody fills in. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from personal_context.domain.models import Content

LONGEST_NAME = 60

_BLANK = re.compile(r"\{\{\s*([^{}\n]{1,60}?)\s*\}\}")
_NO_LETTER = re.compile(r"[^a-z0-9]+")
_NO_WORD = re.compile(r"\W+")


def blanks(text: str) -> list[str]:
    r"""Return the names of a text's blanks, each once, in the order of appearance.

    Case, blanks and marks make no difference: `{{Your name}}` and `{{ your\_name }}` are one.

    >>> blanks("Dear {{ Your name }}, on {{date}}, {{your_name}} {{}} {{ * }}")
    ['your_name', 'date']
    """
    names = (_name(match[1]) for match in _BLANK.finditer(text))
    return list(dict.fromkeys(name for name in names if name))


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with the values in its blanks. Blanks in a value stay as they are.

    >>> filled("Dear {{ Name }}, {{x}}", {"name": "{{x}}"})
    'Dear {{x}}, {{x}}'
    """
    return _BLANK.sub(lambda match: values.get(_name(match[1]), match[0]), text)


def prompt_names(contents: Sequence[Content]) -> Mapping[str, Content]:
    """Return contents by names that clients can show as commands: their titles, without accents.

    Of two with one name, the second is called `name-2`.
    """
    named: dict[str, Content] = {}
    for content in contents:
        wanted = slug(content.title) or f"prompt-{(content.url_id or content.id[:8]).lower()}"
        named[_free(wanted, named)] = content
    return named


def slug(title: str) -> str:
    """Return a title as a name.

    >>> slug("Révision: Code & Tests!"), slug("\u65e5\u8a18")
    ('revision-code-tests', '')
    """
    plain = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    return _NO_LETTER.sub("-", plain).strip("-")[:LONGEST_NAME].rstrip("-")


def _name(written: str) -> str:
    return _NO_WORD.sub("_", written.replace("\\", "").casefold()).strip("_")


def _free(wanted: str, taken: Iterable[str]) -> str:
    if wanted not in taken:
        return wanted
    number = 2
    while f"{wanted}-{number}" in taken:
        number += 1
    return f"{wanted}-{number}"
