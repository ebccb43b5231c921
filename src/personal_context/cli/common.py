"""Options that every command takes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from personal_context.cli.output import show

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import RenderableType


@Parameter(name="*")
@dataclass(frozen=True)
class Common:
    """Options that every command takes.

    Attributes:
        json: Print one JSON value instead of text.
        verbose: Show debug lines and stack traces.
    """

    json: Annotated[bool, Parameter(negative="")] = False
    verbose: Annotated[bool, Parameter(negative="")] = False

    def show(self, value: object, text: "Callable[[], RenderableType]") -> None:
        """Print a result, see `output.show`."""
        show(value, text, as_json=self.json)


PLAIN = Common()
"""No option given."""
