"""Pausing, resuming and cancelling a reindexing, from this process and from others."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from backends import sqlite
from builders import LOG, content, indexed
from fake_time import FakeTime
from hashing_embedder import HashingEmbedder, unavailable

from personal_context.domain.errors import EmbeddingMismatch
from personal_context.domain.models import GenerationState, ReindexState
from personal_context.indexing.indexer import Indexer
from personal_context.indexing.reindex import Reindexer
from personal_context.sync.lease import Lease, LeaseTimes

PIECES = [f"piece number {i} about apples" for i in range(10)]
NOW = datetime(2026, 3, 1, tzinfo=UTC)
TTL = LeaseTimes().ttl


class Stepping(HashingEmbedder):
    """Embeds as many batches as it is given steps."""

    def __init__(self, **more):
        super().__init__(**more)
        self.steps = asyncio.Semaphore(0)
        self.asked = asyncio.Condition()
        self.calls = 0

    async def embed(self, texts):
        async with self.asked:
            self.calls += 1
            self.asked.notify_all()
        await self.steps.acquire()
        return await super().embed(texts)

    async def called(self, times):
        async with self.asked:
            await self.asked.wait_for(lambda: self.calls >= times)

    def release(self):
        for _ in range(100):
            self.steps.release()


class Processes:
    """Processes that share a database, as far as it can tell: each has its own reindexer."""

    def __init__(self, backend):
        self.backend = backend
        self.now = NOW
        self.gone = set()
        self.made = []

    def start(self, embedder, owner, *, index=None, **more):
        lease = Lease(
            "reindex",
            store=self.backend.store,
            owner=owner,
            clock=lambda: self.now,
            is_dead=lambda name: name in self.gone,
        )
        settings = {"batch": 2, "claim": lease, "log": self.backend.store.add_log} | more
        self.made.append(Reindexer(index or self.backend.index, embedder, **settings))
        return self.made[-1]

    async def kill(self, reindexer, owner):
        """End it as kill -9 does: nothing is given back."""
        reindexer._task.cancel()
        await asyncio.wait([reindexer._task])
        await self.backend.store.acquire_lease("reindex", owner, now=self.now, ttl=TTL)
        self.gone.add(owner)


@pytest.fixture
async def backend(tmp_path):
    async with sqlite(tmp_path) as opened:
        document = content(1, text="\n\n".join(PIECES))
        await opened.store.mirror(document, indexed("Title", PIECES), log=LOG)
        await Indexer(opened.index, HashingEmbedder(name="old")).run_backlog()
        yield opened


@pytest.fixture
async def processes(backend):
    processes = Processes(backend)
    yield processes
    for reindexer in processes.made:
        await reindexer.stop()


async def states(backend):
    return [(g.model.name, g.state) for g in await backend.index.generations()]


OLD, BOTH = [("old", "active")], [("old", "active"), ("hashing", "building")]
NEW = [("hashing", "active")]


# --- in one process


async def test_paused_it_waits_for_a_word_and_keeps_what_it_has(backend, processes):
    embedder = Stepping()
    mine = processes.start(embedder, "a")
    await mine.start()
    embedder.steps.release()
    await embedder.called(2)
    paused = await mine.pause()
    assert (paused.state, paused.held) == (ReindexState.PAUSED, True)
    embedder.release()
    paused = await mine.wait()
    assert (paused.state, paused.held) == (ReindexState.PAUSED, True)
    assert 2 <= paused.success < 10
    await mine.revive()
    assert (await mine.wait()).held
    assert await states(backend) == BOTH

    resumed = await mine.resume()
    assert (resumed.state, resumed.held) == (ReindexState.RUNNING, False)
    assert (await mine.wait()).state is ReindexState.DONE
    assert sorted(embedder.embedded) == sorted(set(embedder.embedded))
    assert await states(backend) == NEW


async def test_starting_a_paused_one_resumes_it(processes):
    embedder = Stepping()
    mine = processes.start(embedder, "a")
    await mine.start()
    await mine.pause()
    embedder.release()
    assert (await mine.wait()).held
    assert (await mine.start()).state is ReindexState.RUNNING
    assert (await mine.wait()).state is ReindexState.DONE
    assert len(embedder.embedded) == 10


async def test_a_pause_that_is_taken_back_at_once_is_none(processes):
    embedder = Stepping()
    mine = processes.start(embedder, "a")
    await mine.start()
    await mine.pause()
    await mine.resume()
    embedder.release()
    assert (await mine.wait()).state is ReindexState.DONE


class Crossing:
    """An index where a pause is taken back just when the one who works has read it."""

    def __init__(self, index):
        self._index = index
        self._read, self._taken_back = asyncio.Event(), asyncio.Event()

    def __getattr__(self, name):
        return getattr(self._index, name)

    async def note_build(self, *args, **kwargs):
        note = await self._index.note_build(*args, **kwargs)
        if note is not None and note.held:
            self._read.set()
        return note

    async def hold(self, generation, *, held):
        if not held:
            await self._read.wait()
        await self._index.hold(generation, held=held)
        if not held:
            self._taken_back.set()

    async def progress(self, generation):
        if self._read.is_set():
            await self._taken_back.wait()
        return await self._index.progress(generation)


@pytest.mark.parametrize("go_on", ["resume", "start"])
async def test_a_pause_taken_back_when_it_was_just_read_is_none(backend, processes, go_on):
    embedder = Stepping()
    mine = processes.start(embedder, "a", index=Crossing(backend.index))
    await mine.start()
    await embedder.called(1)
    await mine.pause()
    embedder.release()
    await getattr(mine, go_on)()
    assert (await mine.wait()).state is ReindexState.DONE


async def test_paused_while_the_provider_is_away_it_stops_asking(backend, processes):
    asleep = asyncio.Event()

    async def sleep(_):
        asleep.set()
        await asyncio.Event().wait()

    embedder = HashingEmbedder()
    embedder.failing, embedder.failing_after = unavailable(), 4
    embedder.model = HashingEmbedder().model
    mine = processes.start(embedder, "a", sleep=sleep)
    await mine.start()
    await asleep.wait()
    assert (await mine.progress()).held is False
    assert (await mine.pause()).held
    assert (await mine.wait()).held
    embedder.failing = None
    await mine.resume()
    assert (await mine.wait()).state is ReindexState.DONE


async def test_cancelled_it_leaves_what_was_there(backend, processes):
    embedder = Stepping()
    mine = processes.start(embedder, "a")
    await mine.start()
    embedder.steps.release()
    await embedder.called(2)
    ended = await mine.cancel()
    assert (ended.state, ended.success, ended.message) == (ReindexState.IDLE, 0, None)
    assert (await mine.wait()).state is ReindexState.IDLE
    assert await states(backend) == OLD
    await mine.revive()
    assert await states(backend) == OLD
    [line, *_] = await backend.store.log(limit=1)
    assert "cancelled" in line.details


async def test_a_paused_one_can_be_cancelled(backend, processes):
    embedder = Stepping()
    mine = processes.start(embedder, "a")
    await mine.start()
    await mine.pause()
    embedder.release()
    await mine.wait()
    assert (await mine.cancel()).state is ReindexState.IDLE
    assert await states(backend) == OLD


async def test_its_speed_is_that_of_late(processes):
    time = FakeTime()
    embedder = Stepping()
    mine = processes.start(embedder, "a", clock=time.monotonic)
    await mine.start()
    await embedder.called(1)
    time.now += 4
    embedder.steps.release()
    await embedder.called(2)
    embedder.steps.release()
    await embedder.called(3)
    time.now += 4
    progress = await mine.progress()
    assert 0 < progress.rate <= 0.5
    assert progress.eta_seconds == pytest.approx((10 - progress.success) / progress.rate)
    assert progress.model == await embedder.model()


# --- what is known is taken over only when asked for


async def test_reuse_embeds_only_what_is_missing(backend, processes):
    first = HashingEmbedder()
    first.refused = {"number 3 "}
    mine = processes.start(first, "a")
    await mine.start()
    assert (await mine.wait()).errors == 1

    second = HashingEmbedder()
    again = processes.start(second, "b")
    await again.start(reuse=True)
    done = await again.wait()
    assert (done.state, done.success, done.errors) == (ReindexState.DONE, 10, 0)
    assert second.embedded == ["Title\npiece number 3 about apples"]
    await again.start()
    assert (await again.wait()).success == 10
    assert len(second.embedded) == 11


# --- among processes


async def test_another_process_sees_it_and_joins(backend, processes):
    embedder = Stepping()
    mine, other = processes.start(embedder, "a"), processes.start(HashingEmbedder(), "b")
    await mine.start()
    embedder.steps.release()
    await embedder.called(2)
    seen = await other.progress()
    assert (seen.state, seen.total, seen.model.name) == (ReindexState.RUNNING, 10, "hashing")
    await other.revive()
    joined = await other.start()
    assert joined.state is ReindexState.RUNNING
    waiting = asyncio.create_task(other.wait())
    embedder.release()
    assert (await mine.wait()).state is ReindexState.DONE
    done = await waiting
    assert (done.state, done.success, done.total) == (ReindexState.DONE, 10, 10)
    assert len(embedder.embedded) == 10
    assert await states(backend) == NEW


async def test_another_model_is_told_to_wait(backend, processes):
    embedder = Stepping()
    mine = processes.start(embedder, "a")
    other = processes.start(HashingEmbedder(name="third"), "b")
    await mine.start()
    await embedder.called(1)
    with pytest.raises(EmbeddingMismatch, match="reindexing with test hashing") as error:
        await other.start()
    assert "reindex cancel" in error.value.hint
    assert (await other.progress()).state is ReindexState.RUNNING
    assert await states(backend) == BOTH


async def test_another_process_pauses_resumes_and_cancels_it(backend, processes):
    embedder = Stepping()
    mine, other = processes.start(embedder, "a"), processes.start(HashingEmbedder(), "b")
    await mine.start()
    await embedder.called(1)
    assert (await other.pause()).held
    embedder.release()
    assert (await mine.wait()).held
    assert (await mine.progress()).held

    assert (await other.resume()).state is ReindexState.RUNNING
    assert (await other.wait()).state is ReindexState.DONE

    slow = Stepping(name="slow")
    again = processes.start(slow, "a")
    await again.start()
    await slow.called(1)
    ended = await other.cancel()
    assert ended.state is ReindexState.IDLE
    slow.release()
    ended = await again.wait()
    assert (ended.state, ended.message) == (
        ReindexState.IDLE,
        "Another process has ended this reindexing.",
    )
    assert await states(backend) == NEW


async def test_whoever_joined_takes_the_place_of_one_that_was_killed(backend, processes):
    embedder, spare = Stepping(), HashingEmbedder()
    mine, other = processes.start(embedder, "a"), processes.start(spare, "b")
    await mine.start()
    embedder.steps.release()
    await embedder.called(2)
    while not (await other.progress()).success:  # noqa: ASYNC110 - a thread writes it
        await asyncio.sleep(0)
    await other.start()
    waiting = asyncio.create_task(other.wait())
    await processes.kill(mine, "a")
    done = await waiting
    assert (done.state, done.success) == (ReindexState.DONE, 10)
    assert len(spare.embedded) == 8
    assert await states(backend) == NEW


async def test_a_process_elsewhere_that_fell_silent_is_not_waited_for_for_ever(processes):
    embedder = Stepping()
    mine, other = processes.start(embedder, "a"), processes.start(HashingEmbedder(), "b")
    await mine.start()
    await embedder.called(1)
    await processes.kill(mine, "a")
    processes.gone.clear()  # on another machine, nobody can tell
    assert (await other.progress()).state is ReindexState.RUNNING
    await other.revive()
    processes.now += TTL + timedelta(seconds=1)
    await other.revive()
    assert (await other.wait()).state is ReindexState.DONE


async def test_what_another_process_waits_for_is_seen_everywhere(processes):
    asleep = asyncio.Event()

    async def sleep(_):
        asleep.set()
        await asyncio.Event().wait()

    embedder = HashingEmbedder()
    embedder.failing, embedder.failing_after = unavailable(), 4
    embedder.model = HashingEmbedder().model
    mine = processes.start(embedder, "a", sleep=sleep)
    other = processes.start(HashingEmbedder(), "b")
    await mine.start()
    await asleep.wait()
    seen = await other.progress()
    assert (seen.state, seen.held, seen.success) == (ReindexState.PAUSED, False, 4)
    assert "is down" in seen.message


async def test_a_generation_of_nobody_is_not_taken_for_a_running_one(backend, processes):
    model = await HashingEmbedder().model()
    await backend.index.create(model, GenerationState.BUILDING)
    seen = await processes.start(HashingEmbedder(), "a").progress()
    assert seen.state is ReindexState.PAUSED
    assert "goes on by itself" in seen.message
