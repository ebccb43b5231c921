"""Words without their endings."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from personal_context.words.stems import stem

WORDS = ("restoring", "generalisations", "ошибками", "hopefulness", "relational", "caresses")


@pytest.fixture
def hurry():
    """Let threads take turns in the middle of everything."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_threads_do_not_take_each_others_words(hurry):
    expected = [stem(word) for word in WORDS]

    def again(_):
        return all([stem(word) for word in WORDS] == expected for _ in range(300))

    with ThreadPoolExecutor(6) as threads:
        assert all(threads.map(again, range(6)))
