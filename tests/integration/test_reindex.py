import asyncio

import pytest
from backends import hybrid, sqlite
from builders import LOG, content, indexed
from fake_time import FakeTime
from hashing_embedder import HashingEmbedder, unavailable

from personal_context.domain.errors import (
    EmbeddingMismatch,
    EmbeddingRejected,
    EmbeddingUnavailable,
    StoreError,
)
from personal_context.domain.models import GenerationState, IndexProgress, ReindexState
from personal_context.indexing.indexer import Indexer
from personal_context.indexing.reindex import Reindexer

PIECES = [f"piece number {i} about apples" for i in range(10)]


class Held(HashingEmbedder):
    """Waits at a gate after some passages."""

    def __init__(self, after=4, **more):
        super().__init__(**more)
        self.after = after
        self.reached, self.gate = asyncio.Event(), asyncio.Event()

    async def embed(self, texts):
        if len(self.embedded) >= self.after:
            self.reached.set()
            await self.gate.wait()
        return await super().embed(texts)


@pytest.fixture
async def backend(tmp_path):
    async with sqlite(tmp_path) as opened:
        await put(opened, 1, *PIECES)
        await Indexer(opened.index, HashingEmbedder()).run_backlog()
        yield opened


@pytest.fixture
def time():
    return FakeTime()


@pytest.fixture
async def begin(backend, time):
    """Make reindexers that are stopped at the end."""
    made = []

    def reindexer(embedder, **more):
        settings = {"batch": 2, "sleep": time.sleep, "clock": time.monotonic} | more
        made.append(Reindexer(backend.index, embedder, **settings))
        return made[-1]

    yield reindexer
    for one in made:
        await one.stop()


async def put(backend, number, *pieces):
    await backend.store.mirror(
        content(number, text="\n\n".join(pieces)), indexed("Title", pieces), log=LOG
    )


async def states(backend):
    return [(g.model.name, g.state) for g in await backend.index.generations()]


async def test_everything_is_embedded_anew_and_switched(backend, begin):
    before = await backend.index.generations()
    embedder = HashingEmbedder()
    reindexer = begin(embedder, log=backend.store.add_log)
    assert (await reindexer.start()).state is ReindexState.RUNNING
    done = await reindexer.wait()
    assert (done.state, done.total, done.success, done.errors) == (ReindexState.DONE, 10, 10, 0)
    assert sorted(embedder.embedded) == sorted(f"Title\n{piece}" for piece in PIECES)
    (after,) = await backend.index.generations()
    assert after.state is GenerationState.ACTIVE
    assert after.id != before[0].id
    assert await backend.index.progress(after.id) == IndexProgress(10, 10)
    lines = [entry.details for entry in await backend.store.log(limit=5)]
    assert lines[0] == "Reindexed 10 sections; 0 were refused."


async def test_a_new_model_takes_over_only_at_the_end(backend, begin):
    embedder = Held(name="new", dimension=32)
    reindexer = begin(embedder)
    await reindexer.start()
    await embedder.reached.wait()
    assert await states(backend) == [("hashing", "active"), ("new", "building")]
    embedder.gate.set()
    await reindexer.wait()
    assert await states(backend) == [("new", "active")]


async def test_search_answers_from_the_old_vectors_meanwhile(backend, begin):
    search = hybrid(backend, HashingEmbedder())
    embedder = Held()
    reindexer = begin(embedder)
    before = await search.search("piece number 3")
    await reindexer.start()
    await embedder.reached.wait()
    during = await search.search("piece number 3")
    assert (during.mode, during.results) == ("hybrid", before.results)
    embedder.gate.set()
    await reindexer.wait()
    assert (await search.search("piece number 3")).results == before.results


async def test_a_running_one_is_not_started_twice(backend, begin, time):
    embedder = Held()
    reindexer = begin(embedder)
    await reindexer.start()
    await embedder.reached.wait()
    time.now += 2
    while (await reindexer.progress()).success < 4:  # noqa: ASYNC110 - a thread writes it
        await asyncio.sleep(0)
    again = await reindexer.start()
    assert (again.state, again.success, again.total) == (ReindexState.RUNNING, 4, 10)
    assert again.rate == 2.0
    await reindexer.revive()
    assert (await reindexer.resume()).success == 4
    embedder.gate.set()
    await reindexer.wait()
    assert len(embedder.embedded) == 10


