"""What a handler of the API gets to work with."""

from collections.abc import Callable
from dataclasses import dataclass

from personal_context.upstream.sandbox.auth import Access, People
from personal_context.upstream.sandbox.collections import Collections
from personal_context.upstream.sandbox.documents import Documents
from personal_context.upstream.sandbox.listing import Lister
from personal_context.upstream.sandbox.models import Json, User
from personal_context.upstream.sandbox.params import Params
from personal_context.upstream.sandbox.presenters import Presenter
from personal_context.upstream.sandbox.webhooks import Webhooks
from personal_context.upstream.sandbox.world import World


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of one sandbox."""

    world: World
    documents: Documents
    collections: Collections
    people: People
    lister: Lister
    webhooks: Webhooks
    base_url: str
    team_id: str
    team_name: str


@dataclass(frozen=True, slots=True)
class Call:
    """One request that was let in."""

    services: Services
    endpoint: str
    params: Params
    access: Access
    presenter: Presenter
    api_version: int = 1

    @property
    def user(self) -> User:
        """Who asks."""
        return self.access.user

    @property
    def main(self) -> bool:
        """Whether this is Outline's main branch and not the release."""
        return self.services.world.version == "main"


Handler = Callable[[Call], Json]
"""Answers a call with the body, without `status` and `ok`."""
