"""Pages in the layouts of the web are read as their readers would: a floor under the bench."""

import importlib
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"
LAYOUTS = sorted(page.stem for page in (BENCH / "pages").glob("*.html"))


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    return importlib.import_module("web_extract")


def test_there_are_pages_in_many_layouts():
    assert len(LAYOUTS) >= 10


@pytest.mark.parametrize("name", LAYOUTS)
def test_nearly_all_of_a_page_is_kept_and_little_else(bench, name):
    [page] = [sample for sample in bench.samples(BENCH / "pages") if sample.name == name]

    score = bench.score(bench.found_here(page.html), page.text, 1)

    assert score.recall > 0.9
    assert score.f1 > 0.75


def test_over_all_pages_the_shingles_agree(bench):
    pages = bench.samples(BENCH / "pages")
    scores = [bench.score(bench.found_here(page.html), page.text, bench.SHINGLE) for page in pages]

    assert bench.mean(scores)["f1"] > 0.9


@pytest.mark.parametrize(
    ("found", "expected", "precision", "recall"),
    [
        ("a b c d", "a b c d", 1.0, 1.0),
        ("a b c d", "a b", 0.5, 1.0),
        ("a", "a b", 1.0, 0.5),
        ("A, b!", "a b", 1.0, 1.0),
        ("港町の朝", "港町", 0.5, 1.0),
        ("", "a", 0.0, 0.0),
        ("", "", 1.0, 1.0),
    ],
)
def test_a_score_counts_words(bench, found, expected, precision, recall):
    score = bench.score(found, expected, 1)

    assert (score.precision, score.recall) == (precision, recall)
