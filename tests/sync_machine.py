"""Any sequence of changes, passes, faults and crashes; and what must hold after each."""

import asyncio
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Awaitable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from changing_wiki import ChangingWiki, Edit, Row, edits
from hypothesis import HealthCheck, note, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from mirror_process import How, MirrorProcess, edits_between
from mishaps import TO_THE_END, TROUBLES, Crash, Sleep, Trouble

from personal_context.upstream.sandbox.models import Version

EXAMPLES = "PERSONAL_CONTEXT_TEST_SYNC_EXAMPLES"
"""Environment variable: how many random sequences are tried instead of those of every run."""

EVERY_RUN = settings(
    max_examples=100,
    stateful_step_count=10,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)

FUSE_COUNT, FUSE_SHARE = 10, 0.3

troubles = st.builds(
    Trouble,
    st.sampled_from(TROUBLES),
    at=st.integers(1, 9),
    times=st.sampled_from([1, 1, 2, TO_THE_END]),
)
crashes = st.builds(Crash, at=st.integers(1, 100), how=st.sampled_from(["kill", "kill", "cancel"]))
sleeps = st.builds(
    Sleep, st.integers(2, 6), st.integers(1, 5), st.lists(edits, min_size=3, max_size=5).map(tuple)
)
mishaps = st.none() | troubles | crashes | sleeps
seconds = st.sampled_from([0, 0, 5, 61, 1000])


def chosen_settings() -> settings:
    """Return the settings of every run, or those of a long one that the environment asks for."""
    examples = int(os.environ.get(EXAMPLES, "0"))
    if not examples:
        return EVERY_RUN
    return settings(EVERY_RUN, max_examples=examples, stateful_step_count=16, derandomize=False)


