"""Two plain pages for a person: what the wiki holds, and a document's Markdown."""

from html import escape

from starlette.responses import HTMLResponse

from personal_context.upstream.sandbox.call import Services
from personal_context.upstream.sandbox.models import Json

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f4f2;padding:1rem}"
    "small{color:#666}@media(prefers-color-scheme:dark){body{background:#1c1c1c;color:#ddd}"
    "a{color:#8ab4f8}pre{background:#262626}}"
)
_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}


def overview(services: Services) -> HTMLResponse:
    """Return the page with every collection and its documents."""
    parts = [
        f"<h2>{escape(row.name)}</h2>"
        f"<p><small>Collection id {escape(row.id)}</small></p>"
        + _nodes(services.world.tree.nodes(row.id))
        for row in services.collections.all()
    ]
    body = "".join(parts) or "<p>No collections yet.</p>"
    return _page(services.team_name, body)


def document(services: Services, reference: str) -> HTMLResponse:
    """Return the page of a document that lists would show."""
    row = services.world.state.document(reference)
    if row is None or not row.live:
        return _page("Not found", "<p>There is no such document.</p>", 404)
    body = (
        f"<p><small>Changed {escape(row.updated_at)}, revision {row.revision}</small></p>"
        f"<pre>{escape(row.text)}</pre>"
    )
    return _page(row.title or "Untitled", body)


def _nodes(nodes: list[Json]) -> str:
    if not nodes:
        return ""
    items = "".join(
        f'<li><a href="{escape(node["url"])}">{escape(node["title"] or "Untitled")}</a>'
        f"{_nodes(node['children'])}</li>"
        for node in nodes
    )
    return f"<ul>{items}</ul>"


def _page(title: str, body: str, status: int = 200) -> HTMLResponse:
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>"
        '<p><small>Outline stand-in · <a href="/">all documents</a></small></p>'
        f"<h1>{escape(title)}</h1>{body}</body></html>"
    )
    return HTMLResponse(page, status, _HEADERS)
