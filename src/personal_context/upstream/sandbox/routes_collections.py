"""Endpoints about collections."""

from personal_context.upstream.sandbox import errors
from personal_context.upstream.sandbox.call import Call, Handler
from personal_context.upstream.sandbox.models import Collection, Json
from personal_context.upstream.sandbox.policies import collection_policy
from personal_context.upstream.sandbox.presenters import one_collection, pagination

_PERMISSIONS = {"read", "read_write"}
_FIELDS = ("name", "description", "icon", "color")


def list_collections(call: Call) -> Json:
    """Answer collections.list: what is seen and not archived, in the order shown."""
    paging = call.params.paging()
    archived = call.params.strings("statusFilter") == ["archived"]
    query = (call.params.text("query") or "").lower()
    rows = [
        row
        for row in call.services.collections.all(archived=archived)
        if call.access.sees(row) and query in row.name.lower()
    ]
    part = rows[paging.offset : paging.offset + paging.limit]
    return {
        "pagination": pagination(call.endpoint, paging, len(rows)),
        "data": [call.presenter.collection(row, archiver=archived) for row in part],
        "policies": [collection_policy(row, call.access) for row in part],
    }


def info(call: Call) -> Json:
    """Answer collections.info."""
    return _one(call, _seen(call))


def documents(call: Call) -> Json:
    """Answer collections.documents: the tree, also that of an archived collection."""
    return {"data": call.services.world.tree.nodes(_seen(call).id)}


def create(call: Call) -> Json:
    """Answer collections.create; without a permission it is private."""
    params = call.params
    if call.user.role == "viewer":
        raise errors.forbidden()
    name = params.required("name")
    if not name:
        raise errors.validation("name: Too small: expected string to have >=1 characters")
    row = call.services.collections.create(
        name,
        description=params.text("description"),
        icon=params.icon(),
        color=params.text("color"),
        permission=_permission(call),
        by=call.user.id,
    )
    return _one(call, row)


def update(call: Call) -> Json:
    """Answer collections.update."""
    row = _managed(call)
    changes = {name: call.params.text(name) for name in _FIELDS if call.params.given(name)}
    if call.params.given("permission"):
        changes["permission"] = _permission(call)
    if row.archived_at is not None:
        raise errors.forbidden()
    return _one(call, call.services.collections.update(row.id, by=call.user.id, **changes))


def delete(call: Call) -> Json:
    """Answer collections.delete."""
    call.services.collections.delete(_managed(call).id, by=call.user.id)
    return {"success": True}


def archive(call: Call) -> Json:
    """Answer collections.archive."""
    return _one(call, call.services.collections.archive(_managed(call).id, by=call.user.id))


def restore(call: Call) -> Json:
    """Answer collections.restore."""
    return _one(call, call.services.collections.restore(_managed(call).id, by=call.user.id))


def _permission(call: Call) -> str | None:
    if call.params.body.get("permission") is None:
        return None
    return call.params.choice("permission", _PERMISSIONS, "read")


def _seen(call: Call) -> Collection:
    """Return the collection: 404 if it is missing, 403 if it is hidden."""
    row = call.services.collections.get(call.params.required("id"))
    if not call.access.sees(row):
        raise errors.forbidden()
    return row


def _managed(call: Call) -> Collection:
    """Return the collection if it may be changed; 403 also if it is missing."""
    row = call.access.collection(call.params.required("id"))
    if not call.access.writes(row):
        raise errors.forbidden()
    return row


def _one(call: Call, row: Collection) -> Json:
    return one_collection(call.presenter, call.access, row)


HANDLERS: dict[str, Handler] = {
    "collections.list": list_collections,
    "collections.info": info,
    "collections.documents": documents,
    "collections.create": create,
    "collections.update": update,
    "collections.delete": delete,
    "collections.archive": archive,
    "collections.restore": restore,
}
