"""The embedded model: what it gives, what it loads when, and how it shares its threads."""

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import personal_context_minilm
from personal_context.domain.errors import EmbeddingRejected, EmbeddingUnavailable
from personal_context.embeddings.local import LocalEmbedder
from personal_context.embeddings.tokens import MiniLMTokenCounter, load_tokenizer
from personal_context.embeddings.windows import sendable

SENTENCE = "Our production database is PostgreSQL 16."
TOKENIZER, COUNTER = load_tokenizer(), MiniLMTokenCounter()
FIRST_VALUES = [0.057, -0.015, -0.052, -0.053, -0.039, -0.044]


@pytest.fixture
async def local():
    async with LocalEmbedder(threads=1) as embedder:
        yield embedder


async def test_a_known_sentence_has_known_values(local):
    [vector] = await local.embed([SENTENCE])

    # int8 kernels of other processors round differently, by less than this.
    np.testing.assert_allclose(vector[:6], FIRST_VALUES, atol=0.01)


async def test_what_belongs_together_is_nearer(local):
    query = await local.embed_query("How do I bring back a lost database?")
    near, far = await local.embed(
        ["Restore PostgreSQL from last night's backup.", "The cafeteria serves soup on Mondays."]
    )

    assert query @ near > query @ far + 0.3


async def test_a_vector_does_not_depend_on_its_neighbours(local):
    [alone] = await local.embed([SENTENCE])
    _, beside = await local.embed(["word " * 200, SENTENCE])

    np.testing.assert_array_equal(alone, beside)


async def test_the_end_of_a_long_text_counts(local):
    soup = "The cafeteria serves soup on Mondays. " * 40
    end = "Restore the database backup. " * 80
    query = await local.embed_query("restore the database backup")

    without, with_end = await local.embed([soup, soup + end])

    assert query @ with_end > query @ without + 0.3


async def test_a_text_of_exactly_one_window_is_not_cut(local):
    fits, exceeds = "word " * 254, "word " * 255
    [vector] = await local.embed([fits])

    minilm = local._minilm

    assert [len(window) for window in minilm.windows(fits)] == [254]
    assert [len(window) for window in minilm.windows(exceeds)] == [127, 128]
    np.testing.assert_array_equal(vector, minilm.vector(minilm.windows(fits)[0]))


async def test_a_query_does_not_wait_for_passages(local):
    window_ends = threading.Event()
    local._workers._passages.submit(window_ends.wait)
    backlog = asyncio.create_task(local.embed([SENTENCE] * 3))
    try:
        await local.embed_query("where is the key?")

        assert not backlog.done()
    finally:
        window_ends.set()
    assert len(await backlog) == 3


async def test_queries_change_no_vector_of_the_passages_they_overtake(local):
    texts = [f"{SENTENCE} Sentence number {n}. " * 12 for n in range(8)]
    alone = await local.embed(texts)
    backlog = asyncio.create_task(local.embed(texts))
    queries = 0
    while not backlog.done():
        await local.embed_query("where is the key?")
        queries += 1

    assert queries > 1
    for expected, vector in zip(alone, await backlog, strict=True):
        np.testing.assert_array_equal(vector, expected)


async def test_a_cancelled_backlog_ends_after_its_window(local):
    backlog = asyncio.create_task(local.embed(["word " * 200] * 1000))
    await local.embed(["the backlog is running"])
    backlog.cancel()
    with pytest.raises(asyncio.CancelledError):
        await backlog

    # The whole backlog would take half a minute.
    async with asyncio.timeout(5):
        await local.embed([SENTENCE])


async def test_naming_the_model_and_opening_load_nothing():
    code = """
import asyncio, sys
from personal_context.embeddings.local import LocalEmbedder
from personal_context.embeddings.tokens import MiniLMTokenCounter

async def main():
    MiniLMTokenCounter()
    async with LocalEmbedder() as embedder:
        return (await embedder.model()).dimension

assert asyncio.run(main()) == 384
sys.exit(bool({"numpy", "onnxruntime", "tokenizers"} & set(sys.modules)))
"""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code)

    assert await process.wait() == 0


async def test_warming_up_loads_once_also_from_many_callers():
    async with LocalEmbedder(threads=1) as embedder:
        await asyncio.gather(embedder.warm_up(), embedder.warm_up(), embedder.embed_query("x"))
        loaded = embedder._minilm
        await embedder.embed(["y"])

        assert embedder._minilm is loaded


async def test_outside_async_with_it_says_so():
    embedder = LocalEmbedder()

    with pytest.raises(EmbeddingUnavailable, match="closed"):
        await embedder.embed(["x"])
    async with embedder:
        await embedder.__aexit__(None, None, None)
        with pytest.raises(EmbeddingUnavailable, match="closed"):
            await embedder.embed_query("x")


async def test_closing_ends_a_running_backlog_with_an_error():
    async with LocalEmbedder(threads=1) as embedder:
        await embedder.warm_up()
        backlog = asyncio.create_task(embedder.embed(["word " * 200] * 200))
        await embedder.embed(["the backlog is running"])

    with pytest.raises(EmbeddingUnavailable, match="closed"):
        await backlog


async def test_a_broken_model_file_is_explained(tmp_path, monkeypatch):
    (tmp_path / "model.onnx").write_bytes(b"half")
    monkeypatch.setattr(personal_context_minilm, "model_path", lambda: tmp_path / "model.onnx")

    async with LocalEmbedder(threads=1) as embedder:
        with pytest.raises(EmbeddingRejected) as error:
            await embedder.embed(["x"])

    assert "PERSONAL_CONTEXT_EMBEDDING_PROVIDER" in error.value.hint
    assert "onnx" in error.value.cause.lower()


def test_tokens_are_counted_without_a_limit_and_without_special_tokens():
    counter = MiniLMTokenCounter()

    assert counter(["", "hello world", "word " * 1000, "\ud800", "\0"]) == [0, 2, 1000, 1, 0]
    assert counter([]) == []


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.lists(
            st.sampled_from(
                ["The", "postgresql", " ", "\n", "\t", "x" * 101, "Z9" * 50, "don't", "[SEP]"]
            )
            | st.sampled_from(["[sep]", "a_b", "C++", "\x0b", "\x7f", "\0", "é", "復元", "\ud800"])
            | st.text(st.characters(max_codepoint=127), max_size=8),
            max_size=12,
        ).map("".join),
        max_size=4,
    )
)
def test_what_is_counted_by_words_is_what_the_tokenizer_counts(texts):
    encodings = TOKENIZER.encode_batch([sendable(t) for t in texts], add_special_tokens=False)

    assert COUNTER(texts) == [len(encoding) for encoding in encodings]


def test_threads_share_one_counter():
    counter = MiniLMTokenCounter()

    with ThreadPoolExecutor(8) as threads:
        counted = list(threads.map(lambda n: counter(["word " * n])[0], range(100)))

    assert counted == list(range(100))


def test_numpy_is_imported_before_the_runtime_that_reaches_into_it():
    """Another thread may import numpy at the same time: see minilm._onnxruntime."""
    code = """
import sys
asked = []
class Noting:
    def find_spec(self, name, path=None, target=None):
        asked.append(name)
sys.meta_path.insert(0, Noting())
from personal_context.embeddings.minilm import MiniLM, new_run
new_run() if sys.argv[1:] else MiniLM()
print(asked.index("numpy") < asked.index("onnxruntime"))
"""
    for arguments in ([], ["run"]):
        ended = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
        )
        assert ended.stdout == "True\n"
