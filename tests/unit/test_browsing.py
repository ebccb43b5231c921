"""Trees in the order in which a person reads them."""

from datetime import UTC, datetime

from hypothesis import given, strategies as st

from personal_context.domain.models import ContentId, Placed, SourceType
from personal_context.search.browsing import in_reading_order

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = [ContentId(letter) for letter in "abcdef"]


def placed(name, parent=None):
    return Placed(ContentId(name), name, parent, SourceType.OUTLINE, NOW)


def read(*documents):
    return [(one.id, depth) for one, depth in in_reading_order(documents)]


def test_each_follows_the_one_it_stands_below():
    documents = placed("a"), placed("b"), placed("c", "a"), placed("d", "c"), placed("e", "a")

    assert read(*documents) == [("a", 0), ("c", 1), ("d", 2), ("e", 1), ("b", 0)]


def test_one_whose_parent_is_elsewhere_stands_at_the_top():
    assert read(placed("a", "elsewhere"), placed("b", "a")) == [("a", 0), ("b", 1)]


@given(st.lists(st.sampled_from([None, *NAMES]), min_size=6, max_size=6))
def test_none_is_lost_or_told_twice_whatever_stands_below_what(parents):
    documents = [placed(name, parent) for name, parent in zip(NAMES, parents, strict=True)]

    assert sorted(name for name, _ in read(*documents)) == NAMES


def test_a_tree_of_a_thousand_levels_is_read():
    documents = [placed("0"), *(placed(str(n), str(n - 1)) for n in range(1, 5000))]

    assert read(*documents)[-1] == ("4999", 4999)
