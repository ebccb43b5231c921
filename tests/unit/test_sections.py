import re
import time

import pytest
from hypothesis import given, settings, strategies as st

from personal_context.domain.text import embedding_text, section_hash
from personal_context.indexing.sections import MAX_TOKENS, split

_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+|[^\w\s]")


def count(texts):
    return [len(_TOKEN.findall(text)) for text in texts]


def words(number, start=0):
    return " ".join(f"word{i}" for i in range(start, start + number))


def shapes(text, title="Title"):
    """Heading path and text of each section."""
    return [(s.heading_path, text[s.start : s.end]) for s in split(title, text, count)]


def test_headings_make_sections_and_their_paths():
    one, two, three, four = (words(60, start) for start in (0, 100, 200, 300))
    text = f"{one}\n\n# A\n\n{two}\n\n## B `x`\n\n{three}\n\nC **c**\n=====\n\n{four}"
    assert shapes(text) == [
        ((), one),
        (("A",), f"# A\n\n{two}"),
        (("A", "B x"), f"## B `x`\n\n{three}"),
        (("C c",), f"C **c**\n=====\n\n{four}"),
    ]


def test_a_number_sign_in_code_is_no_heading():
    code = f"```sh\n# not a heading\n{words(50)}\n```"
    assert shapes(f"# Real\n\n{code}\n\n    # nor this\n\n{words(60)}") == [
        (("Real",), f"# Real\n\n{code}\n\n    # nor this\n\n{words(60)}")
    ]


def test_paragraphs_are_cut_apart_but_not_torn():
    paragraphs = [words(100, start) for start in range(0, 700, 100)]
    found = shapes("\n\n".join(paragraphs))
    assert [text for _, text in found] == [
        "\n\n".join(paragraphs[i : i + 2]) for i in range(0, 7, 2)
    ]


@pytest.mark.parametrize(
    "block",
    [
        "```\n" + "\n".join(f"line {i} of it" for i in range(50)) + "\n```",
        "| a | b |\n| --- | --- |\n" + "\n".join(f"| {i} | x |" for i in range(40)),
    ],
)
def test_code_and_tables_stay_whole_if_they_fit(block):
    assert 200 < count([block])[0] < MAX_TOKENS - 10
    text = f"{words(100)}\n\n{block}\n\n{words(100)}"
    assert [text for _, text in shapes(text)] == [words(100), block, words(100)]


def test_a_short_lead_in_stays_with_its_block():
    code = "```\n" + "\n".join(f"line {i} of it" for i in range(50)) + "\n```"
    text = f"## Restore\n\nType this:\n\n{code}\n\n{words(100)}"
    assert shapes(text)[0] == (("Restore",), f"## Restore\n\nType this:\n\n{code}")


def test_long_code_is_cut_at_lines():
    text = "```\n" + "\n".join(f"line {i} of the code" for i in range(200)) + "\n```"
    found = split("T", text, count)
    assert len(found) > 3
    assert all(text[s.end : s.end + 1] in ("\n", "") for s in found)


def test_a_long_paragraph_is_cut_at_sentence_ends():
    sentences = [f"Sentence {words(20, i)}." for i in range(0, 1000, 20)]
    text = " ".join(sentences)
    found = split("T", text, count)
    assert len(found) > 3
    assert all(text[s.start : s.end].endswith(".") for s in found)


def test_a_long_paragraph_begins_its_own_section():
    sentences = " ".join(f"Sentence {words(20, i)}." for i in range(0, 400, 20))
    found = shapes(f"{words(100)}\n\n{sentences}\n\n{words(60)}")
    assert found[0] == ((), words(100))
    assert shapes(f"# A\n\n{sentences}")[0][1].startswith("# A\n\nSentence")


def test_a_long_sentence_is_cut_between_words():
    text = words(2000)
    pieces = [piece for _, piece in shapes(text)]
    assert " ".join(pieces) == text
    assert max(count(pieces)) <= MAX_TOKENS


def test_writing_without_blanks_is_cut():
    text = "数据库恢复" * 400
    pieces = [piece for _, piece in shapes(text)]
    assert "".join(pieces) == text
    assert 100 < max(count(pieces)) <= MAX_TOKENS
    sentence = "数据库恢复后停止写入。"
    assert all(piece.endswith("。") for _, piece in shapes(sentence * 100))


def test_an_endless_word_is_cut():
    pieces = [piece for _, piece in shapes("x" * 10_000)]
    assert "".join(pieces) == "x" * 10_000
    assert max(map(len, pieces)) < 5_000


def test_a_heading_with_only_subheadings_goes_with_the_first():
    text = f"# A\n\n## B\n\n{words(60)}\n\n## C\n\n{words(60)}"
    assert [path for path, _ in shapes(text)] == [("A", "B"), ("A", "C")]
    assert shapes(text)[0][1].startswith("# A\n\n## B")


