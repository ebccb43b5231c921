"""What both caches need of the database: which sections pass a filter, and whose they are."""

# ruff: noqa: S608 - only our own names are put into SQL; all values are bound

from collections.abc import Mapping
from typing import TYPE_CHECKING

from personal_context.db.filtering import Condition
from personal_context.db.rows import fetch, id_list

if TYPE_CHECKING:
    import apsw
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Integers = npt.NDArray[np.int64]

_FEW = 8_192
"""Sections that pass a filter up to which they are looked at one by one."""


def few_passing(connection: "apsw.Connection", passing: Condition) -> "Integers | None":
    """Return the sections that pass, ascending, or None if they are many."""
    import numpy as np

    where, values = passing
    rows = fetch(
        connection,
        "SELECT s.id FROM content AS c CROSS JOIN sections AS s ON s.content_id = c.id"
        f" WHERE {where} LIMIT ?",
        *values,
        _FEW + 1,
    )
    return None if len(rows) > _FEW else np.sort(np.array([row[0] for row in rows], np.int64))


def passing_of(
    connection: "apsw.Connection", passing: Condition, sections: "Integers"
) -> "npt.NDArray[np.bool_]":
    """Tell of each section whether it passes."""
    import numpy as np

    where, values = passing
    rows = fetch(
        connection,
        "SELECT s.id FROM json_each(?) AS wanted CROSS JOIN sections AS s ON s.id = wanted.value"
        f" CROSS JOIN content AS c ON c.id = s.content_id WHERE {where}",
        id_list(sections.tolist()),
        *values,
    )
    return np.isin(sections, np.array([row[0] for row in rows], np.int64))


def settled(contents: "Integers", scores: "Floats", limit: int) -> bool:
    """Tell whether no section beyond these could stand among the first `limit` contents.

    Args:
        contents: Of sections, the best first.
        scores: Of each.
        limit: Most contents, at least 1.
    """
    firsts = _firsts(contents)
    return len(firsts) >= limit and bool(scores[-1] < scores[firsts[limit - 1]])


def leaders(contents: "Integers", scores: "Floats", limit: int) -> "Integers":
    """Return where each of the first contents stands first, and those as good as the last."""
    firsts = _firsts(contents)
    if len(firsts) <= limit:
        return firsts
    found: Integers = firsts[scores[firsts] >= scores[firsts[limit - 1]]]
    return found


def content_ids(connection: "apsw.Connection", sections: "Integers") -> Mapping[int, str]:
    """Return the content of each section; those that the connection doesn't see are left out."""
    return dict(
        fetch(
            connection,
            "SELECT s.id, s.content_id FROM json_each(?) AS wanted"
            " CROSS JOIN sections AS s ON s.id = wanted.value",
            id_list(sections.tolist()),
        )
    )


def _firsts(contents: "Integers") -> "Integers":
    import numpy as np

    return np.sort(np.unique(contents, return_index=True)[1])
