"""What kind of trouble an error is, for the person who has to do something about it."""

from personal_context.domain.errors import (
    PersonalContextError,
    UpstreamAuthError,
    UpstreamForbidden,
    UpstreamUnavailable,
)
from personal_context.domain.models import SyncTrouble

_KINDS = (
    (UpstreamAuthError, SyncTrouble.KEY_REFUSED),
    (UpstreamForbidden, SyncTrouble.ACCESS_LOST),
    (UpstreamUnavailable, SyncTrouble.UNREACHABLE),
)


def trouble_of(error: PersonalContextError) -> SyncTrouble:
    """Tell what kind of trouble a pass is in that failed as a whole."""
    return next((kind for of, kind in _KINDS if isinstance(error, of)), SyncTrouble.OTHER)
