"""Reading answers: whatever a server sends, only right vectors come through."""

import base64
import contextlib
import math
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, strategies as st

from personal_context.domain.errors import EmbeddingRejected
from personal_context.embeddings.answers import read_ollama, read_openai
from personal_context.embeddings.failures import shown, words
from personal_context.embeddings.retry import retry_after
from personal_context.embeddings.vectors import unit

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["data", "embeddings", "embedding", "index", "usage", "error"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
NOW = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)


def body(*items):
    return {"data": [{"index": index, "embedding": vector} for index, vector in items]}


@given(st.permutations(range(6)))
def test_vectors_are_put_in_order_by_index(order):
    answer = read_openai(body(*((i, [float(i + 1), 1.0]) for i in order)), 6)

    for i, vector in enumerate(answer.vectors):
        np.testing.assert_allclose(vector, unit([i + 1, 1]), atol=1e-6)


@given(JSON, st.integers(1, 3))
def test_any_json_gives_unit_vectors_or_a_clear_error(answer, count):
    for read in (read_openai, read_ollama):
        with contextlib.suppress(EmbeddingRejected):
            vectors = read(answer, count).vectors
            assert len(vectors) == count
            good = [v for v in vectors if not isinstance(v, EmbeddingRejected)]
            assert all(math.isclose(np.linalg.norm(v), 1, abs_tol=1e-5) for v in good)


@given(st.lists(st.floats(-(2.0**90), 2.0**90, width=32).filter(bool), min_size=1, max_size=9))
def test_base64_and_numbers_mean_the_same(row):
    text = base64.b64encode(np.array(row, dtype="<f4").tobytes()).decode()

    answer = read_openai(body((0, row), (1, text)), 2)

    np.testing.assert_array_equal(*answer.vectors)


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (body((0, [1.0])), "1 vectors came for 2 texts"),
        (body((0, [1.0]), (1, [1.0]), (2, [1.0])), "3 vectors came for 2 texts"),
        (body((0, [1.0]), (0, [1.0])), "numbered"),
        (body((1, [1.0]), (2, [1.0])), "numbered"),
        (body((0, [1.0]), (None, [1.0])), "numbered"),
        (body((0, [1.0]), (True, [1.0])), "numbered"),
        ({"data": [{"index": 0, "embedding": [1.0]}, {"index": 1}]}, "numbered"),
        ({"data": [[1.0], [1.0]]}, "numbered"),
        ({"data": None}, "no list 'data'"),
        ([], "no list 'data'"),
    ],
)
def test_an_answer_that_cannot_be_told_apart_is_refused_with_the_reason(answer, cause):
    with pytest.raises(EmbeddingRejected) as error:
        read_openai(answer, 2)

    assert cause in error.value.cause
    assert "PERSONAL_CONTEXT_EMBEDDING_MODEL" in error.value.hint


@pytest.mark.parametrize(
    ("wrong", "cause"),
    [
        ([float("nan")], "not finite"),
        ([float("inf")], "not finite"),
        ([0.0, 0.0], "zero"),
        ([], "one row"),
        ([[1.0]], "list of numbers"),
        (["1"], "list of numbers"),
        ([True], "list of numbers"),
        ([10**400], "too large"),
        ("not base64!", "base64"),
        ("AACA!PwAAgD8=", "base64"),
        ("AAA=", "float32"),
        ("ÄÄÄÄ", "base64"),
        ("AADAfwAAgD8=", "not finite"),
        (None, "list of numbers"),
    ],
)
def test_a_wrong_vector_spoils_no_other(wrong, cause):
    good, bad, also_good = read_openai(body((0, [1.0]), (1, wrong), (2, [2.0])), 3).vectors

    assert (good[0], also_good[0]) == (1, 1)
    assert isinstance(bad, EmbeddingRejected)
    assert cause in bad.cause
    assert "PERSONAL_CONTEXT_EMBEDDING_MODEL" in bad.hint


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"total_tokens": 5, "prompt_tokens": 4}, 5),
        ({"prompt_tokens": 4}, 4),
        ({"total_tokens": "5"}, 0),
        ({"total_tokens": -5}, 0),
        (None, 0),
        ([], 0),
    ],
)
def test_tokens_are_counted_where_the_server_says_them(usage, tokens):
    assert read_openai(body((0, [1.0])) | {"usage": usage}, 1).tokens == tokens


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"error": {"message": "no", "code": "bad"}}, "no bad"),
        ({"error": {"message": "no", "code": None, "type": "t"}}, "no t"),
        ({"error": "no"}, "no"),
        ({"message": "no"}, "no"),
        ({"detail": [{"msg": "no"}]}, "[{'msg': 'no'}]"),
        ({"error": {}}, ""),
        ({}, ""),
        ([], ""),
        (None, ""),
    ],
)
def test_the_servers_words_are_found(answer, said):
    assert words(answer) == said


@given(st.text(max_size=400), st.text(max_size=400))
def test_what_is_shown_is_one_short_line_without_the_secret(before, after):
    said = shown(f"{before}sk-secret{after}pass word", ["sk-secret", "", "pass word"])

    assert len(said) <= 300
    assert "sk-secret" not in said
    assert "pass word" not in said
    assert said.isprintable()


def test_half_a_secret_is_not_shown_either():
    key = "sk-proj-0123456789abcdef"

    said = shown(f"Incorrect API key provided: {key[:12]}...{key[-4:]}, see the docs.", [key])

    assert said == "Incorrect API key provided: *** see the docs."


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": " 59.54 "}, 59.54),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "Sat, 21 Nov 2026 08:00:30 GMT"}, 30),
        ({"retry-after": "Sat, 21 Nov 2026 07:00:30 GMT"}, 0),
        ({"retry-after": "Sat, 21 Nov 2026 08:00:30 -0000"}, 30),
        (
            {
                "retry-after": "Sat, 21 Nov 2026 09:00:30 GMT",
                "date": "Sat, 21 Nov 2026 09:00:00 GMT",
            },
            30,
        ),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e9"}, None),
        ({"retry-after": "٣"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_every_form(headers, seconds):
    assert retry_after(headers, NOW) == seconds


@given(st.text(max_size=40))
def test_a_strange_retry_after_never_breaks(value):
    seconds = retry_after({"retry-after": value, "date": value}, NOW)

    assert seconds is None or seconds >= 0
