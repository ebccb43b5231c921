"""Everything that can go wrong, and what the person can do about it.

* PersonalContextError
  x ConfigError
  x InvalidInput
  x ContentNotFound
  x ContentChanged              it is not any more what the caller has read
  x StoreError
    + StoreTooNew
    + MigrationFailed
    + LeaseLost                 another process syncs now: nothing was written
  x UpstreamError
    + UpstreamNotConfigured
    + UpstreamRejected          4xx: asking again changes nothing
      - UpstreamAuthError       401
      - UpstreamForbidden       403, also Outline's answer for much that is missing
      - UpstreamNotFound        404
      - UpstreamIdTaken         400 `id must be unique`
      - UpstreamConflict        409
    + UpstreamUnavailable       5xx, timeout, cut or garbled body: may pass
      - UpstreamRateLimited     429
      - UpstreamUnreadable      a whole answer that does not hold what was asked for
  x WebError                    a page was not brought in; nothing of it is kept
    + WebRefused                we don't fetch it: where it leads, robots.txt, redirects
    + WebRejected               the site answers, but not with the page: 4xx, a login
    + WebUnreadable             it is there, but holds no text for us
    + WebUnavailable            no host, no answer, 5xx, 429: may pass
  x EmbeddingError
    + EmbeddingRejected         4xx, wrong model or dimension: asking again changes nothing
    + EmbeddingUnavailable      may pass
    + EmbeddingMismatch         vectors of two models would be mixed
"""

from typing import ClassVar, Self


