"""Where contents and the state of the mirror are kept."""

from typing import Protocol

from personal_context.ports.basics import Resource
from personal_context.ports.contents import ContentStore
from personal_context.ports.desk import RequestStore
from personal_context.ports.leases import LeaseStore
from personal_context.ports.mirror import MirrorStore
from personal_context.ports.outbox import OutboxStore


class Store(Resource, ContentStore, MirrorStore, OutboxStore, RequestStore, LeaseStore, Protocol):
    """The contents and the state of the mirror. Every method is one transaction.

    All methods raise StoreError when the database can't be read or written.
    """

    def fenced(self, name: str, owner: str, token: int) -> "Store":
        """Return the same store for the holder of a lease.

        What writes the mirror's state (`mirror`, `trash`, `purge`, `place`, `save_sync_state`,
        `save_pass`, `forget_collection`, `add_log`, `trim_log`, `save_failure`, `forget_failure`,
        `answer_sync_request`) checks, in its own transaction, that the lease still carries this
        owner and token. A process that overslept its lease can't overwrite what its successor has
        written, then. An expired lease that nobody took over still holds. Reading needs no lease,
        nor do `add` and `request_sync`; pushes have claims of their own.

        Raises:
            LeaseLost: By the methods named: the lease was taken over or given back. Nothing was
                written.
        """
        ...
