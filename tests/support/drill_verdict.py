"""What a drill came to: the wiki as its API shows it, against the file that the gateway keeps."""

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import apsw
from drill_people import Row

from personal_context.db.connection import Database
from personal_context.db.sqlite import SqliteStore
from personal_context.search.query import keyword_query

REMOVED = ("trash", "archive", "unpublish", "forget")


@dataclass
class Verdict:
    """Documents, by title or id, that are not as they should be.

    Attributes:
        lost: Shown by the wiki and not held; taken from an agent and gone; removed without cause.
        ghost: Held, and not shown.
        stale: Another text, title, parent, order or collection.
        duplicated: More than once where there should be one.
        problems: What is wrong inside the file.
    """

    lost: list[str] = field(default_factory=list)
    ghost: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    duplicated: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    judged: int = 0

    @property
    def good(self) -> bool:
        parts = (self.lost, self.ghost, self.stale, self.duplicated, self.problems)
        return self.judged > 0 and not any(parts)

    @property
    def integrity(self) -> str:
        return "ok" if self.judged and not self.problems else "; ".join(self.problems) or "unknown"


def judge(
    wiki: Mapping[str, Sequence[Row]],
    mirror: Mapping[str, Sequence[Row]],
    accepted: Collection[str],
    asked: Collection[str],
) -> Verdict:
    """Compare both sides, each as collection -> documents in tree order.

    Args:
        wiki: What it shows of the mirrored collections.
        mirror: What is held.
        accepted: Titles of what agents added and were told is kept.
        asked: Titles of all that agents tried to add.
    """
    theirs, ours = _places(wiki), _places(mirror)
    verdict = Verdict(judged=len(theirs))
    verdict.lost = sorted(theirs.keys() - ours.keys())
    verdict.ghost = sorted(ours.keys() - theirs.keys())
    verdict.stale = sorted(key for key in theirs.keys() & ours.keys() if theirs[key] != ours[key])
    for side in (wiki, mirror):
        titles = Counter(row[1] for rows in side.values() for row in rows)
        ids = Counter(row[0] for rows in side.values() for row in rows)
        verdict.lost += [f"{title!r}, added" for title in accepted if not titles[title]]
        verdict.duplicated += [f"{title!r}, added" for title in asked if titles[title] > 1]
        verdict.duplicated += [key for key, count in ids.items() if count > 1]
    return verdict


def _places(side: Mapping[str, Sequence[Row]]) -> dict[str, tuple[object, ...]]:
    """Return for each document its collection, title, text, parent, and rank among siblings."""
    found: dict[str, tuple[object, ...]] = {}
    for collection, rows in side.items():
        ranks: Counter[str | None] = Counter()
        for key, title, text, parent in rows:
            found[key] = (collection, title, text, parent, ranks[parent])
            ranks[parent] += 1
    return found


class Mirror:
    """The gateway's file, read from outside.

    Args:
        path: May not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def shows(self) -> dict[str, list[Row]]:
        """Return what is held of Outline's documents: collection -> documents in tree order."""
        held: dict[str, list[Row]] = {}
        for collection, *row in self._rows(
            "SELECT collection_id, id, title, content, parent_id FROM content"
            " WHERE outline_doc_id IS NOT NULL ORDER BY collection_id, position, id"
        ):
            held.setdefault(collection, []).append(tuple(row))
        return held

    def waiting(self) -> int:
        """Return how many pushes Outline has not confirmed."""
        rows = self._rows("SELECT count(*) FROM outbox")
        return rows[0][0] if rows else 0

    def misplaced(self, added: Collection[str]) -> list[str]:
        """Return what was added, and is not held, or will never reach the wiki."""
        safe = {
            row[0]
            for row in self._rows(
                "SELECT id FROM content WHERE outline_doc_id IS NOT NULL"
                " OR id IN (SELECT content_id FROM outbox)"
            )
        }
        return [key for key in added if key not in safe]

    def held_back(self) -> bool:
        """Tell whether removals wait for a person's word."""
        return bool(self._rows("SELECT 1 FROM sync_state WHERE pending_removals > 0"))

    def removed_without_cause(self, taken: Collection[str], closed: Collection[str]) -> list[str]:
        """Return the documents that were removed at some time though they could always be seen.

        Args:
            taken: Documents that somebody has taken out of sight at some time.
            closed: Collections that were archived at some time.
        """
        marks = ", ".join("?" * len(REMOVED))
        removals = self._rows(
            "SELECT outline_doc_id, collection_id, operation, details FROM sync_log"
            f" WHERE operation IN ({marks}) ORDER BY id",
            *REMOVED,
        )
        return [
            f"{key}: {operation} of {details}"
            for key, collection, operation, details in removals
            if key not in taken and collection not in closed
        ]

    async def check_parts(self, verdict: Verdict) -> None:
        """Add to a verdict what is wrong inside the file, and what search doesn't find."""
        async with Database(self._path) as database:
            verdict.problems += await database.write(_problems)
            store = SqliteStore(database)
            held = [row for rows in self.shows().values() for row in rows]
            [[kept]] = self._rows("SELECT count(*) FROM content")
            for key, title, text, _ in held:
                for words in {title, *text.split()[-1:]}:
                    query = keyword_query(words)
                    # However many others say the same: it is asked whether it is found at all.
                    hits = await store.search_keyword(query, limit=kept)
                    if query.weights and key not in {hit.content_id for hit in hits}:
                        verdict.problems.append(f"{key} is not found by {words!r}")

    def _rows(self, query: str, *values: object) -> list[tuple]:
        try:
            with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)) as connection:
                return connection.execute(query, values).fetchall()
        except sqlite3.OperationalError:
            return []  # A gateway that was killed before it had made a file.


def _problems(connection: apsw.Connection) -> list[str]:
    # The full-text check writes nothing, but FTS5 spells it as an INSERT; it raises.
    try:
        connection.execute(
            "INSERT INTO content_fts (content_fts, rank) VALUES ('integrity-check', 1)"
        )
        told = []
    except apsw.Error as error:
        told = [f"full text: {error}"]
    told += [str(row[0]) for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
    told += [f"foreign key: {row}" for row in connection.execute("PRAGMA foreign_key_check")]
    for what, query in ORPHANS.items():
        [count] = connection.execute(query).fetchone()
        told += [f"{count} {what}"] if count else []
    return told


ORPHANS = {
    "sections of no content": "SELECT count(*) FROM sections"
    " WHERE content_id NOT IN (SELECT id FROM content)",
    "contents without a section": "SELECT count(*) FROM content"
    " WHERE readable <> '' AND id NOT IN (SELECT content_id FROM sections)",
    "vectors of no section": "SELECT count(*) FROM content_vec"
    " WHERE section_id NOT IN (SELECT id FROM sections)",
    "sections with neither vector nor place in the backlog": "SELECT count(*) FROM sections"
    " WHERE id NOT IN (SELECT section_id FROM content_vec)"
    " AND id NOT IN (SELECT section_id FROM backlog)"
    " AND EXISTS (SELECT 1 FROM generations WHERE state = 'active')",
    "documents both held and in the trash": "SELECT count(*) FROM trash"
    " WHERE id IN (SELECT id FROM content)",
}
