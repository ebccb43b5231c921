"""What the API key may do in Outline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class KeyScopes:
    """What was found out of the key's scopes.

    Attributes:
        allowed: Endpoint, e.g. `documents.create`, to whether the key may call it. An endpoint of
            which that couldn't be told is absent.
        checked_at: When Outline was asked, on our clock.
    """

    allowed: Mapping[str, bool]
    checked_at: datetime


@dataclass(frozen=True, slots=True)
class KeyStatus:
    """What a person wants to know of the key.

    Attributes:
        refused: Endpoints that it may not call.
        limits: What that means, a sentence each; empty when it means nothing.
    """

    refused: Sequence[str]
    limits: Sequence[str]
    checked_at: datetime
