"""What a page's own styles hide. Pure.

Text that nobody sees is where instructions to agents are put. Styles in the page are read well
enough to find it: attributes, and rules of `<style>` with the usual order of who wins. Styles in
files of their own are not fetched.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import soupsieve
from bs4 import BeautifulSoup, Tag

from personal_context.connectors.web.html import all_tags, attribute, classes

_LONGEST: Final = 300_000
"""Characters of styles that are read."""

_LONGEST_SELECTOR: Final = 2_000

_MOST_LOOKS: Final = 100_000
"""Comparisons of an element with a selector."""

_SCREEN: Final = 1280
"""Pixels across: what a person with a desk sees."""

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_BRACE = re.compile(r"[{}]")
_LENGTH = re.compile(r"(-?[0-9]*\.?[0-9]+)\s*(px|r?em|pt|%|vw|vh)?")
_FEATURE = re.compile(r"\((min|max)-width\s*:\s*([0-9.]+)(px|r?em)\)")
_CLIPPED = re.compile(r"rect\(\s*(?:0|1px)\D|inset\(\s*(?:50|100)%|circle\(\s*0")
_COMPOUND = re.compile(r"[^\s>+~]+$")
_BY_ID = re.compile(r"#([\w-]+)")
_BY_CLASS = re.compile(r"\.([\w-]+)")
_BY_TAG = re.compile(r"[a-zA-Z][\w-]*")
_FAR: Final = 500
"""Pixels beside the page."""

Styles = Mapping[str, str]
"""Property -> value, in lower case."""


def hidden_by_styles(soup: BeautifulSoup) -> list[Tag]:
    """Return the elements that the page's own styles hide, in document order."""
    tags = all_tags(soup)
    shown = _verdicts(tags, _sheets(soup))
    for tag in tags:
        inline = attribute(tag, "style")
        if inline:
            for what, hides in _hides(_declarations(inline)).items():
                shown[id(tag)][what] = hides
    return [
        tag for tag in tags if any(shown[id(tag)].values()) and tag.name not in {"html", "body"}
    ]


@dataclass(frozen=True, slots=True)
class _Rule:
    """One selector, and what it hides or shows: property -> whether it hides."""

    selector: str
    hides: Mapping[str, bool]

    @property
    def rank(self) -> tuple[int, int, int]:
        """Who wins over whom: ids, classes, names."""
        text = self.selector
        return (
            text.count("#"),
            text.count(".") + text.count("[") + text.count(":"),
            len(re.findall(r"(?:^|[\s>+~])[a-z]", text)),
        )


def _verdicts(tags: Sequence[Tag], css: str) -> dict[int, dict[str, bool]]:
    """Return for each element, by its `id()`, what the rules of a sheet say in the end."""
    shown: dict[int, dict[str, bool]] = defaultdict(dict)
    rules = sorted(_rules(css), key=lambda rule: rule.rank)  # stable: the later one wins
    if not rules:
        return shown
    index = _index(tags)
    looks = 0
    for rule in rules:
        candidates = index.get(_key(rule.selector), ())
        looks += len(candidates)
        if looks > _MOST_LOOKS:
            break
        try:
            matcher = soupsieve.compile(rule.selector)
            for tag in candidates:
                if matcher.match(tag):
                    shown[id(tag)].update(rule.hides)
        except (soupsieve.SelectorSyntaxError, NotImplementedError, ValueError):
            continue  # a selector of tomorrow
    return shown


def _index(tags: Sequence[Tag]) -> Mapping[str, Sequence[Tag]]:
    index: dict[str, list[Tag]] = defaultdict(list)
    for tag in tags:
        for key in {f"#{attribute(tag, 'id')}", *(f".{c}" for c in classes(tag)), tag.name, "*"}:
            index[key].append(tag)
    return index


def _key(selector: str) -> str:
    """Return where to look for what a selector may mean: by id, else class, else name."""
    found = _COMPOUND.search(selector)
    compound = found[0].partition(":")[0].partition("[")[0] if found else ""
    if match := _BY_ID.search(compound):
        return f"#{match[1]}"
    if match := _BY_CLASS.search(compound):
        return f".{match[1]}"
    match = _BY_TAG.match(compound)
    return match[0].lower() if match else "*"


def _sheets(soup: BeautifulSoup) -> str:
    sheets = [
        style.string or ""
        for style in soup.find_all("style")
        if style.find_parent("noscript") is None and _applies(attribute(style, "media"))
    ]
    return _COMMENT.sub(" ", "\n".join(sheets)[:_LONGEST])


