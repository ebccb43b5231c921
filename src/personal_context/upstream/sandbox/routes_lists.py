"""Endpoints that list documents."""

from personal_context.upstream.sandbox import errors, listing
from personal_context.upstream.sandbox.call import Call, Handler
from personal_context.upstream.sandbox.filters import condition
from personal_context.upstream.sandbox.listing import Where
from personal_context.upstream.sandbox.models import Json
from personal_context.upstream.sandbox.params import Paging
from personal_context.upstream.sandbox.presenters import many, pagination
from personal_context.upstream.sandbox.search import Search

_LIST_SORTS = {"createdAt", "updatedAt", "publishedAt", "index", "title", "popularityScore"}
_OLD_FILTERS = ("userId", "collectionId", "parentDocumentId", "statusFilter")


def list_documents(call: Call) -> Json:
    """Answer documents.list."""
    params = call.params
    paging = params.paging()
    sort = params.choice("sort", _LIST_SORTS, "updatedAt")
    collection_id = params.uuid("collectionId")
    if sort == "index" and collection_id is not None:
        return _in_tree_order(call, collection_id, paging)
    where = _new_filters(call) if _filtered(call) else _old_filters(call, collection_id)
    return _page(call, where, "updatedAt" if sort == "index" else sort, paging, counted=True)


def archived(call: Call) -> Json:
    """Answer documents.archived."""
    _refuse_viewers(call)
    where = Where((listing.ARCHIVED,))
    collection_id = call.params.uuid("collectionId")
    if collection_id is not None:
        call.access.collection(collection_id)
        where = where.also("collection_id = ?", collection_id)
    else:
        where = where.among("collection_id", call.access.visible())
    return _plain(call, where)


def deleted(call: Call) -> Json:
    """Answer documents.deleted: the trash."""
    _refuse_viewers(call)
    where = _seen(call, Where((listing.TRASHED,)))
    if _filtered(call):
        extra = condition(call.params.body["filters"], call.services.world.clock(), trash=True)
        where = where.also(extra.sql, *extra.values)
    return _plain(call, where)


def drafts(call: Call) -> Json:
    """Answer documents.drafts: the user's own."""
    where = Where((listing.DRAFT,)).also("created_by = ?", call.user.id)
    collection_id = call.params.uuid("collectionId")
    if collection_id is not None:
        call.access.collection(collection_id)
        where = where.also("collection_id = ?", collection_id)
    return _plain(call, _seen(call, where))


def search(call: Call) -> Json:
    """Answer documents.search."""
    paging = call.params.paging()
    query = call.params.text("query") or ""
    hits = Search(call.services.world.state).hits(query, _old_filters(call, _collection(call)))
    part = hits[paging.offset : paging.offset + paging.limit]
    listed = many(call.presenter, call.access, [hit.document for hit in part])
    data = [
        {"ranking": hit.ranking, "context": hit.context, "document": shown}
        for hit, shown in zip(part, listed["data"], strict=True)
    ]
    return {
        "pagination": pagination(call.endpoint, paging, len(hits)),
        "data": data,
        "policies": listed["policies"],
    }


def search_titles(call: Call) -> Json:
    """Answer documents.search_titles."""
    paging = call.params.paging()
    query = call.params.required("query")
    where = _old_filters(call, _collection(call))
    rows = Search(call.services.world.state).titles(query, where)
    part = rows[paging.offset : paging.offset + paging.limit]
    page = {"pagination": pagination(call.endpoint, paging)}
    return page | many(call.presenter, call.access, part)


def _collection(call: Call) -> str | None:
    return call.params.uuid("collectionId")


def _filtered(call: Call) -> bool:
    # The release has no filters, and drops what it doesn't know without a word.
    return call.main and call.params.body.get("filters") is not None


def _refuse_viewers(call: Call) -> None:
    if call.user.role == "viewer":
        raise errors.forbidden()


