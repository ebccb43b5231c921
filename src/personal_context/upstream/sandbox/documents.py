"""What a person, or the API for one, can do to documents, with every side effect."""

import hashlib
import re
from dataclasses import replace
from datetime import datetime

from personal_context.upstream.sandbox import errors
from personal_context.upstream.sandbox.branches import Branches
from personal_context.upstream.sandbox.markdown import clean, normalise
from personal_context.upstream.sandbox.models import Attachment, Document, Json, iso
from personal_context.upstream.sandbox.world import new_id, new_url_id, stable_ids

TITLE_LIMIT = 100
_V4 = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE
)


class Documents(Branches):
    """Edits documents. Methods raise ApiError exactly where the API answers with an error.

    `by` is always the id of the acting user; None is the sandbox's own person.
    """

    def create(  # noqa: PLR0913 - each names one field of the API
        self,
        title: str,
        text: str = "",
        *,
        collection_id: str | None = None,
        parent_id: str | None = None,
        id: str | None = None,  # noqa: A002 - the API's own word
        url_id: str | None = None,
        publish: bool = True,
        index: int = 0,
        icon: str | None = None,
        color: str | None = None,
        full_width: bool = False,
        created_at: datetime | None = None,
        updated_at: datetime | None = None,
        raw: bool = False,
        by: str | None = None,
    ) -> Document:
        """Create a document, at the top of its siblings unless `index` says otherwise.

        Args:
            title: At most 100 characters.
            text: Markdown, stored as Outline would give it back.
            collection_id: Where to; may be left out under a parent.
            parent_id: An active document.
            id: A UUID v4 of the caller's choice; an id that is taken is refused.
            url_id: Ten letters and digits; chosen if None.
            publish: False makes a draft, which no list shows.
            index: Place among the siblings, from 0; `tree.END` for the last.
            icon: Emoji, name or UUID.
            color: Of the icon, `#rrggbb`.
            full_width: How the page is shown.
            created_at: In the past: `updatedAt` becomes the same moment, as on import.
            updated_at: Overrides `updatedAt`; only for loading a wiki.
            raw: Store the text untouched: quicker when thousands are made.
            by: Acting user.

        Returns:
            The document as the answer to the request shows it. A moment later Outline's
            background work has raised a published one's revision by one, unseen in `updatedAt`.
        """
        self._check_new(id, title)
        collection_id = self._home(collection_id, parent_id, publish=publish)
        now = self._world.now()
        created = iso(created_at) if created_at else now
        actor = by or self._world.person
        document = Document(
            id=id or new_id(),
            url_id=url_id or new_url_id(),
            title=clean(title),
            icon=icon,
            color=color,
            language=None,
            created_at=created,
            created_by=actor,
            updated_at=iso(updated_at) if updated_at else created,
            updated_by=actor,
            published_at=now if publish else None,
            archived_at=None,
            deleted_at=None,
            revision=2 if publish else 1,
            full_width=int(full_width),
            collection_id=collection_id,
            parent_id=parent_id,
            text=clean(text) if raw else self.stored_text(text),
        )
        with self._state.transaction():
            self._state.insert(replace(document, revision=3) if publish else document)
            if publish:
                self._show(document, index)
        self._tell("create", document.id, actor)
        if publish and title:
            self._tell("publish", document.id, actor)
        return document

    def _check_new(self, key: str | None, title: str) -> None:
        if key is not None and not _V4.fullmatch(key):
            raise errors.validation("Validation isUUID on id failed (id)")
        check_title(title)
        if key is not None and self._state.get(Document, key) is not None:
            raise errors.validation("id must be unique (id)")

    def stored_text(self, text: str) -> str:
        """Return Markdown as Outline gives it back; data: images become attachments."""
        return normalise(text, self._keep_image)

    def _keep_image(self, content_type: str, data: bytes) -> str:
        key, _ = stable_ids(hashlib.sha256(data).hexdigest())
        if self._state.get(Attachment, key) is None:
            self._state.insert(Attachment(key, content_type, data))
        return f"/api/attachments.redirect?id={key}"

    def edit(
        self,
        reference: str,
        *,
        title: str | None = None,
        text: str | None = None,
        icon: str | None = None,
        raw: bool = False,
        by: str | None = None,
    ) -> Document:
        """Change title, text or icon of an active document; None leaves one as it is.

        Args:
            reference: Id, urlId or slug-urlId.
            title: At most 100 characters.
            text: Markdown, stored as Outline would give it back.
            icon: Emoji, name or UUID.
            raw: Store the text untouched.
            by: Acting user.
        """
        given = {"title": title, "text": text, "icon": icon}
        changes: Json = {name: value for name, value in given.items() if value is not None}
        return self.change(reference, changes, raw=raw, by=by)

    def change(
        self,
        reference: str,
        changes: Json,
        *,
        publish: bool = False,
        raw: bool = False,
        by: str | None = None,
    ) -> Document:
        """Change a document; what is equal already changes nothing, not even the revision.

        Args:
            reference: Id, urlId or slug-urlId of an active document.
            changes: New values of title, text, icon, color, full_width, language, and for a
                draft collection_id.
            publish: Also publish a draft.
            raw: Store the text untouched.
            by: Acting user.
        """
        before = self._active(reference)
        check_title(str(changes.get("title") or ""))
        if "text" in changes:
            text = str(changes["text"] or "")
            changes = changes | {"text": clean(text) if raw else self.stored_text(text)}
        different: Json = {k: v for k, v in changes.items() if v != getattr(before, k)}
        published = publish and before.published_at is None
        if not different and not published:
            return before
        now = self._world.now()
        if published:
            different["published_at"] = now
            if not (different.get("collection_id") or before.collection_id):
                raise errors.validation(
                    "collectionId is required to publish a draft without collection"
                )
        actor = by or self._world.person
        with self._state.transaction():
            self._bump([before], now, actor, **different)
            after = self.get(before.id)
            if published:
                self._show(after, 0)
        self._tell("update", after.id, actor)
        if "title" in different:
            self._tell("title_change", after.id, actor)
        if published:
            self._tell("publish", after.id, actor)
        return after

    def publish(self, reference: str, *, by: str | None = None) -> Document:
        """Publish a draft."""
        return self.change(reference, {}, publish=True, by=by)

    def unpublish(self, reference: str, *, detach: bool = False, by: str | None = None) -> Document:
        """Make a published document a draft again: it vanishes from lists and the tree."""
        document = self._active(reference)
        if document.published_at is None:
            raise errors.forbidden()
        if any(child.live for child in self._state.descendants(document.id)):
            raise errors.validation("Cannot unpublish document with child documents")
        home: Json = {"collection_id": None, "parent_id": None} if detach else {}
        actor = by or self._world.person
        with self._state.transaction():
            self._tree.take_out(document.id)
            self._bump([document], self._world.now(), actor, published_at=None, **home)
        self._tell("unpublish", document.id, actor)
        return self.get(document.id)


def check_title(title: str) -> None:
    """Refuse a title over 100 characters."""
    if len(title) > TITLE_LIMIT:
        raise errors.validation("Document title must be 100 characters or less (title)")
