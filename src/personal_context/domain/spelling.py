"""Markdown in one spelling: what Outline writes otherwise is written alike, all else stays."""

import re

# Each rule undoes a difference that Outline itself makes between what it is sent and what it
# returns (seen on running servers). What a person can mean is left: signs, addresses, emphasis.
_IMAGE = re.compile(r"!\[([^\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\s*\)")
_SETEXT = re.compile(r"^(?=\S)(.+)\n(?:(=+)|-+)[ \t]*$", re.MULTILINE)
_ITS_OWN = re.compile(r"(?<=\])\((?:/api/attachments|mention://)[^()\s]*(?:\s+\"[^\"]*\")?\s*\)")
_OWN_NAME = re.compile(r"\[(https?://[^\]\s]+)\]\(\1/?\)|<(https?://[^>\s]+)>")
_HARD_BREAK = re.compile(r"\\+n|<br\s*/?>|\\$", re.MULTILINE | re.IGNORECASE)
_ESCAPED = re.compile(r"\\([^\w\s]|_)")
_RULE = re.compile(r"^[ \t>]*([-*_])(?:[ \t]*\1){2,}[ \t]*$", re.MULTILINE)
_BULLET = re.compile(r"^([ \t>]*)[-*+](?=[ \t])", re.MULTILINE)
_NUMBER = re.compile(r"^([ \t>]*)\d+[.)](?=[ \t])", re.MULTILINE)
_FENCE = re.compile(r"^([ \t>]*)~~~+", re.MULTILINE)
_STRONG = re.compile(r"(?<!\w)__(?=\S)|(?<=\S)__(?!\w)")
_EMPHASIS = re.compile(r"(?<![\w_])_(?=[^\s_])|(?<=[^\s_])_(?![\w_])")
_TABLE_RULE = re.compile(r"(?<=\|):?-+:?(?=\||$)", re.MULTILINE)
_SPACE = re.compile(r"\s+")


def respelt(text: str) -> str:
    r"""Return a text in one spelling, without spaces, to be compared and for nothing else.

    Two texts that are equal in it say the same, to the sign: only marks of the same meaning, white
    space, numbers of lists, and addresses that Outline itself makes may differ. Texts that say the
    same may differ in it; then somebody looks who need not have.

    >>> respelt("- __a__\n- b  \nc") == respelt("* **a**\n* b\\nc")
    True
    >>> respelt("x < 5") == respelt("x > 5")
    False
    """
    for form, spelling in (
        (_IMAGE, r"![\1]"),
        (_ITS_OWN, ""),
        (_OWN_NAME, r"\1\2"),
        (_HARD_BREAK, "\n"),
        (_ESCAPED, r"\1"),
        (_SETEXT, lambda found: f"#{'' if found[2] else '#'} {found[1]}"),
        (_RULE, "---"),
        (_BULLET, r"\1*"),
        (_NUMBER, r"\g<1>1."),
        (_FENCE, r"\1```"),
        (_STRONG, "**"),
        (_EMPHASIS, "*"),
        (_TABLE_RULE, "-"),
        (_SPACE, ""),
    ):
        text = form.sub(spelling, text)
    return text