def _seen(call: Call, where: Where) -> Where:
    visible = call.access.visible()
    marks = ", ".join("?" * len(visible))
    return where.also(
        f"collection_id IN ({marks}) OR (collection_id IS NULL AND created_by = ?)",
        *visible,
        call.user.id,
    )


def _old_filters(call: Call, collection_id: str | None) -> Where:
    params = call.params
    states = params.strings("statusFilter") or ["published"]
    where = _states(call, states)
    if collection_id is not None:
        call.access.collection(collection_id)
        where = where.also("collection_id = ?", collection_id)
    elif states == ["published"]:
        where = where.among("collection_id", call.access.visible())
    else:
        where = _seen(call, where)
    user_id = params.uuid("userId")
    if user_id is not None:
        where = where.also("created_by = ?", user_id)
    if params.given("parentDocumentId"):
        where = where.also("parent_id IS ?", params.uuid("parentDocumentId"))
    return where


def _states(call: Call, states: list[str]) -> Where:
    writable = [key for key, row in call.access.collections.items() if call.access.writes(row)]
    marks = ", ".join("?" * len(writable))
    own = f"created_by = ? OR collection_id IN ({marks})"
    known = {
        "published": (listing.LIVE, ()),
        "archived": (listing.ARCHIVED, ()),
        "draft": (f"{listing.DRAFT} AND ({own})", (call.user.id, *writable)),
    }
    if not set(states) <= set(known):
        raise errors.validation("statusFilter: Invalid input")
    values = [value for state in states for value in known[state][1]]
    return Where((" OR ".join(f"({known[state][0]})" for state in states),), tuple(values))


def _new_filters(call: Call) -> Where:
    params = call.params
    if any(params.given(name) for name in _OLD_FILTERS):
        raise errors.validation(
            "filters cannot be combined with deprecated parameters userId, collectionId,"
            " parentDocumentId, or statusFilter"
        )
    wanted = condition(params.body["filters"], call.services.world.clock())
    where = Where(("deleted_at IS NULL",))
    # Naming one of these dates opens the archive or the drafts.
    if "archivedAt" not in wanted.fields:
        where = where.also("archived_at IS NULL")
    if "publishedAt" not in wanted.fields:
        where = where.also("published_at IS NOT NULL")
    else:
        where = where.also("published_at IS NOT NULL OR created_by = ?", call.user.id)
    return _seen(call, where.also(wanted.sql, *wanted.values))


def _in_tree_order(call: Call, collection_id: str, paging: Paging) -> Json:
    """List what stands at the top of a collection, or right below a parent."""
    call.access.collection(collection_id)
    services = call.services
    parent = call.params.uuid("parentDocumentId")
    keys = services.world.tree.siblings(collection_id, parent)
    if call.params.body.get("direction") != "ASC":
        keys.reverse()
    rows = services.world.state.documents(keys[paging.offset : paging.offset + paging.limit])
    page = {"pagination": pagination(call.endpoint, paging, len(keys))}
    return page | many(call.presenter, call.access, rows)


def _plain(call: Call, where: Where) -> Json:
    sort = call.params.choice("sort", set(listing.SORTS), "updatedAt")
    return _page(call, where, sort, call.params.paging())


def _page(call: Call, where: Where, sort: str, paging: Paging, *, counted: bool = False) -> Json:
    lister = call.services.lister
    direction = str(call.params.body.get("direction", "DESC"))
    rows = lister.page(where, sort, direction, paging)
    total = lister.total(where) if counted else None
    page = {"pagination": pagination(call.endpoint, paging, total)}
    return page | many(call.presenter, call.access, rows)


HANDLERS: dict[str, Handler] = {
    "documents.list": list_documents,
    "documents.archived": archived,
    "documents.deleted": deleted,
    "documents.drafts": drafts,
    "documents.search": search,
    "documents.search_titles": search_titles,
}
