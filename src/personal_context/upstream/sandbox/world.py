"""What the wiki's services share."""

import random
import secrets
import string
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from personal_context.upstream.sandbox.models import Clock, User, Version, iso
from personal_context.upstream.sandbox.state import State
from personal_context.upstream.sandbox.tree import Tree

_URL_ID = string.ascii_letters + string.digits

Emit = Callable[[str, str, str, str], None]
"""Tells of an event: its name, the kind of its model, the model's id, the acting user's id."""


@dataclass(frozen=True, slots=True)
class World:
    """One wiki: where it is kept, its clock, and who wants to hear of changes.

    Attributes:
        person: Id of the user that acts when no other is named.
    """

    state: State
    tree: Tree
    clock: Clock
    version: Version
    person: str
    emit: Emit

    def now(self) -> str:
        """Return the present moment as Outline writes it."""
        return iso(self.clock())

    def user(self, key: str) -> User:
        """Return a user.

        Raises:
            LookupError: There is none.
        """
        found = self.state.get(User, key)
        if found is None:
            raise LookupError(f"No user {key}")
        return found


def new_id() -> str:
    """Return a fresh UUID v4."""
    return str(uuid.uuid4())


def new_url_id() -> str:
    """Return ten random letters and digits."""
    return "".join(secrets.choice(_URL_ID) for _ in range(10))


def stable_ids(key: str) -> tuple[str, str]:
    """Return a UUID of v4 shape and a urlId that are always the same for a key."""
    # Outline takes only v4, so a name-based v5 will not do.
    chance = random.Random(key)  # noqa: S311 - nothing here is a secret
    made = uuid.UUID(int=chance.getrandbits(128), version=4)
    return str(made), "".join(chance.choices(_URL_ID, k=10))
