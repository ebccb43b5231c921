"""Agents and people write on both sides, whatever happens; and what must hold after each deed."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, note, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from mishaps import LATE, TO_THE_END, TROUBLES, UNPREPARABLE, Crash, Sleep, Trouble
from push_collisions import Collision, collisions
from push_deeds import BOTH, Agents, Deed, changes, deeds
from push_process import PushProcess
from pushed_wiki import Account, Edit, PushedWiki, edits, words_of

from personal_context.domain.models import ContentId, Operation, PushState
from personal_context.upstream.sandbox.models import Version

EXAMPLES = "PERSONAL_CONTEXT_TEST_PUSH_EXAMPLES"
"""Environment variable: how many random sequences are tried instead of those of every run."""

EVERY_RUN = settings(
    max_examples=80,
    stateful_step_count=8,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)

MISHAPS = [kind for kind in (*TROUBLES, *LATE, *LATE) if kind != UNPREPARABLE]

troubles = st.builds(
    Trouble,
    st.sampled_from(MISHAPS),
    at=st.integers(1, 5),
    times=st.sampled_from([1, 1, 2, TO_THE_END]),
)
crashes = st.builds(Crash, at=st.integers(1, 60), how=st.sampled_from(["kill", "kill", "cancel"]))
sleeps = st.builds(
    Sleep, st.integers(1, 4), st.integers(0, 5), st.lists(edits, max_size=2).map(tuple)
)
mishaps = st.none() | st.none() | troubles | crashes | sleeps
seconds = st.sampled_from([0, 0, 30, 1000])
# Before the n-th request; 0 is just before Outline is told of a change, after the look at it.
between = st.dictionaries(st.sampled_from([0, 0, 1, 2, 3]), edits | changes, max_size=2)


def chosen_settings() -> settings:
    """Return the settings of every run, or those of a long one that the environment asks for."""
    examples = int(os.environ.get(EXAMPLES, "0"))
    if not examples:
        return EVERY_RUN
    return settings(EVERY_RUN, max_examples=examples, stateful_step_count=16, derandomize=False)


class PushMachine(RuleBasedStateMachine):
    """A wiki, and a gateway that agents write through while people write there."""

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        memory = Path("/dev/shm")
        self._folder = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
        self._whole = False
        self.wiki: PushedWiki
        self.process: PushProcess

    def _await(self, doing: Awaitable[Any]) -> Any:
        async def do() -> Any:
            return await doing

        self._whole = False
        done = self._runner.run(do())
        self._whole = True
        return done

    @initialize(
        version=st.sampled_from(["1.9.2", "main"]),
        documents=st.lists(
            st.builds(Edit, st.sampled_from(["create", "child"]), where=st.integers(0, 2)),
            max_size=1,
        ),
        haste=st.builds(Crash, st.integers(3, 8)),
    )
    def begin(self, *, version: Version, documents: list[Edit], haste: Crash) -> None:
        self.haste: Crash | None = haste
        self.wiki = PushedWiki(version, everything=True)
        for edit in (Edit("create"), *documents):
            self.wiki.apply(edit)
        # Where Outline looks at revisions, a process that slept too long can't do harm.
        self.process = PushProcess(
            self._folder, self.wiki, account=Account(self.wiki), alone=version == "1.9.2"
        )
        self._await(self.process.start())
        self.agents = Agents(self.process)
        self._await(self.process.run("full"))

    @rule(
        deed=deeds,
        later=seconds,
        between=between,
        mishap=mishaps,
    )
    def somebody_asks(
        self,
        deed: Deed,
        later: float,
        between: dict[int, Edit | Deed],
        mishap: Trouble | Crash | Sleep | None,
    ) -> None:
        self.wiki.clock.advance(seconds=later)
        self._await(self._run(partial(self.agents.do, deed), between, mishap))

    @rule(
        deeds=st.lists(changes | deeds, min_size=1, max_size=2),
        edits=st.lists(edits, min_size=1, max_size=2),
        arrives=st.booleans(),
    )
    def both_sides_write(self, deeds: list[Deed], edits: list[Edit], *, arrives: bool) -> None:
        """Outline can't be reached, or what reaches it is not known; then people write, too."""
        kind = "late timeout" if arrives else "refuse"
        for deed in deeds:
            trouble = Trouble(kind, times=TO_THE_END)
            self._await(self._run(partial(self.agents.do, deed), {}, trouble))
        for edit in edits:
            self.wiki.apply(edit)

    @rule(collision=collisions)
    def collide(self, collision: Collision) -> None:
        self._await(self._collide(collision))

    @rule(collision=collisions)
    def collide_once_more(self, collision: Collision) -> None:
        self._await(self._collide(collision))

    @rule(
        how=st.sampled_from(["sync", "full"]),
        later=seconds,
        between=between,
        mishap=mishaps,
    )
    def a_pass(
        self,
        how: str,
        later: float,
        between: dict[int, Edit | Deed],
        mishap: Trouble | Crash | Sleep | None,
    ) -> None:
        self.wiki.clock.advance(seconds=later)
        self._await(self._run(how, between, mishap))

    @rule()
    def quiet(self) -> None:
        self._await(self._quiet())

    def teardown(self) -> None:
        try:
            if self._whole:
                self._await(self._quiet())
                self._await(self._gone_on())
                self._await(self._chosen())
        finally:
            if hasattr(self, "process"):
                self._await(self.process.stop())
                self.wiki.sandbox.services.world.state.close()
            self._runner.close()
            shutil.rmtree(self._folder)

    # --- what happens

    async def _collide(self, collision: Collision) -> None:
        """Both sides change one document, in a moment that matters, and then it goes on."""
        deed, edit, then, when = collision.deed, collision.edit, collision.then, collision.when
        before = await self.agents.contents()
        self.wiki.focus = self.agents.focus = (
            before[deed.pick % len(before)].id if before and not deed.adds else None
        )
        if when == "before":
            self.wiki.apply(edit)
        mishap, between = collision.mishap, {}
        if when == "look":
            between = {0: edit}
        elif when == "meanwhile":
            between = {0: next((one for one in then if one.what == "change"), edit), 2: edit}
        await self._run(partial(self.agents.do, deed), between, mishap)
        if deed.adds and (found := await self.agents.contents()):
            self.wiki.focus = self.agents.focus = found[-1].id
        if mishap is not None:
            self.wiki.apply(edit)
        for one in then:
            self.wiki.clock.advance(seconds=1000)
            how = "sync" if one.what == "pass" else partial(self.agents.do, one)
            await self._run(how, {}, None)
        self.wiki.focus = self.agents.focus = None

    async def _run(
        self,
        how: Any,
        between: dict[int, Edit | Deed],
        mishap: Trouble | Crash | Sleep | None,
    ) -> None:
        if self.wiki.version == "1.9.2":
            # It has nothing that guards a title from who changes it in the same moment.
            between = {n: one for n, one in between.items() if one.what != "title"}
            if isinstance(mishap, Sleep):
                edits = tuple(edit for edit in mishap.edits if edit.what != "title")
                mishap = replace(mishap, edits=edits)
        hooks = {number: self._hook(one) for number, one in between.items() if number}
        for endpoint in ("documents.update", "documents.delete") if 0 in between else ():
            self.wiki.sandbox.faults.before_request(1, self._hook(between[0]), endpoint=endpoint)
        self.process.account.below.clear()
        outcome = await self.process.run(how, between=hooks, mishap=mishap)
        note(f"{outcome.reports or outcome.error}{' crashed' * outcome.crashed}")
        await self._nothing_lost()

    def _hook(self, one: Edit | Deed) -> Callable[[], object]:
        if isinstance(one, Edit):
            return partial(self.wiki.apply, one)
        return partial(self.agents.do, one, patience=0)

    async def _quiet(self) -> None:
        await self.process.settle_down()
        for entry in await self.process.outbox():
            if entry.state is PushState.FAILED:
                await self.process.runtime.outbox.retry(entry.content_id)
        await self.process.settle_down()
        await self.process.run("agreed")
        await self.process.run("full")
        await self.process.settle_down()
        await self.process.run("agreed")
        note(f"quiet: {await self.process.outbox()}")
        await self._nothing_lost()
        await self._agree()
        await self._nothing_new()

    async def _choose(self, key: ContentId, way: int) -> None:
        """Make a choice; the process dies over it once, and the person chooses again."""
        if way % 3 == BOTH and self.haste is not None:
            crash, self.haste = self.haste, None
            await self.process.run(partial(self.agents.resolve, key, way), mishap=crash)
        if any(entry.content_id == key for entry in await self.process.outbox()):
            await self.process.run(partial(self.agents.resolve, key, way))

    async def _gone_on(self) -> None:
        """People go on writing where there is a conflict: it shows their newest text."""
        entries = await self.process.outbox()
        conflicts = [one.content_id for one in entries if one.state is PushState.CONFLICT]
        for self.wiki.focus in conflicts:
            self.wiki.apply(Edit("below"))
        self.wiki.focus = None
        if conflicts:
            await self._quiet()

    async def _chosen(self) -> None:
        """A person ends every conflict, each in another way, and what can't be done."""
        for way in range(10):
            waiting = await self.process.outbox()
            if not waiting:
                break
            for number, entry in enumerate(waiting):
                if entry.state is PushState.CONFLICT:
                    await self._choose(entry.content_id, number + way)
                else:
                    await self.agents.discard(entry.content_id)
            await self._quiet()
        assert not await self.process.outbox()

    # --- what must hold

    async def _nothing_lost(self) -> None:
        account = self.process.account
        assert not account.breaches, "\n".join(account.breaches)
        assert not account.twins(), account.twins()
        kept = await self._kept()
        lost = account.written - account.given_up - account.arrived - kept
        assert not lost, f"agents were told that these are kept: {lost}"

    async def _kept(self) -> set[str]:
        texts = await self._rows(
            "SELECT title, content FROM content UNION ALL SELECT title, content FROM trash"
        )
        return words_of(*(text for row in texts for text in row))

    async def _rows(self, query: str) -> list[Any]:
        return await self.process.runtime.database.read(lambda c: c.execute(query).fetchall())

    async def _agree(self) -> None:
        """Both sides say the same, or the outbox says that they don't."""
        account = self.process.account
        assert not account.unseen
        told = {entry.content_id: entry for entry in await self.process.outbox()}
        assert not await self.process.waiting()
        ours = {one.id: one for one in await self.agents.contents()}
        theirs = {row[0]: row[1:] for rows in self.wiki.shows().values() for row in rows}
        for key in theirs.keys() - told.keys():
            assert key in ours, f"lost: {key} {theirs[key]}"
            held = ours[key]
            assert (held.title, held.text, held.parent_id) == theirs[key], "they differ unseen"
        for key in ours.keys() - told.keys() - theirs.keys():
            assert ours[key].outline_doc_id is None, f"ghost: {ours[key]}"
        for key, one in ours.items():
            tags = frozenset(one.tags)
            assert tags in account.tags.get(key, {tags}), "tags were lost"
        for key in told:
            await self._is_shown(key)

    async def _is_shown(self, key: ContentId) -> None:
        """A conflict shows what Outline has now, beside what was written here."""
        push = (await self.process.runtime.store.standing(key)).push
        assert push is not None
        assert push.error or push.state is PushState.PENDING
        await self.process.runtime.outbox.difference(key)
        if push.state is PushState.CONFLICT and key in self.wiki.visible():
            row = self.wiki.rows()[key]
            assert push.remote is not None
            assert (push.remote.title, push.remote.text) == (row.title, row.text)
            theirs = words_of(row.title, row.text)
            said = [words_of(edit.text) for edit in push.edits]
            # Two lines over a rule are a heading to Outline, and two lines to us.
            other = push.operation is not Operation.UPDATE or any(
                "---" in edit.text for edit in push.edits
            )
            needed = other or not said or any(not words or words - theirs for words in said)
            assert needed, f"a conflict about what Outline has already: {push}"

    async def _nothing_new(self) -> None:
        """A pass in the quiet changes nothing, and nothing is embedded again."""
        runtime = self.process.runtime
        await runtime.embed_backlog()
        before = len(runtime.embedder.embedded)
        outcome = await self.process.run("full")
        assert outcome.clean
        found = [(r.created, r.updated, r.moved, r.removed) for r in outcome.reports or ()]
        said = await runtime.store.log(limit=5)
        assert not any(map(any, found)), f"a pass in the quiet changed something: {said}"
        assert await runtime.push_pending() == 0
        await runtime.embed_backlog()
        assert len(runtime.embedder.embedded) == before
