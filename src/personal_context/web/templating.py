"""Templates: found in the package or in the checkout, escaped always, loaded at first use."""

import asyncio
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import personal_context
from personal_context.web import highlight, humanize, narrowing, preview

if TYPE_CHECKING:
    from jinja2 import Environment


def templates_dir() -> Path:
    """Where the templates are: inside an installed package, else at the checkout's root."""
    package = Path(personal_context.__file__).parent
    packaged = package / "templates"
    return packaged if packaged.is_dir() else package.parents[1] / "templates"


class Pages:
    """Renders templates; building it costs nothing."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    async def render(self, template: str, /, **values: Any) -> bytes:  # noqa: ANN401 - templates take anything
        """Render a template to UTF-8, in a thread: the first time it is read and compiled.

        Half a surrogate pair, which UTF-8 can't hold, becomes a question mark.

        Raises:
            jinja2.UndefinedError: The template asks for a value that was not given.
        """
        return await asyncio.to_thread(self._rendered, template, values)

    def _rendered(self, template: str, values: Mapping[str, Any]) -> bytes:
        text = self._environment.get_template(template).render(values)
        return text.encode("utf-8", "replace")

    @cached_property
    def _environment(self) -> "Environment":
        # A process that only speaks stdio never pays for this import.
        from jinja2 import Environment, FileSystemLoader, StrictUndefined

        environment = Environment(
            loader=FileSystemLoader(self._folder or templates_dir()),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        environment.filters |= {
            "ago": humanize.ago,
            "utc_title": humanize.utc_title,
            "safe_url": humanize.safe_url,
            "marked": highlight.marked,
            "skimmed": preview.skimmed,
            "why": narrowing.why,
            "bars": narrowing.bars,
        }
        return environment
