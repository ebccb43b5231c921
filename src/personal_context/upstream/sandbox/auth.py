"""Who asks, and what they may: API keys, scopes, users, membership."""

import hmac
import re
from dataclasses import dataclass
from datetime import datetime

from personal_context.upstream.sandbox import errors
from personal_context.upstream.sandbox.models import Collection, Document, User, Version
from personal_context.upstream.sandbox.state import State
from personal_context.upstream.sandbox.world import World, new_id

DEMO_KEY = "ol_api_sandbox00000000000000000000000000000000"
"""The key of a sandbox that was given none. It opens nothing but a sandbox."""

_SHAPE = re.compile(r"(ol_api_)?\w{38}")
_READ = {"list", "info", "search", "documents", "drafts", "viewed", "export"} | {
    "memberships",
    "config",
}


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key. Scopes None: everything that its user may do."""

    user_id: str
    scopes: tuple[str, ...] | None = None
    expires_at: datetime | None = None


class People:
    """Users and their API keys. Keys live as long as the object, users as long as the state.

    Args:
        world: The wiki.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._keys: dict[str, ApiKey] = {}

    def add_user(self, name: str, *, role: str = "member", id: str | None = None) -> User:  # noqa: A002 - the API's own word
        """Add a user, unless the id is there already.

        Args:
            name: Shown.
            role: `admin`, `member` or `viewer` (may not write).
            id: UUID; chosen if None.
        """
        known = self._world.state.get(User, id) if id else None
        if known is not None:
            return known
        now = self._world.now()
        email = f"{name.split(maxsplit=1)[0].lower() if name.split() else 'somebody'}@example.com"
        user = User(id or new_id(), name, email, role, "#e600e0", now, now)
        self._world.state.insert(user)
        return user

    def suspend(self, user_id: str, *, suspended: bool = True) -> None:
        """Suspend a user, whose keys are refused with 403 then, or let them in again."""
        self._world.state.update(User, [user_id], {"suspended": int(suspended)})

    def add_key(
        self,
        token: str,
        *,
        user_id: str | None = None,
        scopes: tuple[str, ...] | None = None,
        expires_at: datetime | None = None,
    ) -> None:
        """Accept a token.

        Args:
            token: Any shape is fine.
            user_id: Whose; None is the sandbox's own person.
            scopes: `read`, `write`, `create`, `ns:read|write|create`, `ns.method` or
                `/api/ns.method`, where `*` stands for any; None for all.
            expires_at: When it stops working.
        """
        if scopes is not None:
            scopes = tuple(f"/api/{s}" if "." in s and "/" not in s else s for s in scopes)
        self._keys[token] = ApiKey(user_id or self._world.person, scopes, expires_at)

    def revoke_key(self, token: str) -> None:
        """Stop accepting a token."""
        self._keys.pop(token, None)

    def authenticate(self, token: str | None, endpoint: str) -> User:
        """Return the user of a token that may call an endpoint, else raise 401 or 403."""
        if not token:
            raise errors.unauthenticated("Authentication required")
        matches = [k for t, k in self._keys.items() if hmac.compare_digest(*_bytes(t, token))]
        if not matches:
            well_formed = _SHAPE.fullmatch(token) or token.startswith("ol_api_")
            raise errors.unauthenticated(
                "Invalid API key" if well_formed else "Unable to decode token"
            )
        key = matches[0]
        if key.expires_at is not None and key.expires_at <= self._world.clock():
            raise errors.unauthenticated("API key is expired")
        user = self._world.user(key.user_id)
        if user.suspended:
            raise errors.suspended()
        if not allowed(endpoint, key.scopes, self._world.version):
            raise errors.forbidden("API key does not have access to this resource")
        return user


def _bytes(*texts: str) -> tuple[bytes, ...]:
    return tuple(text.encode("utf-8", "surrogatepass") for text in texts)


def allowed(endpoint: str, scopes: tuple[str, ...] | None, version: Version) -> bool:
    """Whether one of the scopes opens an endpoint `ns.method`; None opens all.

    `read` is a fixed list of method names: `documents.archived`, `documents.deleted` and
    `documents.search_titles` are not among them.
    """
    if scopes is None:
        return True
    namespace, _, method = endpoint.partition(".")
    reading = method in _READ or (method == "redirect" and version == "main")
    for scope in scopes:
        if scope.startswith("/api/"):
            wanted_namespace, _, wanted = scope.removeprefix("/api/").partition(".")
            fits = wanted in {method, "*"}
        else:
            wanted_namespace, _, wanted = scope.rpartition(":")
            wanted_namespace = wanted_namespace or "*"
            fits = wanted == "write" or (wanted == "read" and reading) or wanted == method
            fits = fits and wanted in {"read", "write", "create"}
        if fits and wanted_namespace in {namespace, "*"}:
            return True
    return False


class Access:
    """What one user may see and write. Made anew for each request.

    Args:
        state: The wiki's rows.
        user: Who asks.
    """

    def __init__(self, state: State, user: User) -> None:
        self._state = state
        self.user = user
        rows = state.execute("SELECT collection_id FROM members WHERE user_id = ?", (user.id,))
        self._member_of = {row[0] for row in rows}
        self.collections = {row.id: row for row in state.select(Collection, "")}

    def sees(self, collection: Collection) -> bool:
        """Members see it; others unless it is private. Being an admin doesn't help."""
        return collection.permission is not None or collection.id in self._member_of

    def writes(self, collection: Collection) -> bool:
        """Members, and all if the collection says so; viewers never."""
        open_to_all = collection.permission == "read_write"
        return self.user.role != "viewer" and (open_to_all or collection.id in self._member_of)

    def collection(self, key: str) -> Collection:
        """Return a collection that is there and seen; 403 for both, as a list answers."""
        found = self.collections.get(key)
        if found is None or found.deleted_at is not None or not self.sees(found):
            raise errors.forbidden()
        return found

    def visible(self) -> list[str]:
        """Return the ids of all seen collections, also archived and deleted ones."""
        return [row.id for row in self.collections.values() if self.sees(row)]

    def check_read(self, document: Document) -> None:
        """403 unless the user sees the document."""
        if document.collection_id is None:
            if document.created_by != self.user.id:
                raise errors.forbidden()
        elif not self.sees(self.collections[document.collection_id]):
            raise errors.forbidden()

    def check_write(self, document: Document) -> None:
        """403 unless the user may change the document."""
        self.check_read(document)
        if not self.may_write(document):
            raise errors.forbidden()

    def may_write(self, document: Document) -> bool:
        """Whether the user may change a document that they see."""
        if document.collection_id is None:
            return document.created_by == self.user.id
        return self.writes(self.collections[document.collection_id])

    def check_write_into(self, key: str) -> None:
        """403 unless the user may write into the collection and it is not archived."""
        collection = self.collection(key)
        if not self.writes(collection) or collection.archived_at is not None:
            raise errors.forbidden()
