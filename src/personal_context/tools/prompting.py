"""The owner's prompt documents as MCP prompts, which clients show as commands."""

from collections.abc import Sequence
from typing import Any

from fastmcp.exceptions import PromptError
from fastmcp.prompts.base import Prompt, PromptArgument
from fastmcp.server.providers import Provider
from fastmcp.utilities.versions import VersionSpec
from pydantic import PrivateAttr

from personal_context.content.placeholders import blanks, filled, prompt_names
from personal_context.domain.models import Content
from personal_context.domain.text import one_line, shortened
from personal_context.tools.results import MOST_BYTES
from personal_context.tools.services import Services

_DESCRIPTION = 200


class PromptDocument(Prompt):
    """A document whose blanks are the arguments."""

    _text: str = PrivateAttr(default="")

    @classmethod
    def of(cls, name: str, content: Content) -> "PromptDocument":
        """Return a document as a prompt."""
        text = content.readable.strip()
        if len(text.encode("utf-8", "replace")) > MOST_BYTES:
            beginning = text.encode("utf-8", "replace")[:MOST_BYTES].decode("utf-8", "ignore")
            text = (
                f"{beginning}…\n\n(That was the beginning; get_content {content.id}"
                " reads all of it.)"
            )
        prompt = cls(
            name=name,
            title=one_line(content.title) or name,
            description=_first_words(text),
            arguments=[PromptArgument(name=blank, required=True) for blank in blanks(text)],
        )
        prompt._text = text
        return prompt

    async def render(self, arguments: dict[str, Any] | None = None) -> str:
        """Return the document with its blanks filled in."""
        given = {name: str(value) for name, value in (arguments or {}).items()}
        wanted = [one.name for one in self.arguments or ()]
        if missing := [name for name in wanted if name not in given]:
            raise PromptError(f"The prompt {self.name} needs {', '.join(missing)}.")
        return filled(self._text, given)


class PromptDocuments(Provider):
    """Every document of the prompts collection, in tree order."""

    def __init__(self, services: Services) -> None:
        super().__init__()
        self._services = services

    async def _list_prompts(self) -> Sequence[Prompt]:
        named = prompt_names(await self._services.prompts.documents())
        return [PromptDocument.of(name, content) for name, content in named.items()]

    async def _get_prompt(self, name: str, version: VersionSpec | None = None) -> Prompt | None:
        if version is not None and version.eq is not None:
            return None
        named = prompt_names(await self._services.prompts.documents())
        return PromptDocument.of(name, named[name]) if name in named else None


def _first_words(text: str) -> str | None:
    lines = (line.lstrip("#> ").strip() for line in text.splitlines())
    return shortened(next(filter(None, lines), ""), _DESCRIPTION) or None
