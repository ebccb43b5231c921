"""When a title is what somebody has typed."""

from personal_context.words.scripts import folded

LONGEST_TITLE = 500
"""Characters of a title that are compared."""


def title_key(title: str) -> str:
    """Return a title as it is compared: without regard to case, width, accents and blanks.

    >>> title_key("  Déploiement  &  Retour ")
    'deploiement & retour'
    """
    return " ".join(map(folded, title[:LONGEST_TITLE].split()))
