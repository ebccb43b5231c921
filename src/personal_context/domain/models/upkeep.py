"""What a look at the store came to."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Checked:
    """One thing that was looked at.

    Attributes:
        name: What it is about.
        well: What is to be said if nothing is wrong.
        problems: What is wrong, for a person to read; what was wrong if it was mended.
        done: What mended it, in the past tense; None if nothing did.
        hint: What a person does about what could not be mended.
    """

    name: str
    well: str
    problems: Sequence[str] = ()
    done: str | None = None
    hint: str = ""
