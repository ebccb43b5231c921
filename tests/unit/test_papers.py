"""The papers name what there is: links lead somewhere, and rooms and files exist."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/personal_context"
PAPERS = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")})
NAMING_FILES = [ROOT / "docs/architecture.md", ROOT / "CONTRIBUTING.md"]

LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED_FILE = re.compile(r"`(\.?[\w/]+(?:\.(?:py|sql|md|toml|lock)|/))`")


@pytest.mark.parametrize("paper", PAPERS, ids=lambda path: path.name)
def test_links_between_papers_lead_to_files(paper):
    for target in LINK.findall(paper.read_text("utf-8")):
        if not target.startswith(("https://", "http://", "#")):
            path = unquote(target.partition("#")[0])
            assert (paper.parent / path).exists(), target


@pytest.mark.parametrize("paper", NAMING_FILES, ids=lambda path: path.name)
def test_every_file_that_is_named_exists(paper):
    names = NAMED_FILE.findall(paper.read_text("utf-8"))

    assert len(names) >= 10
    for name in names:
        if "NNNN" in name:
            continue  # a pattern
        assert (ROOT / name).exists() or (SOURCE / name).exists(), name


def rows_of(title):
    """Return the cells of the table under a heading of the map, without its head."""
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    section = text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_each_room_has_one_row_in_the_map():
    rooms = [room.strip("`") for room, _, _ in rows_of("Rooms")]
    there = {
        f"{path.name}/" if path.is_dir() else path.name
        for path in SOURCE.iterdir()
        if not path.name.startswith("_") and path.suffix in {"", ".py"}
    }

    assert len(rooms) == len(set(rooms))
    assert there <= set(rooms)
    assert all((SOURCE / room).exists() for room in rooms)


def test_each_row_of_the_map_says_what_it_is_and_where_to_begin():
    for room, does, begin in rows_of("Rooms"):
        names = re.findall(r"`([^`]+)`", begin)
        assert does, room
        assert names, room
        for name in names:
            assert name.startswith(room.strip("`")), (room, name)
            assert (SOURCE / name).exists(), name


def test_every_decision_is_in_the_table():
    text = (ROOT / "docs/architecture.md").read_text("utf-8")

    for path in (ROOT / "docs/decisions").glob("*.md"):
        title = path.read_text("utf-8").partition("\n")[0]
        number, _, name = title.removeprefix("# ").partition(". ")
        assert path.name.startswith(f"{int(number):04}-"), path.name
        assert f"| [{number}](decisions/{path.name}) | {name} |" in text
