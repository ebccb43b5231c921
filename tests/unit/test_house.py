"""The rules of the house that a machine can hold."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_LINES = 400
FILES = sorted(
    path
    for folder in ("src", "tests", "bench", "models", ".")
    for path in (ROOT / folder).glob("*.py" if folder == "." else "**/*.py")
    if ".venv" not in path.relative_to(ROOT).parts
)
SILENCED = re.compile(r"#\s*(?:ruff:\s*)?noqa\b(?P<rest>.*)", re.IGNORECASE)
WITH_REASON = re.compile(r": [A-Z]+[0-9]+(?:, [A-Z]+[0-9]+)* - \S+ \S+.*")


def named(path):
    return str(path.relative_to(ROOT))


def silenced(text):
    """Yield (line number, what follows `noqa`) of each rule that is switched off."""
    for number, line in enumerate(text.splitlines(), start=1):
        for found in SILENCED.finditer(line):
            yield number, found["rest"]


def test_every_file_is_looked_at():
    assert len(FILES) > 200
    assert {"main.py", named(Path(__file__))} <= {named(path) for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=named)
def test_a_file_has_at_most_400_lines(path):
    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES


def test_a_rule_is_switched_off_by_name_and_with_a_reason():
    bare = [
        f"{named(path)}:{number}"
        for path in FILES
        if path != Path(__file__)
        for number, rest in silenced(path.read_text("utf-8"))
        if not WITH_REASON.fullmatch(rest)
    ]

    assert bare == []


@pytest.mark.parametrize(
    "line",
    [
        "x  # noqa",
        "x  # noqa: S608",
        "x  # noqa: S608 -",
        "# ruff: noqa",
        "x  #NOQA:S608 - it is so",
    ],
)
def test_a_switch_without_a_name_or_a_reason_is_found(line):
    [(_, rest)] = silenced(line)

    assert not WITH_REASON.fullmatch(rest)


def test_a_switch_with_a_reason_is_left_alone():
    [(_, rest)] = silenced("x  # noqa: S608, PLR2004 - values are bound")

    assert WITH_REASON.fullmatch(rest)
