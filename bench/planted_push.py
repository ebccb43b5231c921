"""Bugs to plant into the write-back: each is one that such an outbox could well have had."""

from planted import Mutant

# Not here: claims that hold nobody off. What is sent twice meets the same id, or a revision, or a
# text that is not there any more; only an addition to Outline 1.9.2 would be made twice.
PUSH, COURIER, DELIVERY = "sync/push.py", "sync/courier.py", "sync/delivery.py"
TELLING, QUEUEING, SETTLING = "sync/telling.py", "sync/queueing.py", "sync/settling.py"
MIRROR, PUSHES, STANDING = "db/mirror.py", "db/pushes.py", "db/standing.py"

PUSH_MUTANTS = (
    # --- exactly once
    Mutant(
        "a new id at every try",
        COURIER,
        "                content.id,\n                title=",
        '                str(__import__("uuid").uuid4()),\n                title=',
    ),
    Mutant(
        "what may have been sent is not written down",
        PUSH,
        "sending = replace(push, sent_version=part.version, sent=sent)",
        "sending = push",
    ),
    Mutant(
        "an edit that arrived unknown is made again",
        DELIVERY,
        "return edit.version <= push.sent_version and in_effect(edit, base, there)",
        "return False",
    ),
    Mutant(
        "the copy of a text is made again",
        "content/outbox.py",
        'seed = f"{standing.content.id} {standing.hash} {push.queued_at} {push.version}"',
        'seed = str(__import__("uuid").uuid4())',
    ),
    # --- nothing of what people wrote is overwritten
    Mutant(
        "a document with our id is taken for ours",
        DELIVERY,
        "if not push.sent_version and not same_text(wording_of(document), outgoing(standing)):",
        "if False:",
    ),
    Mutant(
        "no guard against who was quicker",
        TELLING,
        "if revision is None and abilities.patch and _fits(document.text, wanted.text):",
        "if False:",
    ),
    Mutant(
        "a stale revision is sent as the newest",
        TELLING,
        "revision = document.revision if abilities.last_revision else None",
        "revision = None",
    ),
    Mutant(
        "a conflict is decided for us",
        DELIVERY,
        '    if wording is None:\n        return Clash("it was edited in Outline too", document)\n',
        "    if wording is None:\n        wording = outgoing(standing)\n",
    ),
    Mutant(
        "additions are sent as the whole text",
        TELLING,
        "return Message(title, text, mode, find, revision)",
        "return Message(title, text, last_revision=revision)",
    ),
    Mutant(
        "what others edited is deleted",
        DELIVERY,
        "    if known:\n        return Tell()\n",
        "    if document:\n        return Tell()\n",
    ),
    Mutant(
        "nobody looks after a deletion",
        COURIER,
        "        return await self._trashed(push, document)\n",
        "        return Told(done=True, version=push.version)\n",
    ),
    Mutant(
        "what is below is deleted along",
        COURIER,
        "        await self._check_nothing_below(document)\n",
        "",
    ),
    Mutant(
        "a shortened text is taken for a dropped part",
        TELLING,
        "    if after.revision > before.revision + 1:\n        return False\n",
        "",
    ),
    Mutant(
        "a text written without reading theirs replaces it",
        DELIVERY,
        "if ground is not None and not same_text(there, ground):\n        wording",
        "if False:\n        wording",
    ),
    Mutant(
        "the tree alone says what is below",
        COURIER,
        "if node.children or await self._upstream.has_below(document.id):",
        "if node.children:",
    ),
    # --- nothing of what agents wrote is lost
    Mutant(
        "what was changed before a deletion is forgotten",
        QUEUEING,
        "edits = (Edit(EditMode.REPLACE, content.text), Edit(EditMode.RETITLE, content.title))",
        "edits = ()",
    ),
    Mutant(
        "a part is taken for everything",
        TELLING,
        "return Part(first, wording, first[-1].version, is_last=False)",
        "return Part(first, wording, push.version, is_last=False)",
    ),
    Mutant(
        "what was offered before is not looked for",
        PUSH,
        "again = push.queued_at != standing.content.created_at",
        "again = False",
    ),
    Mutant(
        "a pass overwrites what waits",
        MIRROR,
        "SELECT 1 FROM outbox WHERE content_id = ?1\n UNION ALL ",
        "",
    ),
    Mutant(
        "a pass overwrites what was kept here only",
        MIRROR,
        "\n UNION ALL SELECT 1 FROM content WHERE id = ?1 AND outline_doc_id IS NULL",
        "",
    ),
    Mutant(
        "a change made while another is sent is dropped",
        DELIVERY,
        "edits = tuple(edit for edit in push.edits if edit.version > told)",
        "edits = ()",
    ),
    Mutant(
        "decisions are written on old ground",
        STANDING,
        "        if not _stands(connection, before):\n            return False\n",
        "",
    ),
    Mutant(
        "the push goes along when Outline no longer shows the document",
        PUSHES,
        "\"DELETE FROM outbox WHERE content_id = ? AND operation = 'create'\"",
        '"DELETE FROM outbox WHERE content_id = ?"',
    ),
    Mutant(
        "the newest edit alone is told",
        QUEUEING,
        "edits=merged_edits(push.edits, fresh)",
        "edits=tuple(fresh)",
    ),
    Mutant(
        "tags are lost on the way",
        "domain/models/content.py",
        "source_type=ours.source_type, tags=ours.tags, metadata",
        "source_type=ours.source_type, metadata",
    ),
    # --- both sides agree, and the quiet is quiet
    Mutant(
        "what was sent is kept, not what Outline made of it",
        SETTLING,
        "write = await self._written(standing, document, wording_of(document), placement)",
        "write = await self._written(standing, document, Wording(standing.content.title,"
        " standing.content.text), placement)",
    ),
    Mutant(
        "a known conflict counts as an update",
        "sync/meeting.py",
        "if isinstance(step, Clash) and known_clash(push, step.document):",
        "if False:",
    ),
    Mutant(
        "a conflict shows what Outline had long ago",
        SETTLING,
        "push.state is PushState.CONFLICT and push.remote == document",
        "push.state is PushState.CONFLICT",
    ),
)