async def test_after_a_crash_it_goes_on_where_it_was(backend, begin):
    first = Held(after=6)
    crashing = begin(first)
    await crashing.start()
    await first.reached.wait()
    await crashing.stop()
    cut = await crashing.progress()
    assert (cut.state, cut.success, cut.held) == (ReindexState.PAUSED, 6, False)
    assert "goes on by itself" in cut.message
    assert await states(backend) == [("hashing", "active"), ("hashing", "building")]

    second = HashingEmbedder()
    resumed = begin(second)
    await resumed.revive()
    done = await resumed.wait()
    assert (done.state, done.success) == (ReindexState.DONE, 10)
    assert len(second.embedded) == 4
    assert await states(backend) == [("hashing", "active")]


async def test_nothing_to_resume_is_nothing_done(backend, begin):
    embedder = HashingEmbedder()
    reindexer = begin(embedder)
    await reindexer.revive()
    for nothing in (reindexer.resume, reindexer.pause, reindexer.cancel, reindexer.wait):
        assert (await nothing()).state is ReindexState.IDLE
    assert embedder.embedded == []
    assert await states(backend) == [("hashing", "active")]


async def test_what_another_model_began_is_left_alone_until_somebody_asks(backend, begin):
    await backend.index.create(await HashingEmbedder(name="old").model(), GenerationState.BUILDING)
    reindexer = begin(HashingEmbedder())
    await reindexer.revive()
    left = await reindexer.wait()
    assert left.state is ReindexState.PAUSED
    assert "begun with test old (64 numbers), but test hashing (64 numbers) is set" in left.message
    with pytest.raises(EmbeddingMismatch, match="begun with test old"):
        await reindexer.resume()
    # Another process with other settings may be at work on it.
    assert await states(backend) == [("hashing", "active"), ("old", "building")]

    await reindexer.start()
    assert (await reindexer.wait()).state is ReindexState.DONE
    assert await states(backend) == [("hashing", "active")]
    await backend.index.create(await HashingEmbedder(name="old").model(), GenerationState.BUILDING)
    await reindexer.start()
    assert (await reindexer.wait()).state is ReindexState.DONE
    assert await states(backend) == [("hashing", "active")]


async def test_a_failing_provider_pauses_and_drops_nothing(backend, begin):
    embedder = HashingEmbedder()
    embedder.failing, embedder.failing_after = unavailable(), 6
    embedder.model = HashingEmbedder().model
    seen = []

    async def sleep(seconds):
        seen.append((seconds, await reindexer.progress(), await states(backend)))
        if len(seen) == 3:
            embedder.failing = None

    reindexer = begin(embedder, sleep=sleep)
    await reindexer.start()
    done = await reindexer.wait()
    assert (done.state, done.success, done.message) == (ReindexState.DONE, 10, None)
    assert [seconds for seconds, _, _ in seen] == [5, 10, 20]
    for _, progress, generations in seen:
        assert (progress.state, progress.success) == (ReindexState.PAUSED, 6)
        assert "is down" in progress.message
        assert generations == [("hashing", "active"), ("hashing", "building")]


async def test_pauses_grow_to_five_minutes_and_obey_the_provider(backend, begin, time):
    embedder = HashingEmbedder()
    embedder.failing = EmbeddingUnavailable("Too many requests.", retry_after=17.0)

    async def sleep(seconds):
        await time.sleep(seconds)
        if len(time.slept) == 9:
            embedder.failing = None

    reindexer = begin(embedder, sleep=sleep)
    await reindexer.start()
    await reindexer.wait()
    assert time.slept == [17, 17, 20, 40, 80, 160, 300, 300, 300]


async def test_a_key_that_is_wrong_from_the_start_ends_it(backend, begin, time):
    before = await backend.index.generations()
    embedder = HashingEmbedder()
    embedder.failing, embedder.failing_after = EmbeddingRejected("The key is wrong."), 0
    embedder.model = HashingEmbedder().model
    reindexer = begin(embedder)
    await reindexer.start()
    end = await reindexer.wait()
    assert end.state is ReindexState.IDLE
    assert "The key is wrong." in end.message
    assert await backend.index.generations() == before
    assert time.slept == []


