"""Contents as files."""

import math
from dataclasses import replace
from functools import reduce
from pathlib import PurePosixPath

import pytest
from builders import NOW, content, content_id
from hypothesis import given, strategies as st

from personal_context.content.portable import OURS, file_names, from_portable, portable
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import ContentSummary, SourceType


def summary(number, title, path):
    """Return a content's summary."""
    return ContentSummary(content_id(number), title, SourceType.OUTLINE, None, (), path, NOW)


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | texts
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
keys = texts | st.sampled_from(["title", "tags", OURS, "metadata", "id"])


@given(texts, texts, st.dictionaries(keys, values, max_size=5), st.lists(texts, max_size=3))
def test_a_file_brings_back_all_of_a_content(title, text, metadata, tags):
    given_ = replace(
        content(1), title=title, text=text, metadata=metadata, tags=tuple(sorted(set(tags)))
    )
    assert from_portable(portable(given_)) == replace(given_, readable="")


@pytest.mark.parametrize(
    "metadata",
    [
        {"many": list(range(12_000))},
        {"long": "word " * 12_000},
        {"deep": reduce(lambda inner, _: [inner], range(200), 1)},
        {"float": math.pi, "text": "1.0", "no": "no", "date": "2026-01-01", "e": 1e300},
    ],
)
def test_metadata_of_any_size_comes_back(metadata):
    given_ = replace(content(1), metadata=metadata, source_type=SourceType.WEB)
    assert from_portable(portable(given_)).metadata == metadata


@pytest.mark.parametrize("text", ["", "# Just a note", "---\ntitle: x\n---\n\nbody"])
def test_other_markdown_is_not_ours(text):
    assert from_portable(text) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("source: outline", "source: moon"),
        ("created_at: ", "created: "),
        ("T12:", "T99:"),
        ("id: 0", "id: ../../0"),
        ("position: 1", "position: x"),
    ],
)
def test_what_somebody_spoiled_is_told(old, new):
    text = portable(content(1))
    assert old in text
    with pytest.raises(InvalidInput, match=OURS):
        from_portable(text.replace(old, new, 1))


paths = st.lists(texts | st.sampled_from(["..", ".", "a/b", "CON", "C:", "x" * 400]), max_size=3)


@given(st.lists(st.tuples(texts | st.sampled_from(["a", "A", "..", "nul"]), paths), max_size=12))
def test_names_are_distinct_and_stay_inside(named):
    found = file_names(
        [summary(number + 1, title, tuple(path)) for number, (title, path) in enumerate(named)]
    )
    assert len(found) == len(named)
    assert len({str(path).casefold() for path in found.values()}) == len(named)
    for path in found.values():
        assert not path.is_absolute()
        assert not {"..", ".", ""} & set(path.parts)
        assert all(len(part.encode()) <= 200 and part == part.strip() for part in path.parts)
        assert not set('<>:"\\|?*\0') & set(str(path))


def test_what_came_first_keeps_its_name():
    first, second = (summary(n, "Kettle", ("Handbook",)) for n in (1, 2))
    found = file_names([first, second])
    assert found[first.id] == PurePosixPath("Handbook/Kettle.md")
    assert found[second.id].name.startswith(f"Kettle {second.id[:8]}")