def test_tiny_siblings_are_joined_under_their_parent():
    text = "# Office\n\n## Hours\n\nNine to five.\n\n## Fax\n\nNo.\n\n## Door\n\nGreen."
    assert shapes(text) == [(("Office",), text)]


def test_a_tiny_section_does_not_cross_into_another_chapter():
    text = f"# A\n\n{words(60)}\n\n# B\n\n## C\n\n{words(60)}\n\n## D\n\ntiny\n\n# E\n\n{words(60)}"
    assert [path for path, _ in shapes(text)] == [("A",), ("B",), ("E",)]


def test_a_huge_heading_path_loses_its_outermost_headings():
    headings = [f"h{level} {'a ' * 20}".strip() for level in range(1, 7)]
    text = "\n\n".join(f"{'#' * level} {name}" for level, name in enumerate(headings, 1))
    found = split("Title", f"{text}\n\n{words(150)}", count)
    assert found[-1].heading_path == tuple(headings[-4:])
    assert all(s.token_count <= MAX_TOKENS for s in found)


def test_a_long_heading_is_shortened_in_the_path():
    (section,) = split("T", f"# {'long ' * 100}\n\ntext", count)
    assert section.heading_path == (("long " * 16)[:79].rstrip() + "…",)


@pytest.mark.parametrize("text", ["", " \n\t\n", "\n", "\u00a0"])
def test_a_title_without_text_is_a_section_of_its_own(text):
    [section] = split("Title", text, count)
    assert (section.start, section.end, section.heading_path) == (0, 0, ())
    assert (section.line_start, section.line_end) == (1, 1)
    assert split(" ", text, count) == []


def test_only_link_definitions_are_a_section_too():
    assert shapes("[a]: https://example.com") == [((), "[a]: https://example.com")]


def test_lines_count_from_one():
    text = f"\n\n# A\n\n{words(60)}\n\n# B\n\n{words(60)}\nmore\n"
    assert [(s.line_start, s.line_end) for s in split("T", text, count)] == [(3, 5), (7, 10)]


def test_indentation_of_the_first_line_is_kept():
    assert shapes("\n\n    code\n    more")[0][1] == "    code\n    more"


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# One\n",
            "## Two\n\n",
            "### \n",
            "Setext\n---\n",
            "* item\n",
            "  1. nested\n",
            "> quote\n",
            "```\n# code\n",
            "```\n",
            "| a | b |\n|---|---|\n| 1 | 2 |\n",
            "\n",
            "\r\n",
            "\r",
            "[a]: b\n",
            "\t",
            " ",
            "数据库恢复。" * 30,
            "x" * 300,
            words(30) + ". ",
            words(120) + "\n",
            "<div>\n",
            "---\n",
        ]
    )
    | st.text(max_size=5),
    max_size=40,
).map("".join)


@settings(max_examples=200)
@given(st.text(max_size=20), MARKDOWN)
def test_sections_of_any_text(title, text):
    found = split(title, text, count)
    assert found == split(title, text, count)
    if not text.strip():
        assert len(found) == bool(title.strip())
        return
    covered = 0
    for ordinal, section in enumerate(found):
        piece = text[section.start : section.end]
        assert section.ordinal == ordinal
        assert covered <= section.start < section.end <= len(text)
        assert not text[covered : section.start].strip()
        assert piece.strip()
        assert section.line_start == text.count("\n", 0, section.start) + 1
        assert section.line_end == text.count("\n", 0, section.end - 1) + 1
        assert section.hash == section_hash(title, section.heading_path, piece)
        assert section.token_count == count([embedding_text(title, section.heading_path, piece)])[0]
        assert section.token_count <= MAX_TOKENS
        covered = section.end
    assert not text[covered:].strip()


@pytest.mark.parametrize(
    "unit", ["a\n", "# a\n", "> ", "- ", "- a\n\n  ", "|\n", "x", "[", "\n \n"]
)
def test_tokens_are_counted_in_few_calls_and_linear_time(unit):
    calls = []

    def counted(texts):
        calls.append(len(texts))
        return count(texts)

    start = time.process_time()
    split("T", unit * (300_000 // len(unit)), counted)
    assert len(calls) <= 7
    assert time.process_time() - start < 10


def test_a_text_of_whole_words_is_counted_once():
    text = "\n\n".join(f"# Heading {n}\n\n{words(60, n)}\n\n{words(60)}" for n in range(40))
    seen = []

    def counted(texts):
        seen.extend(texts)
        return count(texts)

    split("Title", text, counted)

    assert sum(map(len, seen)) < 1.2 * len(text)  # headings are counted by themselves, too
