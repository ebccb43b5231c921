"""Any sequence of changes, passes, faults and crashes; and what must hold after each."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Awaitable
from datetime import timedelta
from pathlib import Path
from typing import Any

from changing_wiki import ChangingWiki, Edit, edits
from hypothesis import HealthCheck, note, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from mirror_process import How, MirrorProcess, Outcome, edits_between
from mishaps import TO_THE_END, TROUBLES, Crash, Sleep, Trouble
from sync_checks import Mishap, PassWatch, equal, keeps_its_word, parts_agree

from personal_context.upstream.sandbox.models import Version

EXAMPLES = "PERSONAL_CONTEXT_TEST_SYNC_EXAMPLES"
"""Environment variable: how many random sequences are tried instead of those of every run."""

EVERY_RUN = settings(
    max_examples=80,
    stateful_step_count=8,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

how_often = st.sampled_from([1, 1, 2, TO_THE_END])
troubles = st.builds(Trouble, st.sampled_from(TROUBLES), at=st.integers(1, 9), times=how_often)
# Trouble that decides: where a document, a page or a tree is asked for, and says too little.
aimed = st.builds(
    Trouble,
    st.sampled_from(["403", "403", "unreadable", "empty", "500", "garbage", "cut"]),
    at=st.sampled_from([1, 1, 2]),
    times=how_often,
    endpoint=st.sampled_from(
        [
            *("documents.info", "documents.list") * 2,
            *("collections.documents", "collections.info", "collections.list"),
        ]
    ),
)
crashes = st.builds(Crash, at=st.integers(1, 100), how=st.sampled_from(["kill", "kill", "cancel"]))
sleeps = st.builds(
    Sleep, st.integers(2, 6), st.integers(1, 5), st.lists(edits, min_size=3, max_size=5).map(tuple)
)
# The first and the last are drawn most often, and a sleep costs a second process.
mishaps = st.one_of(st.none(), sleeps, crashes, troubles, crashes, aimed, aimed)
between = st.just({}) | st.dictionaries(st.integers(1, 8), edits, min_size=1, max_size=2)
seconds = st.sampled_from([0, 0, 5, 61, 1000])
beginnings = st.builds(
    Edit,
    st.sampled_from(["create", "family", "imported", "child", "create"]),
    where=st.integers(0, 2),
)


def chosen_settings() -> settings:
    """Return the settings of every run, or those of a long one that the environment asks for."""
    examples = int(os.environ.get(EXAMPLES, "0"))
    if not examples:
        return EVERY_RUN
    return settings(EVERY_RUN, max_examples=examples, stateful_step_count=12, derandomize=False)


class SyncMachine(RuleBasedStateMachine):
    """A wiki, and a process that mirrors it.

    A mishap is an argument of the pass that suffers it: a fault ordered by a rule of its own
    would rarely meet the request that it is dangerous for. So are the edits before it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        # In memory where that is a folder: many files live for a tenth of a second.
        memory = Path("/dev/shm")
        self._folder = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
        self._whole = False
        self._stirred = 0
        self.wiki: ChangingWiki
        self.process: MirrorProcess

    def _await(self, doing: Awaitable[Any]) -> None:
        async def do() -> None:
            await doing

        self._whole = False
        self._runner.run(do())
        self._whole = True

    @initialize(
        version=st.sampled_from(["1.9.2", "main"]),
        everything=st.booleans(),
        skew=st.sampled_from([timedelta(0), timedelta(days=-1), timedelta(days=1)]),
        documents=st.lists(beginnings, max_size=5),
        age=st.sampled_from([0, 1000]),
    )
    def begin(
        self,
        *,
        version: Version,
        everything: bool,
        skew: timedelta,
        documents: list[Edit],
        age: float,
    ) -> None:
        self.wiki = ChangingWiki(version, everything=everything)
        self.process = MirrorProcess(self._folder, self.wiki, skew)
        self._await(self.process.start())
        for edit in documents:
            self.wiki.apply(edit)
        self.wiki.clock.advance(seconds=age)

    @rule(
        edits=st.lists(edits, min_size=1, max_size=5),
        later=seconds,
        how=st.sampled_from(["poll", "poll", "sync", "full"]),
        between=between,
        mishap=mishaps,
    )
    def people_work_then_a_pass(
        self,
        *,
        edits: list[Edit],
        later: float,
        how: How,
        between: dict[int, Edit],
        mishap: Mishap,
    ) -> None:
        for edit in edits:
            self.wiki.apply(edit)
        self.wiki.clock.advance(seconds=later)
        self._stirred += 1
        self._await(self._pass(how, between, mishap))

    @precondition(lambda self: self._stirred >= 4)
    @rule()
    def quiet(self) -> None:
        self._stirred = 0
        self._await(self._quiet())

    def teardown(self) -> None:
        try:
            if self._whole and self._stirred:
                self._await(self._quiet())
        finally:
            if hasattr(self, "process"):
                self._runner.run(self.process.stop())
                self.wiki.sandbox.services.world.state.close()
            self._runner.close()
            shutil.rmtree(self._folder)

    # --- what must hold

    async def _pass(self, how: How, between: dict[int, Edit], mishap: Mishap) -> None:
        outcome = await self._watched(how, between, mishap)
        if between:
            return
        if outcome.successor is None:
            await keeps_its_word(self.wiki, self.process, how, outcome, mishap)
        elif outcome.successor.clean and not await self.process.runtime.store.failures():
            await equal(self.wiki, self.process)

    async def _watched(
        self, how: How, between: dict[int, Edit] | None = None, mishap: Mishap = None
    ) -> Outcome:
        watch = PassWatch(self.wiki, self.process)
        await watch.begin()
        outcome = await self.process.run(
            how, between=edits_between(self.wiki, between or {}), mishap=mishap
        )
        note(f"{how}: {outcome}")
        await watch.end(mishap, agreed=how == "agreed")
        await parts_agree(self.wiki, self.process)
        return outcome

    async def _quiet(self) -> None:
        full = self.wiki.rewritten
        await keeps_its_word(
            self.wiki, self.process, "agreed", await self._watched("agreed"), mishap=None
        )
        self.wiki.clock.advance(seconds=max([61, *await self.process.waits()]))
        if full:
            await self._watched("full")
        await self._watched("agreed")
        await equal(self.wiki, self.process)
        self.wiki.rewritten = self.wiki.late = False
        await self._cheap()

    async def _cheap(self) -> None:
        """A poll that finds nothing costs two requests for each collection."""
        outcome = await self.process.run("poll")
        shown = len(self.wiki.mirrored())
        # A list of none is doubted at each poll: what was known is asked for.
        doubts = 0 if shown else len(await self.process.runtime.store.sync_states())
        assert self.process.requests <= 2 * shown + 1 + doubts, outcome
