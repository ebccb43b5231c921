"""What the answer to an add says, in words that a model can act on. Pure."""

from collections.abc import Sequence

from personal_context.content.secrets import Secret
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import Content, ContentSummary, PushState
from personal_context.sync.delivery import TITLE_LIMIT, fitted

_TOLD = 10

_MESSAGES = {
    PushState.SYNCED: "Stored here and in Outline.",
    PushState.PENDING: "Stored here and searchable. It is on its way to Outline, which gets it "
    "as soon as it answers; nothing needs to be repeated.",
    PushState.CONFLICT: "Stored here and searchable. It was changed in Outline too, and both are "
    "kept; `personal-context outbox` shows them to the owner, who chooses.",
    PushState.FAILED: "Stored here and searchable. Outline refused it; `personal-context outbox` "
    "shows why.",
    PushState.LOCAL: "Stored here and searchable. It is kept here only: no Outline collection is "
    "set for it.",
}

_PAGES = {
    "updated": "This page was kept already, under this id; it had changed, and what is kept of it "
    "was brought up to date.",
    "unchanged": "Nothing was added: this page is kept already, under this id, and has not "
    "changed since.",
    "edited": "Nothing was written: the page has changed, but so has what is kept of it, by "
    "somebody's edit. To put the page's text in its place, add it once more with overwrite.",
}


def stored_message(state: PushState, *, similar: bool) -> str:
    """Say what became of a content that was added.

    Args:
        state: How far it is on its way to Outline.
        similar: Others are told of that it resembles.
    """
    return _MESSAGES[state.told] + (
        " Others resemble it, see similar: look whether one of them says it already." * similar
    )


def page_message(outcome: str, state: PushState) -> str:
    """Say what became of a web page that was kept already.

    Args:
        outcome: A PageOutcome but `added`.
        state: How far the content is on its way to Outline.
    """
    return _PAGES[outcome] + (f" {_MESSAGES[state.told]}" * (outcome == "updated"))


def known_message(content: Content, summary: ContentSummary, *, elsewhere: bool) -> str:
    """Say that nothing was added, because the same is there already.

    Args:
        content: What is there.
        summary: Where it is.
        elsewhere: It is not where it was to be put now.
    """
    where = " › ".join(summary.path)
    return (
        f"Nothing was added: the same title and text are kept already, since {_day(content)}, "
        f"under this id. Its tags, metadata and place stay as they were"
        + (f"; it is in {where}" * bool(where) + ", not where this was to go" if elsewhere else "")
        + ". To change it, use update_content; to keep a second one all the same, give "
        'if_exists="add".'
    )


def already_kept(content: Content) -> InvalidInput:
    """Return the error for what is there already."""
    return InvalidInput(
        f"“{content.title[:100]}” is kept already, with this title and text.",
        cause=f"It has the id {content.id} and is there since {_day(content)}.",
        hint='Use that id, or give if_exists="add" to keep a second one.',
    )


def _day(content: Content) -> str:
    return content.created_at.date().isoformat()


def warnings(
    *,
    title: str,
    secrets: Sequence[Secret],
    redacted: bool,
    problem: str | None,
    to_outline: bool | None,
) -> Sequence[str]:
    """Say what the caller should know of what was given, each in a sentence or two.

    Args:
        title: The full one.
        secrets: What looked like secrets.
        redacted: They were masked.
        problem: Why front matter was left in the text, or None.
        to_outline: It goes to Outline; False if it may one day, None if it is no matter.
    """
    told = []
    if secrets:
        told.append(_about_secrets(secrets, redacted=redacted))
    if problem:
        told.append(
            f"The front matter was left in the text, because it can't be read ({problem})."
            + (" Outline makes a heading of it." if to_outline else "")
        )
    if to_outline is not None and len(title) > TITLE_LIMIT:
        there = "there it is" if to_outline else "if it goes there one day, it will be"
        told.append(
            f"Outline takes titles of {TITLE_LIMIT} characters: {there} called "
            f"“{fitted(title, '').title}”, with the full title as its first heading."
        )
    return told


def _about_secrets(secrets: Sequence[Secret], *, redacted: bool) -> str:
    places = "; ".join(_place(secret) for secret in secrets[:_TOLD])
    more = f"; and {len(secrets) - _TOLD} more" if len(secrets) > _TOLD else ""
    if redacted:
        return f"What looks like a secret was masked before it was stored: {places}{more}."
    return (
        f"This looks like it holds a secret: {places}{more}. It was stored as given. Tell the "
        "owner, who may want to remove it and to make a new one."
    )


def _place(secret: Secret) -> str:
    where = f"line {secret.line}" if secret.where == "content" else secret.where
    return f"{secret.kind} ({where})"
