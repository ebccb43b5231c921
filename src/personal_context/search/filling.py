"""Fill a budget of tokens with sections, in a given order. Decided without I/O."""

import re
from bisect import insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from personal_context.domain.models import ContentId, Passage, StoredSection

CLEAN_TOKENS = 12
"""What is given up at most so that a text ends with a line or a sentence."""

_SLACK = 500
"""Tokens over the budget from which no joining of passages leads back into it."""

_STEP_CHARACTERS = 32
"""Between two places where a text may be cut, roughly; about 8 tokens."""

_WORD = re.compile(r"\S+")
_SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f][)\]\"'\u201d\u2019]*$")


@dataclass(frozen=True, slots=True)
class Part:
    """A section as far as it is used: its text, or the beginning of it."""

    section: StoredSection
    text: str

    @property
    def whole(self) -> bool:
        """Whether nothing is cut off."""
        return len(self.text) == len(self.section.text)


Measure = Callable[[ContentId, Sequence[Part]], int]
"""Tokens of a content as it is shown, with these parts of it in reading order."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What fits.

    Attributes:
        parts: Of each content in reading order; contents in the order of their best sections.
        complete: Everything fits.
    """

    parts: Mapping[ContentId, Sequence[Part]]
    complete: bool


def fill(order: Sequence[StoredSection], budget: int, measure: Measure) -> Filled:
    """Take sections from the beginning of an order, as many as fit, and what fits of the next.

    It is the most that fits of that order: all that a budget gives, a larger one gives too, and at
    least as many tokens. That holds although two passages with a gap between them may cost more
    than one without.

    Args:
        order: Distinct sections, the most wanted first.
        budget: Tokens, for all contents together.
        measure: Called about twice for each section that fits.
    """
    count = _fitting(order, budget, measure)
    parts: dict[ContentId, list[Part]] = {}
    for section in order[:count]:
        _insert(parts, Part(section, section.text))
    if count < len(order):
        spent = {one: measure(one, own) for one, own in parts.items()}
        following = order[count]
        left = budget - sum(spent.values()) + spent.get(following.content_id, 0)
        own = parts.get(following.content_id, [])
        if beginning := _beginning(following, own, left, measure):
            _insert(parts, beginning)
    return Filled(parts, complete=count == len(order))


def passages(parts: Iterable[Part]) -> tuple[Passage, ...]:
    """Join parts that follow each other without a gap.

    Args:
        parts: Of one content, in reading order.
    """
    runs: list[list[Part]] = []
    for part in parts:
        last = runs[-1][-1] if runs else None
        if last and last.whole and last.section.ordinal + 1 == part.section.ordinal:
            runs[-1].append(part)
        else:
            runs.append([part])
    return tuple(_passage(run) for run in runs)


def _fitting(order: Sequence[StoredSection], budget: int, measure: Measure) -> int:
    parts: dict[ContentId, list[Part]] = {}
    spent: dict[ContentId, int] = {}
    total = fitting = 0
    for count, section in enumerate(order, start=1):
        own = _insert(parts, Part(section, section.text))
        cost = measure(section.content_id, own)
        total += cost - spent.get(section.content_id, 0)
        spent[section.content_id] = cost
        if total <= budget:
            fitting = count
        elif total > budget + _SLACK:
            break
    return fitting


def _insert(parts: dict[ContentId, list[Part]], part: Part) -> list[Part]:
    own = parts.setdefault(part.section.content_id, [])
    insort(own, part, key=lambda one: one.section.ordinal)
    return own


def _beginning(
    section: StoredSection, own: Sequence[Part], budget: int, measure: Measure
) -> Part | None:
    """Return the longest beginning of a section that fits; a little less for a clean end."""
    fitting: list[tuple[Part, int]] = []
    for end in _ends(section.text):
        part = Part(section, section.text[:end])
        parts = sorted([*own, part], key=lambda one: one.section.ordinal)
        if (cost := measure(section.content_id, parts)) <= budget:
            fitting.append((part, cost))
    if not fitting:
        return None
    longest, most = fitting[-1]
    for part, cost in reversed(fitting):
        if most - cost > CLEAN_TOKENS:
            break
        if _ends_clean(part):
            return part
    return longest


def _ends(text: str) -> list[int]:
    """Return where a text may be cut: after words, inside very long ones, not far apart."""
    ends: list[int] = []
    for word in _WORD.finditer(text):
        ends += range(word.start() + _STEP_CHARACTERS, word.end(), _STEP_CHARACTERS)
        last = ends[-1] if ends else 0
        if word.end() - last >= _STEP_CHARACTERS or _is_clean(text, word.end()):
            ends.append(word.end())
    return [end for end in ends if end < len(text.rstrip())]


def _ends_clean(part: Part) -> bool:
    return _is_clean(part.section.text, len(part.text))


def _is_clean(text: str, end: int) -> bool:
    return text[end : end + 1] == "\n" or bool(_SENTENCE_END.search(text, max(0, end - 3), end))


def _passage(run: Sequence[Part]) -> Passage:
    first, last = run[0], run[-1]
    text = first.text
    for before, part in pairwise(run):
        text += _between(before.section, part.section) + part.text
    path = first.section.heading_path
    return Passage(
        # A section that begins with its own heading shows it.
        heading_path=path[:-1] if first.text.lstrip().startswith("#") else path,
        text=text if last.whole else f"{text} \u2026",
        line_start=first.section.line_start,
        line_end=last.section.line_end,
        cut=not last.whole,
    )


def _between(before: StoredSection, after: StoredSection) -> str:
    """Return what stood between two sections: line ends, or the blank in a long line."""
    lines = after.line_start - before.line_end
    # Writing without blanks is cut anywhere; a blank would be new there.
    return "\n" * lines if lines > 0 else " " if before.text[-1:].isascii() else ""
