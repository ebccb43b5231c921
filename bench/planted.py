"""Bugs to plant: each is one that a sync engine like this one could well have had."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One bug.

    Attributes:
        name: What the code then does wrong.
        file: Below `src/personal_context/`.
        was: Text that occurs there once.
        becomes: What stands in its place.
    """

    name: str
    file: str
    was: str
    becomes: str


PLAN, PASSES, PULL = "sync/plan.py", "sync/passes.py", "sync/pull.py"
ASKING, LISTING = "sync/asking.py", "sync/listing.py"
OVERLAP, CATALOGUE = "sync/overlap.py", "sync/catalogue.py"
MIRROR, TRASH, LEASES = "db/mirror.py", "db/trash.py", "db/leases.py"

MUTANTS = (
    # --- what is decided
    Mutant(
        "text compared by title only",
        PLAN,
        "    if mirrored.hash != content_hash(document.title, document.text):\n",
        """    if mirrored.title == document.title:
        return Action(Kind.KEEP, document.id, "unchanged")
    if mirrored.hash != content_hash(document.title, document.text):
""",
    ),
    Mutant(
        "titles not compared",
        PLAN,
        "    if mirrored.hash != content_hash(document.title, document.text):\n",
        """    if mirrored.hash == content_hash(mirrored.title, document.text):
        return Action(Kind.KEEP, document.id, "unchanged")
    if mirrored.hash != content_hash(document.title, document.text):
""",
    ),
    Mutant(
        "what the tree alone shows is never asked for",
        PLAN,
        "missing=tuple(sorted(in_tree - have)),",
        "missing=(),",
    ),
    Mutant(
        "absence from the list taken for absence from the wiki",
        PLAN,
        "gone=tuple(sorted(set(mirrored) - in_tree - set(listed))),",
        "gone=tuple(sorted(set(mirrored) - set(listed))),",
    ),
    Mutant(
        "what was deleted for good is kept",
        PLAN,
        'return Action(Kind.FORGET, content_id, "deleted for good',
        'return Action(Kind.KEEP, content_id, "deleted for good',
    ),
    Mutant(
        "the trash is not looked at",
        PLAN,
        "if document.deleted_at:",
        "if False:",
    ),
    Mutant(
        "the archive is not looked at",
        PLAN,
        "if document.archived_at:",
        "if False:",
    ),
    Mutant(
        "drafts taken for published",
        PLAN,
        "if document.published_at is None:",
        "if False:",
    ),
    Mutant(
        "moved out of sight, and kept",
        PLAN,
        'return Action(Kind.FORGET, content_id, "moved to a collection that is not mirrored")',
        'return Action(Kind.KEEP, content_id, "elsewhere")',
    ),
    Mutant(
        "moved to another mirrored collection, and removed",
        PLAN,
        "if document.collection_id in mirrored_collections:",
        "if False:",
    ),
    Mutant(
        "the fuse is ignored",
        PLAN,
        "return removals > REMOVAL_COUNT and removals > REMOVAL_SHARE * mirrored",
        "return False",
    ),
    Mutant(
        "children stand in the order of their ids",
        PLAN,
        "stack.extend((child, node.id) for child in reversed(node.children))",
        "stack.extend((c, node.id) for c in sorted(node.children, key=lambda c: c.id))",
    ),
    Mutant(
        "every document stands at the top",
        PLAN,
        "placed[node.id] = Placement(parent_id, len(placed))",
        "placed[node.id] = Placement(None, len(placed))",
    ),
    # --- what a pass does
    Mutant(
        "removal without asking for the document",
        PASSES,
        """            if told is not None:
                actions.append""",
        """            told = Told(None)
            if told is not None:
                actions.append""",
    ),
    Mutant(
        "an answer that can't be read taken for a 404",
        ASKING,
        """        except UpstreamUnreadable as error:
            self.tally.failed[content_id] = error.what
            return None
        except UpstreamUnavailable""",
        """        except UpstreamUnreadable:
            told = Told(None)
        except UpstreamUnavailable""",
    ),
    Mutant(
        "a 403 counts although the collection doesn't answer",
        PASSES,
        "            await self.upstream.collection(self.tally.collection_id)\n        except",
        "            pass\n        except",
    ),
    Mutant(
        "a 403 on a list taken for an empty one",
        LISTING,
        "                page = await coming\n",
        """                from personal_context.domain.errors import UpstreamForbidden
                try:
                    page = await coming
                except UpstreamForbidden:
                    page = Page((), last=True, rows=0)
""",
    ),
    Mutant(
        "a 403 on a tree taken for an empty one",
        PASSES,
        "            tree = await self.upstream.tree(tally.collection_id)\n",
        """            from personal_context.domain.errors import UpstreamForbidden
            try:
                tree = await self.upstream.tree(tally.collection_id)
            except UpstreamForbidden:
                tree = ()
""",
    ),
    Mutant(
        "only the first page is read",
        LISTING,
        "if page.last or self._reached(page):",
        "if True:",
    ),
    Mutant(
        "a sweep believes that the list is complete",
        PASSES,
        "return set(self.tally.placements) - self.tally.listed if swept else set()",
        "return set()",
    ),
    Mutant(
        "what failed is not tried again",
        PASSES,
        "return due & self.tally.placements.keys() - self.tally.listed",
        "return set()",
    ),
    Mutant(
        "placement not compared",
        PASSES,
        "        await self.store.place(tally.collection_id, tally.placements)\n",
        "",
    ),
    Mutant(
        "a document that fails is forgotten",
        PASSES,
        """            self.tally.failed[action.content_id] = (
                error.what if isinstance(error, PersonalContextError) else repr(error)
            )
            self.tally.titles[action.content_id] = title
            return
""",
        "            return\n",
    ),
    # --- what is remembered of it
    Mutant(
        "the cursor moves first",
        PULL,
        "await store.save_sync_state(replace(state, status=SyncStatus.SYNCING))",
        """now = self._clock().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        moved = replace(state, last_pull_at=state.last_pull_at and now)
        await store.save_sync_state(replace(moved, status=SyncStatus.SYNCING))""",
    ),
    Mutant(
        "the cursor is our own clock's time",
        PULL,
        "cursor = max(filter(None, (tally.newest, before)), default=None)",
        "cursor = self._clock().isoformat()",
    ),
    Mutant(
        "backdated edits are not swept",
        PULL,
        "cursor = None if options.full else state.last_pull_at",
        "cursor = state.last_pull_at",
    ),
    Mutant(
        "the fence is left open",
        PULL,
        "store = store or self._store",
        "store = self._store",
    ),
    Mutant(
        "no overlap behind the cursor",
        OVERLAP,
        "OVERLAP = timedelta(seconds=60)",
        "OVERLAP = timedelta(0)",
    ),
    Mutant(
        "strictly newer than the cursor, or not looked at",
        OVERLAP,
        """        if dated and parse_time(dated[-1].updated_at) < self.before:
            return True
        return all_known and self.shallow
""",
        """        cursor = self.before + OVERLAP
        return any(parse_time(one.updated_at) <= cursor for one in documents)
""",
    ),
    Mutant(
        "a page without news is enough after a start, too",
        OVERLAP,
        "return all_known and self.shallow",
        "return all_known",
    ),
    # --- which collections
    Mutant(
        "a hidden collection taken for a deleted one",
        CATALOGUE,
        """            except UpstreamNotFound:
                found = None
            except UpstreamForbidden as error:
""",
        """            except (UpstreamNotFound, UpstreamForbidden):
                found = None
            except ZeroDivisionError as error:
""",
    ),
    Mutant(
        "an archived collection taken for a hidden one",
        CATALOGUE,
        "if found and not (found.archived_at or found.deleted_at):",
        "if found:",
    ),
    Mutant(
        "a collection that is not listed taken for a deleted one",
        CATALOGUE,
        "found = await self._upstream.collection(state.collection_id)",
        "found = None",
    ),
    # --- how it is written
    Mutant(
        "what comes back from the trash comes back as it was",
        MIRROR,
        "    if known or restore(connection, content.id):\n",
        """    if not known and restore(connection, content.id):
        return True
    if known:
""",
    ),
    Mutant(
        "an edited text has no sections",
        MIRROR,
        "        update(connection, content.beside(get(connection, content.id)), indexed)\n",
        """        parts = Indexed(indexed.readable, (), ())
        update(connection, content.beside(get(connection, content.id)), parts)
""",
    ),
    Mutant(
        "a new parent is written, a new order is not",
        MIRROR,
        "and wanted != Placement(parent_id, position)",
        "and wanted.parent_id != parent_id",
    ),
    Mutant(
        "restored children revived with their parent",
        TRASH,
        '    connection.execute("DELETE FROM trash WHERE id = ?", (content_id,))\n',
        """    connection.execute("DELETE FROM trash WHERE id = ?", (content_id,))
    for (child,) in fetch(connection, "SELECT id FROM trash WHERE parent_id = ?", content_id):
        restore(connection, child)
""",
    ),
    Mutant(
        "the fence is not checked",
        LEASES,
        "        if not held:\n",
        "        if False:\n",
    ),
)
