"""The abilities that come with each answer: what the asking user may do."""

from personal_context.upstream.sandbox.auth import Access
from personal_context.upstream.sandbox.models import Collection, Document, Json, User

_DOCUMENT = [
    "read",
    "update",
    "delete",
    "move",
    "duplicate",
    "download",
    "star",
    "unstar",
    "subscribe",
    "unsubscribe",
    "share",
    "archive",
    "restore",
    "listRevisions",
    "listViews",
    "comment",
    "publish",
    "manageUsers",
    "createChildDocument",
    "updateInsights",
    "pin",
    "unpin",
    "pinToHome",
    "permanentDelete",
    "unarchive",
    "unpublish",
]
_READING = frozenset(
    ["read", "download", "star", "unstar", "subscribe", "unsubscribe", "listRevisions", "listViews"]
)
_LIVE = frozenset(_DOCUMENT) - {"restore", "publish", "permanentDelete", "unarchive"}
_DRAFT = _READING | {"update", "delete", "move", "duplicate", "share", "comment", "publish"}
_ARCHIVED = _READING | {"delete", "unarchive"}
_TRASHED = _READING | {"restore", "permanentDelete"}

_COLLECTION = [
    "read",
    "update",
    "delete",
    "move",
    "duplicate",
    "download",
    "readDocument",
    "star",
    "unstar",
    "subscribe",
    "unsubscribe",
    "share",
    "updateDocument",
    "createDocument",
    "deleteDocument",
    "createTemplate",
    "manageTemplate",
    "archive",
    "export",
    "restore",
]
_COLLECTION_READING = frozenset(
    ["read", "download", "readDocument", "star", "unstar", "subscribe", "unsubscribe", "share"]
)
_COLLECTION_ARCHIVED = _COLLECTION_READING | {"delete", "updateDocument", "restore"}

_TEAM_NO = frozenset(["listApiKeys", "delete", "createTeam", "audit"])
_TEAM = [
    "createApiKey",
    "listApiKeys",
    "read",
    "update",
    "delete",
    "createAttachment",
    "createAuthenticationProvider",
    "createCollection",
    "importCollection",
    "share",
    "createDocument",
    "createTemplate",
    "createComment",
    "createFileOperation",
    "createExport",
    "createImport",
    "listImports",
    "createIntegration",
    "createOAuthClient",
    "listOAuthClients",
    "listOAuthAuthentications",
    "createShare",
    "listShares",
    "listUsers",
    "inviteUser",
    "readTemplate",
    "createTeam",
    "audit",
    "updateTemplate",
    "createGroup",
    "listGroups",
    "createWebhookSubscription",
    "listWebhookSubscription",
    "createUserPasskey",
    "createEmoji",
]
_USER_NO = frozenset(["activate", "suspend", "promote", "demote", "resendInvite"])
_USER = [
    "listApiKeys",
    "read",
    "update",
    "delete",
    "readDetails",
    "readEmail",
    "activate",
    "suspend",
    "promote",
    "demote",
    "resendInvite",
]


def document_policy(row: Document, access: Access) -> Json:
    """Return what the user may do with a document."""
    if row.deleted_at is not None:
        able = _TRASHED
    elif row.archived_at is not None:
        able = _ARCHIVED
    else:
        able = _LIVE if row.published_at is not None else _DRAFT | {"manageUsers"}
    if row.archived_at is not None or row.deleted_at is not None:
        able = able | {"manageUsers"}
    if not access.may_write(row):
        able = able & _READING
    return {"id": row.id, "abilities": {name: name in able for name in _DOCUMENT}}


def collection_policy(row: Collection, access: Access) -> Json:
    """Return what the user may do with a collection."""
    if row.archived_at is not None:
        able = _COLLECTION_ARCHIVED
    else:
        able = frozenset(_COLLECTION) - {"restore"}
    if not access.writes(row):
        able = able & _COLLECTION_READING
    return {"id": row.id, "abilities": {name: name in able for name in _COLLECTION}}


def own_policies(team_id: str, user: User) -> list[Json]:
    """Return what a user may do with the workspace and with themselves."""
    team = {name: name not in _TEAM_NO and user.role != "viewer" for name in _TEAM}
    own = {name: name not in _USER_NO for name in _USER}
    return [{"id": team_id, "abilities": team}, {"id": user.id, "abilities": own}]
