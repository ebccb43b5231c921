"""What a site asks of programs: robots.txt, as RFC 9309 reads it. Pure."""

from collections.abc import Iterator
from typing import Final

ROBOTS_PATH: Final = "/robots.txt"
LARGEST: Final = 512_000
"""Bytes of a robots.txt that are read; the RFC asks for 500 KiB."""

_Rule = tuple[bool, str]
"""(allows, pattern of a path)"""


def allows(robots: str, agent: str, path: str) -> bool:
    """Tell whether a robots.txt lets a program fetch a path.

    The longest rule that fits decides; of two as long, the one that allows. What isn't understood
    is passed over.

    Args:
        robots: The file.
        agent: The program's name in it, in lower case.
        path: With its query, as it is sent.
    """
    best: _Rule = (True, "")
    for rule in _rules(robots, agent):
        allowed, pattern = rule
        if (len(pattern), allowed) >= (len(best[1]), best[0]) and _fits(pattern, path):
            best = rule
    return best[0]


def _rules(robots: str, agent: str) -> list[_Rule]:
    """Return the rules of the groups for the agent, else of those for everybody."""
    groups: dict[str, list[_Rule]] = {}
    names: list[str] = []
    in_rules = False
    for field, value in _lines(robots):
        if field == "user-agent":
            if in_rules:
                names, in_rules = [], False
            names.append(value.lower())
            groups.setdefault(value.lower(), [])
        elif field in {"allow", "disallow"}:
            in_rules = True
            if value:  # an empty Disallow forbids nothing
                for name in names:
                    groups[name].append((field == "allow", value))
    return groups.get(agent, groups.get("*", []))


def _lines(robots: str) -> Iterator[tuple[str, str]]:
    for line in robots.removeprefix("\ufeff").splitlines():
        field, colon, value = line.partition("#")[0].partition(":")
        if colon:
            yield field.strip().lower(), value.strip()


def _fits(pattern: str, path: str) -> bool:
    """Match a path from its start; `*` stands for anything, `$` at the end for the end."""
    to_the_end = pattern.endswith("$")
    first, *others = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    position = len(first)
    last = others.pop() if others else None
    for part in others:
        found = path.find(part, position)
        if found < 0:
            return False
        position = found + len(part)
    if last is None:
        return not to_the_end or position == len(path)
    if to_the_end:
        return path.endswith(last) and len(path) - len(last) >= position
    return path.find(last, position) >= 0