async def test_a_key_that_is_revoked_in_the_middle_loses_nothing(backend, begin):
    embedder = HashingEmbedder()
    embedder.failing, embedder.failing_after = EmbeddingRejected("The key is wrong."), 6
    embedder.model = HashingEmbedder().model

    async def sleep(seconds):
        assert (await reindexer.progress()).state is ReindexState.PAUSED
        embedder.failing = None

    reindexer = begin(embedder, sleep=sleep)
    await reindexer.start()
    done = await reindexer.wait()
    assert (done.state, done.success, done.errors) == (ReindexState.DONE, 10, 0)


async def test_a_refused_section_is_an_error_and_does_not_stop_the_switch(backend, begin):
    embedder = HashingEmbedder(name="new")
    embedder.refused = {"number 3 ", "number 4 "}
    reindexer = begin(embedder)
    await reindexer.start()
    done = await reindexer.wait()
    assert (done.state, done.success, done.errors) == (ReindexState.DONE, 8, 2)
    assert "refused" in done.message
    assert await states(backend) == [("new", "active")]


async def test_if_all_sections_are_refused_the_old_vectors_stay(backend, begin):
    before = await backend.index.generations()
    embedder = HashingEmbedder(name="new")
    embedder.refused = {"apples"}
    reindexer = begin(embedder)
    await reindexer.start()
    end = await reindexer.wait()
    assert (end.state, end.errors, end.success) == (ReindexState.IDLE, 10, 0)
    assert end.message.startswith("No section could be embedded.")
    assert await backend.index.generations() == before


async def test_what_comes_in_meanwhile_is_in_both(backend, begin):
    embedder = Held(after=6)
    reindexer = begin(embedder)
    await reindexer.start()
    await embedder.reached.wait()
    await put(backend, 2, "late piece")
    assert await Indexer(backend.index, HashingEmbedder()).run_backlog() == 1
    embedder.gate.set()
    done = await reindexer.wait()
    assert (done.total, done.success) == (11, 11)
    assert await Indexer(backend.index, embedder).run_backlog() == 0


async def test_an_empty_store_can_be_reindexed(tmp_path, time):
    async with sqlite(tmp_path / "empty") as backend:
        reindexer = Reindexer(backend.index, HashingEmbedder(), sleep=time.sleep)
        await reindexer.start()
        assert (await reindexer.wait()).state is ReindexState.DONE
        assert await states(backend) == [("hashing", "active")]


async def test_another_process_may_finish_it(backend, begin):
    mine, theirs = Held(after=4), HashingEmbedder()
    reindexer, other = begin(mine), begin(theirs)
    await reindexer.start()
    await mine.reached.wait()
    await other.revive()
    assert (await other.wait()).state is ReindexState.DONE
    mine.gate.set()
    assert (await reindexer.wait()).state is ReindexState.DONE
    assert await states(backend) == [("hashing", "active")]


async def test_another_process_may_drop_it(backend, begin):
    embedder = Held(after=4)
    reindexer = begin(embedder)
    await reindexer.start()
    await embedder.reached.wait()
    building = (await backend.index.generations())[1]
    await backend.index.drop(building.id)
    embedder.gate.set()
    end = await reindexer.wait()
    assert end.state is ReindexState.IDLE
    assert "Another process" in end.message
    assert await states(backend) == [("hashing", "active")]


async def test_a_store_that_fails_pauses_too(backend, begin):
    class Failing:
        def __init__(self, index):
            self._index = index
            self.failures = 2

        def __getattr__(self, name):
            return getattr(self._index, name)

        async def activate(self, generation_id):
            if self.failures:
                self.failures -= 1
                raise StoreError("The disk is full.")
            await self._index.activate(generation_id)

    paused = []

    async def sleep(seconds):
        paused.append((await reindexer.progress()).message)

    reindexer = Reindexer(Failing(backend.index), HashingEmbedder(), sleep=sleep)
    await reindexer.start()
    assert (await reindexer.wait()).state is ReindexState.DONE
    assert paused == ["The disk is full."] * 2


async def test_stopping_twice_and_before_the_start_is_fine(begin):
    reindexer = begin(HashingEmbedder())
    await reindexer.stop()
    await reindexer.start()
    await reindexer.stop()
    await reindexer.stop()
    assert (await reindexer.progress()).state is not ReindexState.RUNNING
    await reindexer.start()
    assert (await reindexer.wait()).state is ReindexState.DONE
