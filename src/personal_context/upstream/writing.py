"""Changing documents in Outline, and what its version understands of that."""

from collections.abc import Mapping
from typing import Any

import httpx

from personal_context.domain.errors import UpstreamNotFound, UpstreamRejected, UpstreamUnavailable
from personal_context.domain.models import Abilities, EditMode
from personal_context.upstream.api import Api, Reply
from personal_context.upstream.json_text import clean

# No document gets there.
_FAR_REVISION = 2**31 - 1
_NO_SUCH_TEXT = "was not found in the document"


def update_body(
    content_id: str,
    *,
    title: str | None,
    text: str | None,
    mode: EditMode,
    find: str,
    last_revision: int | None,
) -> dict[str, Any]:
    """Return the body of documents.update; what is None is left out."""
    body: dict[str, Any] = {"id": content_id}
    if title is not None:
        body["title"] = clean(title)
    if text is not None:
        body |= {"text": clean(text), "editMode": mode.value}
        if mode is EditMode.PATCH:
            body["findText"] = find
    if last_revision is not None:
        body["lastRevision"] = last_revision
    return body


async def update(api: Api, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Send an update, see ports.Upstream.update_document."""
    patches = body.get("editMode") == EditMode.PATCH.value
    # A patch that leaves what it looks for would be made twice.
    once = patches and body["findText"] not in body["text"]
    try:
        return await api.call("documents.update", body, repeatable=once or "lastRevision" in body)
    except UpstreamRejected as error:
        # It was seen as a 404; Outline's source says 400.
        if patches and _NO_SUCH_TEXT in error.cause:
            raise UpstreamNotFound(error.what, status=error.status, cause=error.cause) from error
        raise


async def probe(api: Api, content_id: str) -> Abilities | None:
    """Ask for updates that change nothing, whatever comes of them.

    Outline drops parameters that it doesn't know. One that knows `editMode: patch` misses the text;
    one that knows `lastRevision` refuses a revision that no document has.

    Returns:
        None if the answers are of neither kind: nothing was learnt, and a change will be refused
        in the same way.

    Raises:
        UpstreamUnavailable: Outline didn't answer. To change something without knowing what guards
            it would be careless.
    """
    modes = await api.ask_once("documents.update", {"id": content_id, "editMode": "patch"})
    revision = await api.ask_once(
        "documents.update", {"id": content_id, "lastRevision": _FAR_REVISION}
    )
    for reply in (modes, revision):
        if not _from_outline(reply):
            raise UpstreamUnavailable(
                "Outline could not be asked what it understands of changes.",
                cause=f"HTTP {reply.status}.",
            )
    if modes.status not in _TELLING or revision.status not in _TELLING:
        return None
    told = _message(modes)
    return Abilities(
        last_revision=revision.status == httpx.codes.CONFLICT,
        # One that knows the other modes only names these as its options.
        edit_modes=modes.status == httpx.codes.BAD_REQUEST,
        patch=modes.status == httpx.codes.BAD_REQUEST and "required" in told,
    )


_TELLING = {httpx.codes.OK, httpx.codes.BAD_REQUEST, httpx.codes.CONFLICT}


def _from_outline(reply: Reply) -> bool:
    """Tell whether it is Outline's word on the request, not that of a proxy or of an ill server."""
    passing = reply.status == httpx.codes.TOO_MANY_REQUESTS or httpx.codes.is_server_error(
        reply.status
    )
    return isinstance(reply.body, dict) and not passing


def _message(reply: Reply) -> str:
    return str(reply.body.get("message") or "") if isinstance(reply.body, dict) else ""
