"""Words without their endings."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings, strategies as st
from snowballstemmer.arabic_stemmer import ArabicStemmer
from snowballstemmer.greek_stemmer import GreekStemmer
from snowballstemmer.hindi_stemmer import HindiStemmer
from snowballstemmer.porter_stemmer import PorterStemmer
from snowballstemmer.russian_stemmer import RussianStemmer

from personal_context.words.stems import stem

# ruff: noqa: RUF001 - the letters of other scripts are what they look like

ENDINGS = {
    PorterStemmer: "ing ed s es ies ness ational iveness ously ement izer fulness ability y",
    RussianStemmer: "ами ость остями ившись ейше ующий ение ться ыми ого",
    GreekStemmer: "ματα ισμοσ ουσεσ ηθηκα ικα ιδεσ ωντασ εισ",
    ArabicStemmer: "ات ون ين ها كم نا",
    HindiStemmer: "ों ियाँ ाएगा ता कर ने",
}
ALPHABETS = {
    PorterStemmer: "abcdefghijklmnopqrstuvwxyzéøß0",
    RussianStemmer: "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    GreekStemmer: "αβγδεζηθικλμνξοπρσςτυφχψω",
    ArabicStemmer: "ابتثجحخدذرزسشصضطظعغفقكلمنهويءئؤ",
    HindiStemmer: "कखगघचछजटडतथदधनपफबभमयरलवशसहािीुूेैोौं्",
}
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


@pytest.mark.parametrize("peer", ENDINGS, ids=lambda peer: peer.__name__)
def test_the_stems_are_those_of_the_same_algorithm_in_pure_python(peer):
    endings = st.lists(st.sampled_from(ENDINGS[peer].split()), max_size=2).map("".join)
    beginnings = st.text(ALPHABETS[peer], min_size=1, max_size=9)

    @settings(max_examples=300)
    @given(st.builds(str.__add__, beginnings.filter(lambda word: word[0].isalpha()), endings))
    def compare(word):
        assert stem(word) == (peer().stemWord(word) or word)

    compare()
