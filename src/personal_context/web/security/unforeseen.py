"""The last net: an error that no route has translated gets an answer of the usual form."""

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from personal_context.web.errors import problem_of
from personal_context.web.security.refusal import refuse
from personal_context.web.templating import Pages


class Unforeseen:
    """Answers in place of what failed, while there still can be an answer.

    Without it, the framework would answer from outside of all guards, and the answer would lack
    their headers.
    """

    def __init__(self, app: ASGIApp, *, pages: Pages | None = None) -> None:
        self._app = app
        self._pages = pages or Pages()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, and answer if that fails."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def noted(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except ClientDisconnect:
            return  # nobody is there to be answered
        except Exception as error:
            problem = problem_of(error)
            if started:
                raise
            await refuse(problem, self._pages, scope, receive, send)