def _rules(css: str) -> Iterator[_Rule]:
    """Yield the rules that hide or show, as far as they apply to a screen."""
    active = [True]
    start = 0
    for brace in _BRACE.finditer(css):
        before, start = css[start : brace.start()].strip(), brace.end()
        before = before.rpartition(";")[2].strip() if brace[0] == "{" else before
        if brace[0] == "{" and before.startswith("@"):
            name, _, condition = before.partition(" ")
            active.append(active[-1] and _opens(name, condition))
        elif brace[0] == "{":
            end = css.find("}", start)
            hides = _hides(_declarations(css[start : end if end >= 0 else None]))
            active.append(False)  # what is nested in a rule is not read
            if hides and active[-2] and "::" not in before and len(before) <= _LONGEST_SELECTOR:
                yield from (_Rule(part.strip(), hides) for part in _parts(before))
        elif len(active) > 1:
            active.pop()


def _parts(selectors: str) -> list[str]:
    return [selectors] if "(" in selectors else selectors.split(",")


def _opens(name: str, condition: str) -> bool:
    return _applies(condition) if name == "@media" else name in {"@layer", "@supports"}


def _applies(media: str) -> bool:
    """Tell whether a media query holds on a screen of the usual width."""
    return not media.strip() or any(_holds(part) for part in media.lower().split(","))


def _holds(query: str) -> bool:
    features = _FEATURE.findall(query)
    kind = _FEATURE.sub("", query).replace("only", "").replace("and", "").split()
    if any(word not in {"screen", "all"} for word in kind):
        return False
    for bound, number, unit in features:
        try:
            width = float(number) * (1 if unit == "px" else 16)
        except ValueError:
            return False
        if (width > _SCREEN) == (bound == "min"):
            return False
    return True


def _declarations(text: str) -> Styles:
    """Return what a style says; of two with one name, the later."""
    found: dict[str, str] = {}
    for part in text.lower().split(";"):
        name, colon, value = part.partition(":")
        if colon:
            found[name.strip()] = value.replace("!important", "").strip()
    return found


def _hides(styles: Styles) -> dict[str, bool]:
    """Return for each property that may hide whether it does."""
    verdicts = {}
    if "display" in styles:
        verdicts["display"] = styles["display"] == "none"
    if "visibility" in styles:
        verdicts["visibility"] = styles["visibility"] in {"hidden", "collapse"}
    if "opacity" in styles:
        # With these it is a text that fades in.
        moves = {"transition", "animation", "animation-name", "transform"} & styles.keys()
        verdicts["opacity"] = not moves and (_pixels(styles["opacity"]) or 0) < 0.05  # noqa: PLR2004 - a share of 1
    if "content-visibility" in styles:
        verdicts["content-visibility"] = styles["content-visibility"] == "hidden"
    if _is_tiny(styles) or _is_elsewhere(styles) or _is_like_its_ground(styles):
        verdicts["place"] = True
    return verdicts


def _is_tiny(styles: Styles) -> bool:
    size = _pixels(styles.get("font-size", ""))
    if size is not None and size <= 1:
        return True
    if "scale(0)" in styles.get("transform", ""):
        return True
    sides = [_pixels(styles.get(side, "")) for side in ("width", "height", "max-height")]
    cut = styles.get("overflow", "").startswith(("hidden", "clip"))
    return cut and any(side is not None and side <= 1 for side in sides)


def _is_elsewhere(styles: Styles) -> bool:
    places = [
        styles.get(name, "") for name in ("left", "right", "top", "text-indent", "margin-left")
    ]
    far = any((_pixels(place) or 0) <= -_FAR for place in places)
    return far or _CLIPPED.search(styles.get("clip", "") + styles.get("clip-path", "")) is not None


def _is_like_its_ground(styles: Styles) -> bool:
    colour = styles.get("color", "")
    ground = styles.get("background-color") or styles.get("background", "")
    if any(
        "text" in styles.get(name, "") for name in ("background-clip", "-webkit-background-clip")
    ):
        return False  # the ground shows through the letters
    return colour == "transparent" or (colour != "" and colour == ground)


def _pixels(value: str) -> float | None:
    """Return a length in about pixels, or None."""
    found = _LENGTH.match(value)
    if found is None:
        return None
    try:
        return float(found[1]) * (16 if found[2] in {"em", "rem"} else 1)
    except ValueError:
        return None