class PersonalContextError(Exception):
    """An error that a person will read, in three layers.

    Args:
        what: What failed, in one sentence that names the thing that failed.
        cause: Why, as far as known. Defaults to the chained exception.
        hint: What to try next. Defaults to the hint of the class.
    """

    code: ClassVar[str] = "error"
    default_hint: ClassVar[str] = ""

    def __init__(self, what: str, *, cause: str | None = None, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self._cause = cause
        self._hint = hint

    @property
    def cause(self) -> str:
        """The given cause, else the chained exception, else an empty string."""
        if self._cause is not None:
            return self._cause
        chained = self.__cause__
        if isinstance(chained, PersonalContextError):
            return chained.what
        return str(chained) if chained is not None else ""

    @property
    def hint(self) -> str:
        """The given hint, else the one of the class."""
        return self._hint if self._hint is not None else self.default_hint

    def __str__(self) -> str:
        lines = [self.what]
        if self.cause:
            lines.append(f"Cause: {self.cause}")
        if self.hint:
            lines.append(f"Try: {self.hint}")
        return "\n".join(lines)


class ConfigError(PersonalContextError):
    """A setting is missing, wrong, or half given."""

    code = "config"


class InvalidInput(PersonalContextError):
    """The caller gave something that can't be worked with."""

    code = "invalid_input"


class ContentNotFound(PersonalContextError):
    """No stored content has that id, urlId or address."""

    code = "not_found"
    default_hint = "Ids come from search; an Outline document's address or urlId works too."


class ContentChanged(PersonalContextError):
    """A content is not any more what the caller has read; nothing was written."""

    code = "content_changed"


class StoreError(PersonalContextError):
    """The database could not be read or written."""

    code = "store"


class StoreTooNew(StoreError):
    """The file was written by a newer version of the program."""

    code = "store_too_new"
    default_hint = "Update personal-context, or point PERSONAL_CONTEXT_DB_PATH at another file."


class MigrationFailed(StoreError):
    """A migration was rolled back; the file is as it was before it."""

    code = "migration"
    default_hint = "Nothing was changed. Report this with the lines above."


class LeaseLost(StoreError):
    """This process may no longer write what sync writes: it does not hold the lease any more."""

    code = "lease_lost"
    default_hint = "Nothing is lost: the process that holds the lease goes on with the work."


class UpstreamError(PersonalContextError):
    """Outline gave no usable answer.

    Attributes:
        maybe_arrived: Outline may have done what was asked, if only in an earlier attempt.
    """

    code = "upstream"
    maybe_arrived = True


class UpstreamNotConfigured(UpstreamError):
    """The asked-for thing needs Outline, and no Outline is set."""

    code = "upstream_not_configured"
    default_hint = (
        "Set PERSONAL_CONTEXT_OUTLINE_API_BASE, PERSONAL_CONTEXT_OUTLINE_API_KEY and "
        "PERSONAL_CONTEXT_OUTLINE_COLLECTION_ID."
    )


class UpstreamRejected(UpstreamError):
    """Outline refused the request; asking again changes nothing.

    Args:
        what: What failed.
        status: HTTP status of the answer, or None.
        cause: Outline's own words.
        hint: What to try next.
    """

    code = "upstream_rejected"

    def __init__(
        self,
        what: str,
        *,
        status: int | None = None,
        cause: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(what, cause=cause, hint=hint)
        self.status = status


class UpstreamAuthError(UpstreamRejected):
    """Outline does not accept the API key (401)."""

    code = "upstream_auth"
    default_hint = (
        "Check PERSONAL_CONTEXT_OUTLINE_API_KEY: make a new key in Outline under "
        "Settings, API & Apps."
    )


class UpstreamForbidden(UpstreamRejected):
    """Outline answered 403: no permission, or nothing there."""

    code = "upstream_forbidden"
    default_hint = (
        "Outline answers 403 for missing things too. Check the id, the key's scopes, and "
        "that the key's user is a member of the collection."
    )


class UpstreamNotFound(UpstreamRejected):
    """Outline answered 404."""

    code = "upstream_not_found"


class UpstreamIdTaken(UpstreamRejected):
    """A document with this id exists already (400 `id must be unique`)."""

    code = "upstream_id_taken"


class UpstreamConflict(UpstreamRejected):
    """The document was changed since it was read (409)."""

    code = "upstream_conflict"


class UpstreamUnavailable(UpstreamError):
    """Outline could not be reached or answered garbage; a later try may succeed."""

    code = "upstream_unavailable"
    default_hint = "It is tried again by itself. `personal-context doctor` checks the connection."


class UpstreamRateLimited(UpstreamUnavailable):
    """Outline asked us to slow down (429).

    Args:
        what: What failed.
        retry_after: Seconds that Outline asked us to wait, or None if it did not say.
    """

    code = "upstream_rate_limited"

    def __init__(self, what: str, *, retry_after: float | None = None) -> None:
        super().__init__(what)
        self.retry_after = retry_after


class UpstreamUnreadable(UpstreamUnavailable):
    """Outline answered, but this one answer is not what was asked for; others may be fine."""

    code = "upstream_unreadable"
    default_hint = "It is tried again by itself. If it stays, open and save it in Outline."


class WebError(PersonalContextError):
    """A web page was not brought in. Nothing of it is kept."""

    code = "web"


class WebRefused(WebError):
    """The page is not fetched: its address leads where we don't go, or robots.txt says no."""

    code = "web_refused"


class WebRejected(WebError):
    """The site answered, but not with the page: it is gone, or asks for a login."""

    code = "web_rejected"


class WebUnreadable(WebError):
    """The page was fetched, and there is no text in it that could be kept."""

    code = "web_unreadable"


class WebUnavailable(WebError):
    """The site could not be reached, or failed; a later try may succeed."""

    code = "web_unavailable"
    default_hint = "Try it again later."


class EmbeddingError(PersonalContextError):
    """The embedding provider gave no usable vectors."""

    code = "embedding"


class EmbeddingRejected(EmbeddingError):
    """The provider refused, or answered with vectors of a wrong shape."""

    code = "embedding_rejected"
    default_hint = (
        "Check PERSONAL_CONTEXT_EMBEDDING_API_BASE, _API_KEY, _MODEL and _DIMENSION; "
        "`personal-context doctor` tries them."
    )


class EmbeddingUnavailable(EmbeddingError):
    """The provider could not be reached; a later try may succeed.

    Args:
        what: What failed.
        retry_after: Seconds that the provider asked us to wait, or None.
        cause: Why, as far as known.
    """

    code = "embedding_unavailable"
    default_hint = "Keyword search goes on meanwhile; embedding is tried again by itself."

    def __init__(
        self, what: str, *, retry_after: float | None = None, cause: str | None = None
    ) -> None:
        super().__init__(what, cause=cause)
        self.retry_after = retry_after


class EmbeddingMismatch(EmbeddingError):
    """The stored vectors were made by another model than the configured one."""

    code = "embedding_mismatch"
    default_hint = "Press “Reindex All Embeddings” on the page, or run `personal-context reindex`."

    @classmethod
    def between(cls, stored: str, wanted: str) -> Self:
        """Return the error for vectors of one model while the settings ask for another."""
        return cls(
            f"The stored vectors are from {stored}, but {wanted} is set.",
            cause="Vectors of two models can't be compared.",
        )
