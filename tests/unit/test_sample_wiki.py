import re
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote

import personal_context.upstream.sandbox

WIKI = Path(personal_context.upstream.sandbox.__file__).parent / "wiki"
FILES = sorted(WIKI.rglob("*.md"))
COLLECTIONS = ["Handbook", "Runbooks", "Decisions", "Product", "Agent prompts"]

LINK = re.compile(r"\]\(([^)\s]+)\)")
FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n\n", re.DOTALL)
STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")

SCRIPTS = {
    "ja": r"[\u3041-\u30ff]",  # kana come first: Japanese uses Chinese characters too
    "zh": r"[\u4e00-\u9fff]",
    "ru": r"[\u0430-\u044f]",
}
WORDS = {
    "en": r"\b(?:the|of|and|to|is)\b",
    "de": r"\b(?:und|der|die|nicht|wird|auf)\b",
    "fr": r"\b(?:les|le|la|des|et|est)\b",
    "es": r"\b(?:el|los|las|que|en|y)\b",
}


def parts(path: Path) -> tuple[dict[str, str], str, str]:
    """Return front matter, title and body of one file."""
    text = path.read_text(encoding="utf-8")
    meta = {}
    if found := FRONT_MATTER.match(text):
        meta = dict(line.split(": ", 1) for line in found[1].splitlines())
        text = text[found.end() :]
    heading, _, body = text.partition("\n")
    assert heading.startswith("# "), path
    return meta, heading[2:], body.strip()


def language(body: str) -> str:
    """Name the language by its script, else by its most frequent small words."""
    for code, letter in SCRIPTS.items():
        if len(re.findall(letter, body)) > 50:
            return code
    return max(WORDS, key=lambda code: len(re.findall(WORDS[code], body)))


def test_there_are_enough_documents_for_search_to_be_worth_it():
    assert 55 <= len(FILES) <= 80


def test_the_folders_are_the_five_collections():
    folders = sorted(path.name for path in WIKI.iterdir())

    assert [re.sub(r"^\d\d ", "", name) for name in folders] == COLLECTIONS


def test_every_language_of_the_company_is_spoken_at_least_twice():
    spoken = [language(parts(path)[2]) for path in FILES]

    for code in [*SCRIPTS, *WORDS]:
        assert spoken.count(code) >= 2, code
    assert spoken.count("en") > len(FILES) / 2


def test_titles_are_unique():
    titles = [parts(path)[1].casefold() for path in FILES]

    assert len(set(titles)) == len(titles)


def test_documents_nest_three_deep():
    depths = {len(path.relative_to(WIKI).parts) - 1 for path in FILES}

    assert depths == {1, 2, 3}


def test_every_folder_below_a_collection_has_its_parent_document():
    for folder in WIKI.glob("*/**/"):
        if folder.parent != WIKI:
            assert folder.with_name(f"{folder.name}.md").is_file(), folder


def test_order_is_given_by_numbers_without_gaps():
    for folder in [path for path in WIKI.rglob("*") if path.is_dir()]:
        numbers = sorted({path.name[:2] for path in folder.iterdir()})
        assert numbers == [f"{rank:02}" for rank in range(1, len(numbers) + 1)], folder


def test_there_are_short_and_long_documents():
    lengths = sorted(len(parts(path)[2].split()) for path in FILES)

    assert lengths[-1] <= 1500
    assert sum(length > 800 for length in lengths) >= 3
    assert sum(length < 150 for length in lengths) >= 10


def test_the_dialect_of_outline_is_shown():
    everything = "\n".join(parts(path)[2] for path in FILES)

    for sign in (
        ":::info\n",
        ":::warning\n",
        "+++ ",
        "- [ ] ",
        "- [x] ",
        "\n* ",
        "|----|",
        "```sql",
    ):
        assert sign in everything, sign
    assert re.search(r"\w\\n\w", everything), "a hard break is a backslash and an n"


def test_a_file_is_plain_utf8_that_ends_in_one_newline():
    for path in FILES:
        raw = path.read_bytes()

        assert raw.decode("utf-8").encode("utf-8") == raw, path
        assert raw.endswith(b"\n"), path
        assert not raw.endswith(b"\n\n"), path
        assert b"\r" not in raw, path
        assert b"\t" not in raw, path


def test_a_title_fits_into_outline():
    for path in FILES:
        _, title, body = parts(path)

        assert 0 < len(title) <= 100, path
        assert title == title.strip(), path
        assert body, path
        assert not re.search(r"(?m)^# ", re.sub(r"(?s)```.*?```", "", body)), path


def test_front_matter_holds_two_plausible_dates_and_nothing_else():
    for path in FILES:
        meta, _, body = parts(path)

        assert set(meta) == {"created", "updated"}, path
        assert not body.startswith("---"), path
        assert all(STAMP.fullmatch(stamp) for stamp in meta.values()), path
        created, updated = (datetime.fromisoformat(meta[key]) for key in ("created", "updated"))
        assert datetime.fromisoformat("2024-01-01T00:00:00Z") <= created < updated, path
        assert updated < datetime.fromisoformat("2026-10-01T00:00:00Z"), path


def test_every_relative_link_leads_to_a_document():
    for path in FILES:
        for target in LINK.findall(parts(path)[2]):
            assert "://" not in target, path
            assert " " not in target, path
            file = (path.parent / unquote(target)).resolve()
            assert file.is_file(), target
            assert file.is_relative_to(WIKI.resolve()), path


def test_no_address_points_outside_the_example_domains():
    for path in FILES:
        body = path.read_text(encoding="utf-8")

        for host in re.findall(r"(?:https?://|@)([\w-]+(?:\.[\w-]+)+)", body):
            assert host.endswith((".example", "example.com")), host


def test_code_and_notices_are_closed():
    for path in FILES:
        body = parts(path)[2]

        assert body.count("```") % 2 == 0, path
        assert len(re.findall(r"(?m)^:::", body)) % 2 == 0, path
        assert len(re.findall(r"(?m)^\+\+\+", body)) % 2 == 0, path
