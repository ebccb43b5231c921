"""What agents, and people at the gateway's doors, ask of it; as values that shrink."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st
from push_process import PushProcess
from pushed_wiki import words_of

from personal_context.content.checks import NewContent
from personal_context.content.editing import Change
from personal_context.content.resolving import Keep
from personal_context.domain.errors import PersonalContextError
from personal_context.domain.models import Content, ContentId, EditMode, Operation, PushState

PATIENCE = 30.0
"""Seconds for a push: as many as it takes, for nobody waits in these tests."""

KEEPS: tuple[Keep, ...] = ("local", "outline", "both")
BOTH = 2

FORMS = (
    "Noted {word}.",
    "- one\n- {word}",
    "# Part\n\nsoft {word}\nbreak",
    "| a | b |\n|---|---|\n| {word} | 2 |",
    "1. first\n2. second *{word}*\n\n```py\ncode\n```",
    "---\nowner: Ada\ntags: [front]\n---\n\nBody {word}.",
)


@dataclass(frozen=True)
class Deed:
    """What somebody asks for.

    Attributes:
        what: A method of Agents.
        pick: Which of the contents that it can befall.
        form: In which form a text is given.
        way: How a text is changed, what is kept, and the like.
    """

    what: str
    pick: int = 0
    form: int = 0
    way: int = 0

    @property
    def adds(self) -> bool:
        """Whether there is a new content after it."""
        return self.what.startswith("add")


numbers, forms, ways = st.integers(0, 3), st.integers(0, len(FORMS) - 1), st.integers(0, 4)
changes = st.builds(Deed, st.just("change"), numbers, forms, ways)
deeds = st.one_of(
    changes,
    changes,
    st.builds(Deed, st.sampled_from(["add", "add", "add_again", "add_long"]), numbers, forms, ways),
    st.builds(
        Deed,
        st.sampled_from(["delete", "restore", "retitle", "tag", "change_unread"]),
        numbers,
        forms,
        ways,
    ),
    st.builds(
        Deed,
        st.sampled_from(["retry", "resolve", "resolve", "discard", "offer", "drain", "drain"]),
        numbers,
        forms,
        ways,
    ),
)


class Agents:
    """Asks the gateway, and enters into the account what it has promised.

    Args:
        process: The gateway; it may be started again in between.

    Attributes:
        focus: The content that is changed, if it is there; else the one that the deed picks.
    """

    def __init__(self, process: PushProcess) -> None:
        self._process = process
        self._account = process.account
        self._words = 0
        self._last: NewContent | None = None
        self._patience = PATIENCE
        self._copied = set[tuple[object, ...]]()
        self.focus: ContentId | None = None

    async def do(self, deed: Deed, patience: float = PATIENCE) -> str:
        """Ask for it; what is refused isn't done, and says so.

        Args:
            deed: What is asked for.
            patience: Seconds to wait for its push; none while another one is under way, which it
                would wait for.
        """
        self._patience = patience
        try:
            return str(await getattr(self, f"_{deed.what}")(deed))
        except (PersonalContextError, LookupError) as error:
            return f"refused: {error}".splitlines()[0]

    # --- what there is

    async def contents(self) -> list[Content]:
        """Return what is kept and not in the trash, oldest first."""
        rows = await self._rows("SELECT id FROM content ORDER BY rowid")
        return [await self._process.runtime.store.get(ContentId(row[0])) for row in rows]

    async def _rows(self, query: str) -> list[Any]:
        return await self._process.runtime.database.read(lambda c: c.execute(query).fetchall())

    async def _pick(self, deed: Deed) -> Content:
        found = await self.contents()
        return _chosen([one for one in found if one.id == self.focus] or found, deed)

    async def _waiting(self, deed: Deed, *states: PushState) -> ContentId:
        entries = await self._process.outbox()
        return _chosen([e for e in entries if e.state in states or not states], deed).content_id

    def _word(self, mark: str = "a") -> str:
        self._words += 1
        return f"{mark}{self._words}{mark}"

    def _text(self, deed: Deed) -> tuple[str, str]:
        word = self._word()
        return word, FORMS[deed.form].format(word=word)

    # --- contents

    async def _add(self, deed: Deed) -> object:
        parent = None
        found = await self.contents()
        if deed.way == 4 and found:
            parent = found[deed.pick % len(found)].id
        _, text = self._text(deed)
        title = f"Note {self._word('b')}"
        new = NewContent(text, title=title, tags=["kept", f"t{deed.way}"], parent=parent)
        return await self._added(new, again=False)

    async def _add_again(self, deed: Deed) -> object:
        """The same words once more, on purpose or not."""
        if self._last is None:
            return await self._add(deed)
        return await self._added(self._last, again=deed.way % 2 == 0)

    async def _add_long(self, deed: Deed) -> object:
        _, text = self._text(deed)
        title = f"Note {self._word('b')} {'long ' * 25}"
        return await self._added(NewContent(text, title=title), again=False)

    async def _added(self, new: NewContent, *, again: bool) -> object:
        said = words_of(new.title or "", new.text)
        self._account.adds.update(said)
        self._last = new
        contents = self._process.runtime.contents
        added = await contents.add(
            new, if_exists="add" if again else "return", patience=self._patience
        )
        self._account.written |= said
        if not added.created:
            self._account.adds.subtract(said)
        else:
            # Somebody else may have set others while this one waited for its push.
            self._account.tags.setdefault(added.content.id, {_set_of(added.content.tags)})
        return added.outline

    async def _change(self, deed: Deed) -> object:
        read = await self._process.runtime.contents.get((await self._pick(deed)).id)
        return await self._changed(read.content, deed, expected_hash=read.summary.hash)

    async def _change_unread(self, deed: Deed) -> object:
        return await self._changed(await self._pick(deed), deed, expected_hash=None)

    async def _changed(self, content: Content, deed: Deed, expected_hash: str | None) -> object:
        mode = (EditMode.REPLACE, EditMode.APPEND, EditMode.PREPEND, EditMode.PATCH)[deed.way % 4]
        word, text = self._text(deed)
        find, gone = None, set[str]()
        if mode is EditMode.REPLACE:
            gone = words_of(content.text)
        if mode is EditMode.PATCH:
            find = min(words_of(content.readable), default=None)
            text = f"{find} and {word}" if deed.form % 2 else word
            gone = words_of(find or "") - words_of(text)
        change = Change(content=text, mode=mode, find=find, expected_hash=expected_hash)
        return await self._update(content, change, {word}, gone)

    async def _retitle(self, deed: Deed) -> object:
        content = await self._pick(deed)
        title = f"Note {self._word('b')}"
        return await self._update(
            content, Change(title=title), words_of(title), words_of(content.title)
        )

    async def _tag(self, deed: Deed) -> object:
        content = await self._pick(deed)
        tags = (f"new{deed.form}", "kept")
        return await self._update(content, Change(tags=tags), set(), set())

    async def _update(
        self, content: Content, change: Change, said: set[str], gone: set[str]
    ) -> object:
        account, known = self._account, set(self._account.read[content.id])
        account.read[content.id] |= gone
        account.given_up |= gone
        allowed = account.tags.setdefault(content.id, {_set_of(content.tags)})
        if "tags:" in (change.content or "") and change.mode is EditMode.REPLACE:
            change = replace(change, tags=["front"])
        allowed.add(_set_of(change.tags or content.tags))
        try:
            done = await self._process.runtime.changes.update(
                content.id, change, patience=self._patience
            )
        except PersonalContextError:
            if self._process.runtime.database._open:  # else it may have been written
                account.read[content.id] = known
                allowed &= {_set_of(content.tags)}
            raise
        account.written |= said
        if account.tags[content.id] is allowed:  # nobody set others while this one waited
            account.tags[content.id] = {_set_of(change.tags or content.tags)}
        return done.outline

    async def _delete(self, deed: Deed) -> object:
        content = await self._pick(deed)
        # What an agent has read and replaced, Outline may have still.
        read = self._account.read[content.id]
        mine = words_of(content.title, content.text)
        self._account.deleted[content.id] = mine | read
        done = await self._process.runtime.changes.delete(content.id, patience=self._patience)
        # If people restore it in Outline, it is as Outline had it.
        self._account.given_up |= mine
        return done.outline

    async def _restore(self, deed: Deed) -> object:
        trashed = await self._process.runtime.store.trashed(limit=100)
        key = _chosen(trashed, deed).id
        self._account.restored.add(key)
        found = (await self._process.runtime.store.standing(key)).content
        done = await self._process.runtime.changes.restore(key, patience=self._patience)
        self._account.given_up -= words_of(found.title, found.text)
        return done.outline

    # --- the outbox

    async def _drain(self, deed: Deed) -> object:
        return await self._process.runtime.push_pending()

    async def _retry(self, deed: Deed) -> object:
        key = await self._waiting(deed, PushState.FAILED, PushState.PENDING)
        return await self._process.runtime.outbox.retry(key, patience=self._patience)

    async def _resolve(self, deed: Deed) -> object:
        return await self.resolve(await self._waiting(deed, PushState.CONFLICT), deed.way)

    async def resolve(self, key: ContentId, way: int) -> object:
        """Choose between what both sides have."""
        keep = KEEPS[way % 3]
        account = self._account
        standing = await self._process.runtime.store.standing(key)
        push, ours = standing.push, standing.content
        assert push is not None
        mine = words_of(ours.title, ours.text)
        remote = push.remote
        theirs = words_of(remote.title, remote.text) if remote else set()
        account.restored.add(key)
        if keep == "local":
            account.read[key] |= theirs
            account.adds.update(mine)  # if Outline has deleted it for good it is made again
            if push.operation is Operation.TRASH:
                account.deleted[key] = account.deleted.get(key, set()) | theirs | mine
        elif keep == "outline":
            account.given_up |= mine
        elif (copy := (key, push.queued_at, push.version)) not in self._copied:
            self._copied.add(copy)
            account.may_be_made_once_more(mine)
        return await self._process.runtime.outbox.resolve(key, keep, patience=self._patience)

    async def _discard(self, deed: Deed) -> object:
        return await self.discard(await self._waiting(deed))

    async def discard(self, key: ContentId) -> object:
        """Don't tell Outline."""
        standing = await self._process.runtime.store.standing(key)
        push = standing.push
        # What was added stays here; unless Outline has it, and something else in it.
        if push is not None and (push.operation is not Operation.CREATE or push.remote):
            self._account.given_up |= words_of(standing.content.title, standing.content.text)
        return await self._process.runtime.outbox.discard(key)

    async def _offer(self, deed: Deed) -> object:
        return len(await self._process.runtime.outbox.offer_local())


def _chosen(found: Any, deed: Deed) -> Any:
    if not found:
        raise LookupError("there is nothing that it could be done to")
    return found[deed.pick % len(found)]


def _set_of(tags: Sequence[str]) -> frozenset[str]:
    return frozenset(tags)
