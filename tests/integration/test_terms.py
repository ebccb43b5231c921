"""The terms of sections: who makes them makes no difference, and old ones stay right."""

import hashlib
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from builders import content
from hypothesis import given, settings, strategies as st

from personal_context.db import mirror
from personal_context.db.connection import Database
from personal_context.indexing.prepare import Preparer
from personal_context.words import VERSION
from personal_context.words.making import terms_of

LETTERS = "aBü_-.:/19 \n#*ー데กกошибαλم\u0300\u0640\ud800\0"
TEXTS = st.lists(
    st.sampled_from(["# Über Uns", "## getUserName v1.9.2", "データベース を 復元", "C++ ", "\n\n"])
    | st.text(st.characters(exclude_categories=())),
    max_size=8,
).map("\n".join)
TITLES = st.text(LETTERS, max_size=20) | st.just("On-call / PostgreSQL 16")
SAMPLE = (
    "Restoring foo.bar() in getUserName: C++ and v1.9.2, ada@example.com, don't naïvely",
    "認証 データベース 한국어 ติดตั้ง ошибками ещё λόγος पुस्तकों कताबों كتابات כָּתַב 2026年",
    "x" * 120 + " \ud800half a-b_c/d.e " + "ｱﾌﾟﾘ ﬁne Straße",
)


async def stored(documents):
    """Return all that the index of words holds after these (title, text, indexed)."""

    def write(connection):
        for number, (title, text, indexed) in enumerate(documents):
            key = number % (len(documents) // 2)
            one = content(key, title, text=text, readable=indexed.readable)
            mirror.mirror(connection, one, indexed)
        connection.execute("CREATE VIRTUAL TABLE held USING fts5vocab(content_fts, instance)")
        return [
            connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
            for table in ("section_terms", "content_fts_docsize", "content_titles")
        ] + [connection.execute("SELECT * FROM held ORDER BY 1, 2, 3, 4").fetchall()]

    with TemporaryDirectory() as folder:
        async with Database(Path(folder, "context.db")) as database:
            return await database.write(write)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(TITLES, TEXTS, TEXTS), min_size=1, max_size=3))
async def test_terms_made_beforehand_are_those_that_the_store_makes(documents):
    prepare = Preparer(lambda texts: [len(text.split()) for text in texts]).prepare
    # The second text is an edit of the first: what stays keeps its row.
    edits = [
        *((title, before) for title, before, _ in documents),
        *((title, f"{before}\n\n{after}") for title, before, after in documents),
    ]
    ready = [(title, text, prepare(title, text)) for title, text in edits]
    late = [(title, text, replace(one, terms=None)) for title, text, one in ready]
    assert await stored(ready) == await stored(late)


def test_other_terms_need_another_version():
    made = terms_of(SAMPLE[0], [(("Über uns", "C#"), text) for text in SAMPLE])
    digest = hashlib.sha256()
    for one in made:
        digest.update(f"{one.title}\n{one.headings}\n{one.body}\n{one.names}".encode())
        digest.update(one.packed)
    # Files in use hold terms of these rules: who changes them raises words.VERSION.
    assert (VERSION, digest.hexdigest()[:16]) == (2, "776c6a9d4114ef36")
