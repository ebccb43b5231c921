"""A folder of Markdown files as a wiki: first-level folders are collections, files documents."""

import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from personal_context.upstream.sandbox.app import Sandbox
from personal_context.upstream.sandbox.models import Collection, Document, slug
from personal_context.upstream.sandbox.pagefile import (
    PageFile,
    order_key,
    path_key,
    read_page,
    rewrite_links,
    shown_name,
)
from personal_context.upstream.sandbox.tree import END
from personal_context.upstream.sandbox.world import stable_ids

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What was loaded. `skipped` are paths from the root, each with its reason."""

    collections: int
    documents: int
    skipped: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Page:
    """A document to be.

    Attributes:
        key: Path from the root without `.md`; the ids hang on it.
        file: None for a folder without a file of its name.
    """

    key: str
    name: str
    collection: str
    parent: str | None
    file: Path | None

    @property
    def ids(self) -> tuple[str, str]:
        return stable_ids(f"document:{self.key}")


@dataclass(slots=True)
class _Plan:
    root: Path
    pages: list[_Page] = field(default_factory=list)
    read: dict[str, PageFile] = field(default_factory=dict)
    skipped: list[tuple[str, str]] = field(default_factory=list)

    def skip(self, key: str, reason: str) -> None:
        logger.warning("Skipped %s: %s", key, reason)
        self.skipped.append((key, reason))


def sample_wiki() -> Path:
    """Return the folder of the sample wiki that comes with the package."""
    return Path(str(resources.files("personal_context.upstream.sandbox") / "wiki"))


def load_folder(sandbox: Sandbox, root: Path) -> LoadReport:
    """Fill a sandbox from a folder of Markdown files.

    `X.md` beside a folder `X` is the parent of what is in it; a folder without such a file is an
    empty document. A number before a name orders and is dropped. Files directly in the folder
    make a collection of the folder's name. Ids depend on paths alone; what is there already is
    left as it is, so that a wiki on disk keeps what was changed in it.

    Args:
        sandbox: Where to.
        root: The folder; names that start with a dot are passed over.

    Returns:
        What was loaded. A file that can't be read or is not UTF-8 is skipped, and logged.

    Raises:
        OSError: The folder can't be read.
    """
    plan = _Plan(root)
    tops = [_Page(path_key(d.name), shown_name(d.name), d.name, None, None) for d in _folders(root)]
    for top in tops:
        _walk(plan, root / top.collection, top.key, top.collection, None)
    if any(_files(root)):
        tops.append(_Page("", root.resolve().name, "", None, None))
        _walk(plan, root, "", "", None, deep=False)
    _read(plan)
    made = 0
    with sandbox.services.world.state.transaction():
        # A new collection stands above the others.
        alive = {top.collection: _collection(sandbox, top) for top in reversed(tops)}
        addresses = _addresses(plan)
        for page in plan.pages:
            made += _document(sandbox, plan, page, alive[page.collection], addresses)
    return LoadReport(len(tops), made, tuple(plan.skipped))


def _folders(folder: Path) -> list[Path]:
    with os.scandir(folder) as entries:
        names = [e.name for e in entries if e.is_dir() and not e.name.startswith(".")]
    return [folder / name for name in sorted(names, key=order_key)]


def _files(folder: Path) -> Iterator[Path]:
    with os.scandir(folder) as entries:
        names = [e.name for e in entries if e.is_file() and not e.name.startswith(".")]
    return (folder / name for name in names if name.lower().endswith(".md"))


def _walk(
    plan: _Plan,
    folder: Path,
    key: str,
    collection: str,
    parent: str | None,
    *,
    deep: bool = True,
) -> None:
    files = {path_key(file.stem): file for file in _files(folder)}
    folders = {path_key(sub.name): sub for sub in _folders(folder)} if deep else {}
    for name in sorted({*files, *folders}, key=order_key):
        own = f"{key}/{name}" if key else name
        page = _Page(own, shown_name(name), collection, parent, files.get(name))
        plan.pages.append(page)
        # A folder that is a link could lead around in circles.
        if name in folders and not folders[name].is_symlink():
            _walk(plan, folders[name], own, collection, own)


def _read(plan: _Plan) -> None:
    for page in list(plan.pages):
        if page.file is None:
            continue
        try:
            plan.read[page.key] = read_page(page.file, page.name)
        except UnicodeDecodeError:
            plan.skip(f"{page.key}.md", "It is not UTF-8.")
        except OSError as error:
            plan.skip(f"{page.key}.md", f"It can't be read: {error.strerror}.")
        else:
            continue
        # What is below an unreadable file still needs a parent.
        place = plan.pages.index(page)
        if any(other.parent == page.key for other in plan.pages):
            plan.pages[place] = _Page(page.key, page.name, page.collection, page.parent, None)
        else:
            del plan.pages[place]


def _addresses(plan: _Plan) -> dict[str, str]:
    addresses: dict[str, str] = {}
    for page in plan.pages:
        read = plan.read.get(page.key)
        address = f"/doc/{slug(read.title if read else page.name)}-{page.ids[1]}"
        addresses |= {page.key: address, f"{page.key}.md": address}
    return addresses


def _collection(sandbox: Sandbox, top: _Page) -> str | None:
    """Return the id of the collection, made if need be; None if it was deleted or archived."""
    key, url_id = stable_ids(f"collection:{top.key}")
    known = sandbox.services.world.state.get(Collection, key)
    if known is not None:
        return key if known.live else None
    return sandbox.collections.create(top.name, id=key, url_id=url_id).id


def _document(
    sandbox: Sandbox,
    plan: _Plan,
    page: _Page,
    collection_id: str | None,
    addresses: dict[str, str],
) -> int:
    state = sandbox.services.world.state
    key, url_id = page.ids
    if collection_id is None or state.get(Document, key) is not None:
        return 0
    parent_id = stable_ids(f"document:{page.parent}")[0] if page.parent else None
    if parent_id is not None:
        parent = state.get(Document, parent_id)
        if parent is None or not parent.active:
            plan.skip(page.key, "The document above it is gone.")
            return 0
    read = plan.read.get(page.key)
    sandbox.documents.create(
        read.title if read else page.name,
        rewrite_links(read.text, f"{page.key}.md", addresses.get) if read else "",
        collection_id=collection_id,
        parent_id=parent_id,
        id=key,
        url_id=url_id,
        index=END,
        created_at=read.created if read else None,
        updated_at=read.updated if read else None,
    )
    return 1
