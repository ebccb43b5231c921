"""Settings as people see them."""

from dataclasses import dataclass
from typing import Literal

Origin = Literal["default", "environment", "file", "program"]
"""Who decided: nobody, a variable of the environment, a line of the settings file, or the program
itself (the demo decides all)."""


@dataclass(frozen=True, slots=True)
class EffectiveSetting:
    """A setting as it is in force.

    Attributes:
        name: The environment variable.
        value: As it would be written; empty if unset. A secret is never in it.
        secret: Its value is shown to nobody.
        is_set: It has a value, be it its default.
        description: What it is for.
    """

    name: str
    value: str
    secret: bool
    is_set: bool
    origin: Origin
    description: str