class SyncMachine(RuleBasedStateMachine):
    """A wiki, and a process that mirrors it.

    A mishap is an argument of the pass that suffers it: a fault ordered by a rule of its own
    would rarely meet the request that it is dangerous for.
    """

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        # In memory where that is a folder: many files live for a tenth of a second.
        memory = Path("/dev/shm")
        self._folder = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
        self._whole = False
        self.wiki: ChangingWiki
        self.process: MirrorProcess

    def _await(self, doing: Awaitable[Any]) -> Any:
        async def do() -> Any:
            return await doing

        return self._runner.run(do())

    @initialize(
        version=st.sampled_from(["1.9.2", "main"]),
        everything=st.booleans(),
        skew=st.sampled_from([timedelta(0), timedelta(days=-1), timedelta(days=1)]),
        documents=st.lists(
            st.builds(
                Edit, st.sampled_from(["create", "child", "family"]), where=st.integers(0, 2)
            ),
            max_size=5,
        ),
    )
    def begin(
        self, *, version: Version, everything: bool, skew: timedelta, documents: list[Edit]
    ) -> None:
        self.wiki = ChangingWiki(version, everything=everything)
        self.process = MirrorProcess(self._folder, self.wiki, skew)
        self._await(self.process.start())
        for edit in documents:
            self.wiki.apply(edit)
        self._whole = True

    @rule(edits=st.lists(edits, min_size=1, max_size=3), later=seconds)
    def people_work(self, edits: list[Edit], later: float) -> None:
        self.wiki.clock.advance(seconds=later)
        for edit in edits:
            self.wiki.apply(edit)

    @rule(
        how=st.sampled_from(["poll", "poll", "sync", "full"]),
        later=seconds,
        between=st.dictionaries(st.integers(1, 8), edits, max_size=2),
        mishap=mishaps,
    )
    def a_pass(
        self,
        how: How,
        later: float,
        between: dict[int, Edit],
        mishap: Trouble | Crash | Sleep | None,
    ) -> None:
        self.wiki.clock.advance(seconds=later)
        self._whole = False
        self._await(self._pass(how, between, mishap))
        self._whole = True

    @rule()
    def quiet(self) -> None:
        self._whole = False
        self._await(self._quiet())
        self._whole = True

    def teardown(self) -> None:
        try:
            if self._whole:
                self._await(self._quiet())
        finally:
            if hasattr(self, "process"):
                self._await(self.process.stop())
                self.wiki.sandbox.services.world.state.close()
            self._runner.close()
            shutil.rmtree(self._folder)

    # --- what must hold

    async def _pass(
        self, how: How, between: dict[int, Edit], mishap: Trouble | Crash | Sleep | None
    ) -> None:
        before = await self._where()
        stayed = self._shown(before)
        moved = {key for key in stayed if stayed[key] != before.get(key)}

        def look() -> None:
            now = self._shown(before)
            for key in [key for key in stayed if key not in now]:
                del stayed[key]
            moved.update(key for key in stayed if now[key] != before.get(key))

        self.wiki.watch = look
        outcome = await self.process.run(
            how, between=edits_between(self.wiki, between), mishap=mishap
        )
        self.wiki.watch = None
        note(f"{how}: {outcome}")
        if isinstance(mishap, Trouble) and mishap.kind == "403" and mishap.times < TO_THE_END:
            # For a document that isn't in the tree any more, one 403 is evidence enough.
            stayed = {key: home for key, home in stayed.items() if key not in moved}
        await self._nothing_lost(before, stayed)
        await self._parts_agree()
        whole = outcome.successor or (outcome if how == "full" and not mishap else None)
        if whole and whole.clean and not between:
            await self._equal()

    def _shown(self, before: dict[str, str]) -> dict[str, str]:
        """Where the documents are for which there is no reason to leave the mirror."""
        unseen = {key: home for key, home in before.items() if home in self.wiki.hidden()}
        return unseen | dict(self.wiki.visible())

    async def _quiet(self) -> None:
        full = self.wiki.rewritten
        outcomes = [await self.process.run("agreed")]
        self.wiki.clock.advance(seconds=max([61, *await self.process.waits()]))
        if full:
            outcomes.append(await self.process.run("full"))
        outcomes.append(await self.process.run("agreed"))
        note(f"quiet: {outcomes}")
        await self._parts_agree()
        await self._equal()
        self.wiki.rewritten = False
        await self._cheap()

    async def _cheap(self) -> None:
        """A poll that finds nothing costs two requests for each collection."""
        collections = len(self.wiki.mirrored())
        # Whether a collection that isn't shown is gone or only hidden has to be asked.
        hidden = len(self.wiki.hidden())
        outcome = await self.process.run("poll")
        assert self.process.requests <= 2 * collections + hidden + 1, outcome

    async def _equal(self) -> None:
        wanted = {key: rows for key, rows in self.wiki.shows().items() if rows}
        hidden = self.wiki.hidden()
        held = {k: rows for k, rows in (await self.process.shows()).items() if k not in hidden}
        assert held == wanted, differences(held, wanted)
        for rows in wanted.values():
            for key, title, text, _ in rows:
                for word in (title.split()[-1], text.split()[-1].rstrip(".")):
                    assert await self.process.finds(word) == {key}

    async def _nothing_lost(self, before: dict[str, str], stayed: dict[str, str]) -> None:
        after = await self._where()
        lost = before.keys() & stayed.keys() - after.keys()
        assert not lost, f"removed, though visible all the time: {lost}"
        gone = Counter(home for key, home in before.items() if key not in after)
        for home, count in gone.items():
            held = [key for key in before | after if home in (before.get(key), after.get(key))]
            fused = count > FUSE_COUNT and count > FUSE_SHARE * len(held)
            assert not fused, f"{count} of {len(held)} were removed and nobody was asked"

    async def _where(self) -> dict[str, str]:
        held = await self.process.holds()
        where = [(one.id, home) for home, contents in held.items() for one in contents]
        assert len(where) == len(dict(where)), "something is held twice"
        return dict(where)

    async def _parts_agree(self) -> None:
        """What is held is what some document was at some time, with its sections and words."""
        held = [one for contents in (await self.process.holds()).values() for one in contents]
        made_up = {(one.id, one.title, one.text) for one in held} - self.wiki.history
        assert not made_up
        sections = await self.process.runtime.store.sections_of([one.id for one in held])
        assert sections.keys() == {one.id for one in held}
        for one in held:
            assert one.text.split()[-1] in " ".join(part.text for part in sections[one.id])
        assert await self.process.finds("title") == {one.id for one in held}
        problems = await self.process.runtime.database.write(_problems)
        assert not problems


def _problems(connection: Any) -> list[Any]:
    # The full-text check writes nothing, but FTS5 spells it as an INSERT; it raises.
    connection.execute("INSERT INTO content_fts (content_fts, rank) VALUES ('integrity-check', 1)")
    found = connection.execute("PRAGMA integrity_check").fetchall()
    found += connection.execute("PRAGMA foreign_key_check").fetchall()
    return [row for row in found if row != ("ok",)]


def differences(held: Mapping[str, list[Row]], wanted: Mapping[str, list[Row]]) -> str:
    """Say in which documents the mirror and the wiki differ."""
    ours = {row[0]: (home, *row[1:]) for home, rows in held.items() for row in rows}
    theirs = {row[0]: (home, *row[1:]) for home, rows in wanted.items() for row in rows}
    lines = [f"lost: {key} {theirs[key]}" for key in theirs.keys() - ours.keys()]
    lines += [f"ghost: {key} {ours[key]}" for key in ours.keys() - theirs.keys()]
    lines += [
        f"stale: {key} {ours[key]}, is {theirs[key]}"
        for key in ours.keys() & theirs.keys()
        if ours[key] != theirs[key]
    ]
    return "\n".join(["", *sorted(lines)]) if lines else "only the order differs"
