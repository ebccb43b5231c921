"""How much of a page's text is found, and how little else, beside trafilatura on the same pages.

Pages are pairs of files: NAME.html, and NAME.txt with the text that a reader came for.
"""

import gzip
import json
import re
import subprocess
import sys
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
from common import ROOT, Target, finish, parser, show_table
from markdown_it import MarkdownIt

from personal_context.connectors.web.reading import read_html
from personal_context.domain.errors import WebError

OWN_PAGES = ROOT / "bench" / "pages"
TARGET = Target(-0.05, at_most=False)
SHINGLE = 4
"""Words of a shingle, as in the benchmark of scrapinghub (article-extraction-benchmark)."""

THEM = """
import json, sys, trafilatura
for line in sys.stdin:
    html = json.loads(line)
    print(json.dumps(trafilatura.extract(html) or ""), flush=True)
"""
_TOKEN = re.compile(
    r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|"  # one letter where no blanks are
    r"[^\W\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)


@dataclass(frozen=True)
class Sample:
    """A page and its text."""

    name: str
    html: str
    text: str


@dataclass(frozen=True)
class Score:
    """How a found text meets the expected one, each figure 0..1."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def samples(folder: Path) -> Sequence[Sample]:
    """Read a folder of pages, by name; pages may be packed with gzip."""
    found = []
    for text in sorted(folder.glob("*.txt")):
        plain, packed = text.with_suffix(".html"), text.with_suffix(".html.gz")
        raw = plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes())
        html = raw.decode("utf-8", "replace")
        found.append(Sample(text.stem, html, text.read_text("utf-8")))
    return found


def score(found: str, expected: str, size: int) -> Score:
    """Compare two texts as bags of shingles; of size 1, as bags of words."""
    ours, theirs = (_shingles(text, size) for text in (found, expected))
    common = sum((ours & theirs).values())
    if not ours or not theirs:
        return Score(float(not ours and not theirs), float(not ours and not theirs))
    return Score(common / sum(ours.values()), common / sum(theirs.values()))


def _shingles(text: str, size: int) -> Counter[tuple[str, ...]]:
    words = _TOKEN.findall(text.casefold())
    last = max(1, len(words) - size + 1) if words else 0
    return Counter(tuple(words[start : start + size]) for start in range(last))


def found_here(html: str) -> str:
    """Return the text that the product keeps of a page, without Markdown's marks."""
    try:
        text = read_html(html, httpx.URL("https://site.example/page")).text
    except WebError:
        return ""
    return "\n".join(_said(text))


def _said(markdown: str) -> Iterator[str]:
    for token in MarkdownIt("commonmark", {"html": False}).enable("table").parse(markdown):
        if token.type in {"fence", "code_block"}:
            yield token.content
        for child in token.children or ():
            if child.type != "image":  # trafilatura names no pictures
                yield child.content


def found_there(pages: Sequence[Sample]) -> Sequence[str] | None:
    """Return what trafilatura finds, or None if it can't be had."""
    command = ["uv", "run", "--no-project", "--with", "trafilatura", "python", "-c", THEM]
    given = "".join(json.dumps(page.html) + "\n" for page in pages)
    try:
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"trafilatura can't be run: {error}\n")
        return None
    return [json.loads(line) for line in done.stdout.splitlines()]


def mean(scores: Sequence[Score]) -> dict[str, float]:
    """Return the means over pages, each page weighing the same."""
    figures = {
        "precision": [one.precision for one in scores],
        "recall": [one.recall for one in scores],
        "f1": [one.f1 for one in scores],
    }
    return {name: round(sum(values) / len(values), 4) for name, values in figures.items()}


def compare(name: str, pages: Sequence[Sample]) -> Mapping[str, object]:
    begin = time.process_time()
    ours = [found_here(page.html) for page in pages]
    seconds = time.process_time() - begin
    texts = {"personal-context": ours}
    theirs = found_there(pages)
    if theirs is not None:
        texts["trafilatura"] = theirs
    result: dict[str, object] = {"pages": len(pages), "ms": round(seconds * 1000 / len(pages), 1)}
    for kind, size in ("words", 1), (f"shingles of {SHINGLE}", SHINGLE):
        scores = {
            who: [score(text, page.text, size) for text, page in zip(found, pages, strict=True)]
            for who, found in texts.items()
        }
        if len(pages) <= 30 and size == 1:
            _show_pages(pages, scores)
        means = {who: mean(found) for who, found in scores.items()}
        show_table(
            f"{name}, {kind}",
            ["", "precision", "recall", "F1"],
            [[who, *map("{:.3f}".format, figures.values())] for who, figures in means.items()],
        )
        if theirs is not None:
            ahead = means["personal-context"]["f1"] - means["trafilatura"]["f1"]
            print(f"  F1 ahead by {ahead:+.3f}: {TARGET.verdict(ahead)}")
        result[kind] = means
    return result


def _show_pages(pages: Sequence[Sample], scores: Mapping[str, Sequence[Score]]) -> None:
    header = ["page", *(f"{who} {what}" for who in scores for what in ("P", "R", "F1"))]
    rows = [
        [page.name, *(f"{x:.2f}" for one in found for x in (one.precision, one.recall, one.f1))]
        for page, *found in zip(pages, *scores.values(), strict=True)
    ]
    show_table("each page, by words", header, rows)


def main(options: Namespace) -> None:
    figures = {folder.name: compare(folder.name, samples(folder)) for folder in options.folders}
    finish(figures, as_json=options.json)


if __name__ == "__main__":
    arguments = parser(__doc__ or "")
    arguments.add_argument("folders", nargs="*", type=Path, default=[OWN_PAGES])
    main(arguments.parse_args())
