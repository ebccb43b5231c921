"""What must hold of a mirror: after every pass, after one that went well, and in the end."""

from collections import Counter
from collections.abc import Collection, Mapping

from changing_wiki import ChangingWiki, Row
from mirror_process import How, MirrorProcess, Outcome
from mishaps import LAGGING, TO_THE_END, Crash, Sleep, Trouble

from personal_context.upstream.sandbox.faults import ANY

Mishap = Trouble | Crash | Sleep | None

FUSE_COUNT, FUSE_SHARE = 10, 0.3


class PassWatch:
    """Looks on while a pass runs: what is there all the time has no reason to leave.

    Args:
        wiki: What is mirrored.
        process: Mirrors it.
    """

    def __init__(self, wiki: ChangingWiki, process: MirrorProcess) -> None:
        self._wiki = wiki
        self._process = process

    async def begin(self) -> None:
        """Look before the pass."""
        self._before = await where(self._process)
        self._process.witness.forget()
        self._line = await self._process.last_line()
        self._mirrored = set(self._wiki.mirrored())
        self._stayed = self._shown()
        self._moved = {key for key, home in self._stayed.items() if home != self._before.get(key)}
        self._wiki.watch = self._look

    def _look(self) -> None:
        """Look after an edit."""
        now = self._shown()
        self._mirrored &= set(self._wiki.mirrored())
        for key in [key for key in self._stayed if key not in now]:
            del self._stayed[key]
        self._moved.update(key for key in self._stayed if now[key] != self._before.get(key))

    def _shown(self) -> dict[str, str]:
        """Where the documents are for which there is no reason to leave the mirror."""
        hidden = self._wiki.hidden()
        unseen = {key: home for key, home in self._before.items() if home in hidden}
        return unseen | dict(self._wiki.visible())

    async def end(self, mishap: Mishap, *, agreed: bool = False) -> None:
        """Hold what is gone against what was seen.

        Args:
            mishap: What befell the pass.
            agreed: A person said that many may go.
        """
        self._wiki.watch = None
        if isinstance(mishap, Trouble) and mishap.kind == "403" and mishap.times < TO_THE_END:
            # For a document that isn't in the tree any more, one 403 is evidence enough.
            for key in self._moved:
                self._stayed.pop(key, None)
        after = await where(self._process)
        lost = self._before.keys() & self._stayed.keys() - after.keys()
        assert not lost, f"removed, though visible all the time: {lost}"
        removals = await self._process.removals(self._line)
        hasty = [one for one in removals if one[2] in self._stayed]
        assert not hasty, f"removed for a while, though visible all the time: {hasty}"
        witness = self._process.witness
        unheard = [one for one in removals if not witness.justifies(one, self._mirrored)]
        assert not unheard, f"removed, though the wiki didn't say so: {unheard}"
        if not agreed:
            self._fuse(after)

    def _fuse(self, after: Mapping[str, str]) -> None:
        before = self._before
        gone = Counter(home for key, home in before.items() if key not in after)
        for home, count in gone.items():
            held = [key for key in before | after if home in (before.get(key), after.get(key))]
            fused = count > FUSE_COUNT and count > FUSE_SHARE * len(held)
            assert not fused, f"{count} of {len(held)} were removed and nobody was asked"


async def where(process: MirrorProcess) -> dict[str, str]:
    """Return the collection of each document that is held."""
    held = await process.holds()
    found = [(one.id, home) for home, contents in held.items() for one in contents]
    assert len(found) == len(dict(found)), "something is held twice"
    return dict(found)


async def keeps_its_word(
    wiki: ChangingWiki, process: MirrorProcess, how: How, outcome: Outcome, mishap: Mishap = None
) -> None:
    """Check that where a pass says that all went well, the mirror is equal.

    Nobody worked meanwhile. What only a sweep can see, or a look behind the cursor a minute later,
    is not asked of others.
    """
    if outcome.crashed or (isinstance(mishap, Trouble) and _sounds_true(mishap)):
        return  # Nobody can know better than what a sound answer says.
    failing = {one.collection_id for one in await process.runtime.store.failures()}
    among = {
        one.collection_id
        for one in outcome.reports or ()
        # One that asked for nothing says nothing: its collection wasn't shown.
        if one.requests and not (one.error or one.failed)
    }
    # A poll believes the list of collections for a while.
    everything = how != "poll" and outcome.clean and not failing
    await equal(
        wiki,
        process,
        among=None if everything else among - failing,
        texts=how == "full" or not (wiki.rewritten or wiki.late),
    )
    if how == "full" and everything:
        wiki.rewritten = wiki.late = False


def _sounds_true(trouble: Trouble) -> bool:
    """Tell whether it is an answer that the wiki gives in earnest, too.

    A 403 for a document that the tree shows means that the key may not see it.
    """
    refused = trouble.kind == "403" and trouble.endpoint in {ANY, "documents.info"}
    return refused or trouble.kind in {LAGGING, "empty"}


async def equal(
    wiki: ChangingWiki,
    process: MirrorProcess,
    *,
    among: Collection[str] | None = None,
    texts: bool = True,
) -> None:
    """Check that the mirror is what the key may see, and that search finds it.

    Args:
        wiki: Is quiet.
        process: Mirrors it.
        among: Only these collections.
        texts: Compare texts, too.
    """

    hidden = wiki.hidden()

    def compared(shown: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
        found = {
            home: [(key, title, text if texts else "", up) for key, title, text, up in rows]
            for home, rows in shown.items()
            if home not in hidden and (among is None or home in among)
        }
        return {home: rows for home, rows in found.items() if rows}

    mirrored = wiki.mirrored()
    held, wanted = compared(await process.shows()), compared(wiki.shows())
    if among is not None:
        held = {home: rows for home, rows in held.items() if home in mirrored}
    assert held == wanted, differences(held, wanted)
    for rows in wanted.values():
        for key, title, text, _ in rows:
            for word in (title.split()[-1], *text.split()[-1:]):
                assert await process.finds(word.rstrip(".")) == {key}


async def parts_agree(wiki: ChangingWiki, process: MirrorProcess) -> None:
    """Check that what is held is what was some time, with its sections and words."""
    held = [one for contents in (await process.holds()).values() for one in contents]
    made_up = {(one.id, one.title, one.text) for one in held} - wiki.history
    assert not made_up
    sections = await process.runtime.store.sections_of([one.id for one in held])
    assert sections.keys() == {one.id for one in held}
    for one in held:
        assert one.text.split()[-1] in " ".join(part.text for part in sections[one.id])
    assert await process.finds("title") == {one.id for one in held}
    wrong = {one.name: one.problems for one in await process.runtime.checkup.look() if one.problems}
    assert not wrong, wrong


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
