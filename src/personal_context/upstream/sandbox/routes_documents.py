"""Endpoints about single documents."""

from personal_context.upstream.sandbox import errors
from personal_context.upstream.sandbox.call import Call, Handler
from personal_context.upstream.sandbox.models import Document, Json
from personal_context.upstream.sandbox.params import TEXT_LIMIT
from personal_context.upstream.sandbox.policies import document_policy
from personal_context.upstream.sandbox.presenters import one
from personal_context.upstream.sandbox.tree import END

_MODES = ("replace", "append", "prepend", "patch")


def info(call: Call) -> Json:
    """Answer documents.info; what is in the trash is shown, with `deletedAt`."""
    if not call.params.given("id"):
        raise errors.validation("one of id or shareId is required")
    document = call.services.documents.get(call.params.required("id"))
    call.access.check_read(document)
    if document.deleted_at is not None and not call.access.may_write(document):
        raise errors.forbidden()
    answer = _one(call, document)
    if call.api_version > 1:
        answer["data"] = {"document": answer["data"]}
    return answer


def create(call: Call) -> Json:
    """Answer documents.create."""
    params = call.params
    text = params.text("text", limit=TEXT_LIMIT) or ""
    collection_id, parent_id = params.uuid("collectionId"), params.uuid("parentDocumentId")
    key, icon, created_at = params.uuid("id"), params.icon(), params.moment("createdAt")
    if created_at is not None and created_at > call.services.world.clock():
        raise errors.validation("createdAt: Invalid input")
    if collection_id is not None:
        call.access.check_write_into(collection_id)
    if parent_id is not None:
        call.access.check_write(_there(call, parent_id))
    document = call.services.documents.create(
        params.text("title") or "",
        text,
        collection_id=collection_id,
        parent_id=parent_id,
        id=key,
        publish=params.flag("publish"),
        index=params.number("index") or 0,
        icon=icon,
        color=params.text("color"),
        full_width=params.flag("fullWidth"),
        created_at=created_at,
        by=call.user.id,
    )
    return _one(call, document)


def update(call: Call) -> Json:
    """Answer documents.update."""
    params = call.params
    icon, last = params.icon(), params.number("lastRevision")
    mode = _edit_mode(call)
    document = _writable(call)
    # The release doesn't know lastRevision, and takes a stale one without a word.
    if call.main and last is not None and last != document.revision:
        raise errors.conflict()
    changes: Json = {}
    if params.text("title") is not None:
        changes["title"] = params.required("title")
    if params.text("text", limit=TEXT_LIMIT) is not None:
        changes["text"] = _new_text(call, document, mode)
    if params.given("icon"):
        changes["icon"] = icon
    if params.given("color"):
        changes["color"] = params.text("color")
    if params.given("fullWidth"):
        changes["full_width"] = params.flag("fullWidth")
    collection_id = params.uuid("collectionId")
    if collection_id is not None and document.published_at is None:
        call.access.check_write_into(collection_id)
        changes["collection_id"] = collection_id
    after = call.services.documents.change(
        document.id, changes, publish=params.flag("publish"), by=call.user.id
    )
    return _one(call, after)


def _edit_mode(call: Call) -> str:
    """Return how the text is changed; what is missing for that is told before all else."""
    params = call.params
    mode = params.choice("editMode", _MODES, "append" if params.flag("append") else "replace")
    text = params.text("text")
    if mode in {"append", "prepend"} and not text:
        raise errors.validation("text is required when using append, prepend, or editMode")
    if mode == "patch" and text is None:
        raise errors.validation("text is required when using patch editMode")
    if mode == "patch" and not params.text("findText"):
        raise errors.validation("findText is required when using patch editMode")
    return mode


def _new_text(call: Call, document: Document, mode: str) -> str:
    text = call.params.required("text")
    if mode == "append":
        return document.text + text
    if mode == "prepend":
        return text + document.text
    if mode == "patch":
        find = call.params.required("findText")
        if find not in document.text:
            raise errors.not_found()
        return document.text.replace(find, text, 1)
    return text


def delete(call: Call) -> Json:
    """Answer documents.delete: into the trash, or for good what is there already."""
    document = _there(call, call.params.required("id"))
    call.access.check_write(document)
    if call.params.flag("permanent"):
        call.services.documents.purge(document.id, by=call.user.id)
    else:
        call.services.documents.trash(document.id, by=call.user.id)
    return {"success": True}


def archive(call: Call) -> Json:
    """Answer documents.archive."""
    return _one(call, call.services.documents.archive(_writable(call).id, by=call.user.id))


def restore(call: Call) -> Json:
    """Answer documents.restore: from the archive or the trash."""
    collection_id = call.params.uuid("collectionId")
    if collection_id is not None:
        call.access.check_write_into(collection_id)
    document = call.services.documents.restore(
        _writable(call).id, collection_id=collection_id, by=call.user.id
    )
    return _one(call, document)


def unpublish(call: Call) -> Json:
    """Answer documents.unpublish."""
    document = call.services.documents.unpublish(
        _writable(call).id, detach=call.params.flag("detach"), by=call.user.id
    )
    return _one(call, document)


def move(call: Call) -> Json:
    """Answer documents.move: the documents below, then the moved one."""
    params = call.params
    collection_id, parent_id = params.uuid("collectionId"), params.uuid("parentDocumentId")
    document = _writable(call)
    if parent_id is not None:
        call.access.check_write(_there(call, parent_id))
    elif collection_id is not None:
        call.access.check_write_into(collection_id)
    else:
        collection_id = document.collection_id
    index = params.number("index")
    moved = call.services.documents.move(
        document.id,
        collection_id=collection_id,
        parent_id=parent_id,
        index=END if index is None else index,
        by=call.user.id,
    )
    return {
        "data": {
            "documents": [call.presenter.document(row) for row in moved],
            "collections": [],
        },
        "policies": [document_policy(row, call.access) for row in moved],
    }


def export(call: Call) -> Json:
    """Answer documents.export: title and real Markdown line breaks."""
    document = call.services.documents.get(call.params.required("id"))
    call.access.check_read(document)
    heading = " ".join(part for part in (document.icon, document.title) if part)
    text = document.text.replace("\\n", "  \n")
    return {"data": f"# {heading}\n\n{text}"}


def below(call: Call) -> Json:
    """Answer documents.documents: a document with the tree below it."""
    document = call.services.documents.get(call.params.required("id"))
    call.access.check_read(document)
    tree = call.services.world.tree
    children = tree.nodes(str(document.collection_id), document.id)
    node = {"id": document.id, "url": document.url, "title": document.title}
    return {"data": node | {"children": children}}


def _one(call: Call, document: Document) -> Json:
    return one(call.presenter, call.access, document)


def _there(call: Call, reference: str) -> Document:
    """Return a document; 403 if it is missing, as whatever changes something answers."""
    document = call.services.world.state.document(reference)
    if document is None:
        raise errors.forbidden()
    return document


def _writable(call: Call) -> Document:
    document = _there(call, call.params.required("id"))
    call.access.check_write(document)
    return document


HANDLERS: dict[str, Handler] = {
    "documents.info": info,
    "documents.create": create,
    "documents.update": update,
    "documents.delete": delete,
    "documents.archive": archive,
    "documents.restore": restore,
    "documents.unpublish": unpublish,
    "documents.move": move,
    "documents.export": export,
    "documents.documents": below,
}
