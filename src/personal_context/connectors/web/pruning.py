"""What stands within a text and isn't it: lists of links, labels of buttons, "read more". Pure."""

import re
from collections.abc import Sequence
from typing import Final

from bs4 import Tag

from personal_context.connectors.web.html import (
    BLOCKS,
    HEADINGS,
    TABLE_PARTS,
    all_tags,
    remove,
    tags_in,
    text_of,
)
from personal_context.connectors.web.weights import Weights

_LINKS: Final = 3
_MOST_LINKED: Final = 0.7
_LABEL: Final = 60
"""Characters up to which a block may be a label."""

_LABELLED: Final = frozenset({"div", "p", "section"})

_MOST: Final = 0.4
"""Share of a text up to which it is pruned; a page of links is a page of links."""

_LABELS = re.compile(
    r"""
    advertise?ments? | advertorial | ads? | sponsored(?:\ content)? | anzeige | werbung |
    publicit[ée] | share(?:\ (?:this|on|via|it))?.{0,30} | tweet | pin(?:\ it)? | e-?mail |
    print(?:\ this)?(?:\ (?:article|page))? | facebook | twitter | linkedin | whatsapp | reddit |
    telegram | copy(?:\ link)? | copied!? | loading.{0,5} | (?:continue|keep)\ reading.{0,30} |
    read\ (?:more|next|also|full\ story).{0,5} | (?:story|article)\ continues\ below.{0,30} |
    (?:skip|jump)\ to\ (?:main\ )?(?:content|navigation).{0,20} |
    (?:scroll\ |go\ )?back\ to\ (?:the\ )?top | edit(?:\ this)?(?:\ page)?(?:\ on\ github)? |
    (?:\d+\ )?comments? | no\ comments(?:\ yet)? |
    (?:leave|post|add|write)\ a\ (?:comment|reply).{0,10} | (?:log|sign)\ in.{0,20} |
    subscribe.{0,20} | follow\ (?:us|me).{0,20} | toggle\ navigation | menu | search | close |
    (?:next|previous|prev)(?:\ (?:post|article|page|story))?[\ »«:→←]{0,3} | [|•·›»«→←]+ |
    was\ this\ (?:page\ |article\ )?helpful\?.{0,10} | \d+\ min(?:ute)?s?\ read | on\ this\ page |
    table\ of\ contents
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ASIDES = re.compile(
    r"""
    (?: related | more\ (?:stories|from|on|articles|news|posts|in) | read\ (?:more|next|also) |
        recent\ (?:posts|articles|stories|news|comments) | recommended | you\ (?:may|might)\ |
        also\ (?:read|on) | popular | trending | latest\ (?:news|posts|stories|articles|from) |
        most\ (?:read|popular|viewed) | share\ (?:this|on|article|post) | follow\ us | newsletter |
        subscribe | (?:\d+\ )?comments?\b | leave\ a\ | tags?:?$ | categories:?$ | filed\ under |
        about\ the\ author | advertisement | sponsored | join\ the\ | sign\ up | don.t\ miss |
        editor.s\ picks? | top\ stories | what\ to\ read\ next | up\ next | posted\ in
    ).{0,60}
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LINKED_ASIDE: Final = 0.3
"""Share of links up to which what follows such a heading is a text."""


def prune(roots: Sequence[Tag]) -> None:
    """Take out of a text what isn't it, but not much of it."""
    weights = [Weights(root) for root in roots]
    whole = sum(w[root].chars for w, root in zip(weights, roots, strict=True))
    doomed: list[Tag] = []
    held = 0
    for root, of in zip(roots, weights, strict=True):
        for tag in _worst(root, of):
            doomed.append(tag)
            held += of[tag].chars
    if held > _MOST * whole:
        doomed = [tag for tag in doomed if tag.name in _LABELLED and _reads_as_label(tag)]
    for tag in doomed:
        remove(tag)


def _worst(root: Tag, weights: Weights) -> list[Tag]:
    """Return the outermost elements that are no text."""
    found: list[Tag] = []
    gone: set[int] = set()
    for tag in all_tags(root):
        if id(tag) in gone or id(tag.parent) in gone:
            gone.add(id(tag))
            continue
        if tag.name in HEADINGS and _ASIDES.match(text_of(tag)):
            aside = _aside(tag, weights)
            found += aside
            gone.update(map(id, aside))
        elif tag.name in BLOCKS and (_is_label(tag, weights) or _is_links(tag, weights)):
            found.append(tag)
            gone.add(id(tag))
    return found


def _aside(heading: Tag, weights: Weights) -> list[Tag]:
    """Return a heading and the links that follow it, up to the next text; else nothing."""
    below: list[Tag] = []
    for tag in heading.find_next_siblings():
        weight = weights[tag]
        if tag.name in HEADINGS and tag.name <= heading.name:
            break
        if weight.prose and weight.density < _LINKED_ASIDE:
            break
        below.append(tag)
    linked = sum(weights[tag].linked for tag in below)
    return [heading, *below] if linked else []


def _is_label(tag: Tag, weights: Weights) -> bool:
    short = tag.name in _LABELLED and 0 < weights[tag].chars <= _LABEL
    return short and _reads_as_label(tag)


def _reads_as_label(tag: Tag) -> bool:
    if any(child.name in BLOCKS for child in tags_in(tag)):
        return False
    text = text_of(tag)
    return len(text) <= _LABEL and _LABELS.fullmatch(text) is not None


def _is_links(tag: Tag, weights: Weights) -> bool:
    if tag.name in HEADINGS | (TABLE_PARTS - {"table"}) | {"li", "pre", "dt"}:
        return False
    weight = weights[tag]
    return weight.links >= _LINKS and weight.density > _MOST_LINKED
