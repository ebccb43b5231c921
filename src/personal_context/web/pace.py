"""How long the web door waits for what, in seconds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """The waits of the web door, all in seconds.

    Attributes:
        press: A sync that ends within this shows its outcome with the answer to the press.
        look_every: Between two looks at a reindexing that a REST caller waits for.
        away: Such a caller waits so long for a provider that does not answer.
    """

    press: float = 0.8
    look_every: float = 1.0
    away: float = 30.0
