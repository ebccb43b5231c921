"""Tables: those of data made even, those that only place things taken apart. Pure."""

from typing import Final

from bs4 import BeautifulSoup, Tag

from personal_context.connectors.web.html import (
    HEADINGS,
    TABLE_PARTS,
    attribute,
    tags_in,
    text_of,
)

_LONGEST_CELL: Final = 400
"""Characters of an average cell up to which a table holds data."""

_MOST_COLUMNS: Final = 60
_MOST_FILLED: Final = 10_000
"""Cells that stand for what spans several; a page could ask for millions."""

_NO_DATA: Final = [*HEADINGS, "pre", "table", "blockquote", "hr"]
_SMALLEST: Final = 2
"""Rows and columns."""


def shape_tables(root: Tag) -> None:
    """Make each table one that Markdown can write, or no table at all; innermost first."""
    for table in reversed(root.find_all("table")):
        rows = _rows(table)
        if _holds_data(table, rows):
            _even(table, rows)
        else:
            _take_apart(table)


def _rows(table: Tag) -> list[list[Tag]]:
    rows = [row for row in table.find_all("tr") if row.find_parent("table") is table]
    return [[cell for cell in tags_in(row) if cell.name in {"td", "th"}] for row in rows]


def _holds_data(table: Tag, rows: list[list[Tag]]) -> bool:
    if attribute(table, "role").lower() in {"presentation", "none"}:
        return False
    cells = [cell for row in rows for cell in row]
    widest = max((len(row) for row in rows), default=0)
    has_head = table.find("th") is not None
    if widest < _SMALLEST or widest > _MOST_COLUMNS or (len(rows) < _SMALLEST and not has_head):
        return False
    if any(cell.find(_NO_DATA) is not None for cell in cells):
        return False
    return sum(len(text_of(cell)) for cell in cells) <= _LONGEST_CELL * len(cells)


def _even(table: Tag, rows: list[list[Tag]]) -> None:
    """Give each row as many cells, what spans several standing in the first."""
    maker = BeautifulSoup("", "lxml")
    for caption in table.find_all("caption"):
        caption.name = "p"
        table.insert_before(caption.extract())
    made = _grid(rows, maker)
    width = max(map(len, made), default=0)
    body = maker.new_tag("table")
    for cells in made:
        line = maker.new_tag("tr")
        for cell in cells:
            cell.attrs = {}
            line.append(cell.extract())
        for _ in range(width - len(cells)):
            line.append(maker.new_tag("td"))
        body.append(line)
    _without_lists(body)
    table.replace_with(body)


def _grid(rows: list[list[Tag]], maker: BeautifulSoup) -> list[list[Tag]]:
    made: list[list[Tag]] = []
    left = _MOST_FILLED
    below: dict[int, int] = {}  # column -> rows that a cell above still reaches into
    for row in rows:
        cells: list[Tag] = []
        for cell in row:
            while left > 0 and below.get(len(cells), 0):
                below[len(cells)] -= 1
                cells.append(maker.new_tag(cell.name))
                left -= 1
            for column in range(_span(cell, "colspan") if left > 0 else 1):
                below[len(cells)] = _span(cell, "rowspan") - 1
                cells.append(maker.new_tag(cell.name) if column else cell)
                left -= column > 0
        made.append(cells[:_MOST_COLUMNS])
    return made


def _without_lists(body: Tag) -> None:
    for item in body.find_all("li"):
        item.insert_before("• ")
    for tag in body.find_all(["ul", "ol", "li", "dl", "dt", "dd"]):
        tag.name = "div"


def _span(cell: Tag, name: str) -> int:
    value = attribute(cell, name)
    return min(int(value), _MOST_COLUMNS) if value.isdecimal() and value[:4] != "0" else 1


def _take_apart(table: Tag) -> None:
    for part in [*table.find_all(list(TABLE_PARTS)), table]:
        if part is table or part.find_parent("table") is table:
            part.name = "div"
