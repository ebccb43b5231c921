"""The form of every error, as a shape that also documents it."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True, slots=True)
class ErrorTold:
    """What failed, why, and what to try."""

    code: Annotated[str, Field(description="A stable word for programs.")]
    message: Annotated[str, Field(description="What failed.")]
    cause: Annotated[str, Field(description="Why; may be empty.")]
    hint: Annotated[str, Field(description="What to try; may be empty.")]


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """Every error has this form."""

    error: ErrorTold
