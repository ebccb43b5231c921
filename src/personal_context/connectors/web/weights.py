"""How much text stands where: what tells prose from menus. Pure."""

import re
from dataclasses import dataclass
from typing import Final

from bs4 import Tag

from personal_context.connectors.web.html import BLOCKS, HEADINGS, all_tags, is_text

SHORTEST_PROSE: Final = 25
"""Characters outside links that make a block more than a label."""

# A character of Chinese, Japanese or Korean says about as much as this many of an alphabet.
_WIDE: Final = 3
_WIDE_CHARACTER = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


@dataclass(slots=True)
class Weight:
    """What an element holds, with all below it.

    Attributes:
        chars: Characters, blanks as one.
        linked: Those in links.
        links: Links with text.
        prose: Characters outside links of blocks that are more than a label.
        paragraphs: Such blocks.
    """

    chars: int = 0
    linked: int = 0
    links: int = 0
    prose: int = 0
    paragraphs: int = 0

    @property
    def density(self) -> float:
        """Share of the text that is links, 0..1."""
        return self.linked / self.chars if self.chars else 0.0

    def add(self, other: "Weight") -> None:
        """Add what an element below holds."""
        self.chars += other.chars
        self.linked += other.linked
        self.links += other.links
        self.prose += other.prose
        self.paragraphs += other.paragraphs


class Weights:
    """The weights of a tree, as it was when they were taken."""

    def __init__(self, root: Tag) -> None:
        self._weights: dict[int, Weight] = {}
        # Elements are told apart by id(); holding them keeps their ids from being given again.
        self._tags = [root, *all_tags(root)]
        self._linked: set[int] = set()
        for tag in self._tags:
            if tag.name == "a" or id(tag.parent) in self._linked:
                self._linked.add(id(tag))
        for tag in reversed(self._tags):
            self._weigh(tag)

    def __getitem__(self, tag: Tag) -> Weight:
        return self._weights[id(tag)]

    def _weigh(self, tag: Tag) -> None:
        """Weigh an element whose children have been weighed."""
        weight = self._weights[id(tag)] = Weight()
        own = Weight()  # text of this block itself, inline elements included
        for child in tag.children:
            if isinstance(child, Tag):
                below = self._weights[id(child)]
                weight.add(below)
                if child.name not in BLOCKS and not below.paragraphs:
                    own.add(below)
            elif is_text(child):
                size = _size(str(child))
                weight.chars += size
                own.chars += size
        if id(tag) in self._linked:
            weight.linked, weight.links = weight.chars, int(weight.chars > 0)
        elif tag.name in BLOCKS and tag.name not in HEADINGS:
            free = own.chars - own.linked
            if free >= SHORTEST_PROSE or (tag.name == "pre" and own.chars):
                weight.prose += own.chars if tag.name == "pre" else free
                weight.paragraphs += 1


def _size(text: str) -> int:
    text = " ".join(text.split())
    return len(text) + (_WIDE - 1) * len(_WIDE_CHARACTER.findall(text))
