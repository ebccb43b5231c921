"""The document's own view: read it, copy it, see what stands around it."""

import asyncio
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from personal_context.content.reading import ReadContent
from personal_context.domain.errors import InvalidInput
from personal_context.search.quoting import whole_document
from personal_context.web import params
from personal_context.web.document import view
from personal_context.web.guard import as_html
from personal_context.web.shell import Shell, root_of

PATH = "/content"


def routes(shell: Shell) -> list[Route]:
    """Return the route of documents.

    A document is found by its id, its urlId or its address in Outline; the id is what stays in the
    address bar. `?line=` opens the part that holds a line, `?format=md` is the text alone, and
    `?format=context` what a model should be given of it.
    """

    async def document(request: Request) -> Response:
        reference = str(request.path_params["reference"])
        form = request.query_params.get("format", "")
        line = params.number(request.query_params, "line")
        read = await shell.services.contents.get(reference)
        if read.content.id != reference:
            query = f"?{request.url.query}" if request.url.query else ""
            return RedirectResponse(f"{root_of(request)}{PATH}/{quote(read.content.id)}{query}")
        if form:
            return await _text(shell, read, form)
        around = await shell.services.contents.around(read.content.id)
        shown = await asyncio.to_thread(
            view.document, read, around, root=root_of(request), line=line
        )
        return await shell.show(request, "document.html", document=shown)

    # An address of Outline has slashes.
    return [Route(f"{PATH}/{{reference:path}}", as_html(document, shell.pages), name="document")]


async def _text(shell: Shell, read: ReadContent, form: str) -> Response:
    # As plain text a browser shows it; it has no media type that a document could make use of.
    if form == "md":
        return PlainTextResponse(read.content.readable)
    if form == "context":
        told = await asyncio.to_thread(
            whole_document, read.summary, read.content.readable, shell.clock()
        )
        return PlainTextResponse(told)
    raise InvalidInput("The parameter format can't be used.", hint="Give md or context.")
