"""What stands around every view of the page: its head, its ways to the others."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from personal_context.ports import Clock
from personal_context.web.responses import html_answer
from personal_context.web.services import Services
from personal_context.web.templating import Pages


class Shell:
    """Shows views.

    Args:
        services: The product.
        pages: Renders.
        clock: Tells what ages are counted from.
    """

    def __init__(self, services: Services, pages: Pages, clock: Clock) -> None:
        self.services = services
        self.pages = pages
        self.clock = clock

    def values(self, request: Request, view: str = "") -> dict[str, Any]:
        """Return what every template of ours needs.

        Args:
            request: What was asked.
            view: Which of the views in the head this is.
        """
        return {
            "root": root_of(request),
            "version": self.services.version,
            "outline_url": self.services.outline_url,
            "now": self.clock(),
            "view": view,
        }

    async def show(
        self,
        request: Request,
        template: str,
        /,
        *,
        view: str = "",
        **values: Any,  # noqa: ANN401 - templates take anything
    ) -> Response:
        """Answer with a rendered template."""
        body = await self.pages.render(template, **self.values(request, view), **values)
        return html_answer(body)


def root_of(request: Request) -> str:
    """Return the path under which a proxy shows us, mostly empty."""
    root: str = request.scope.get("root_path", "")
    return root.rstrip("/")
