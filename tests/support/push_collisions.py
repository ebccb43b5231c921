"""Both sides at one document in a moment that matters, as values that shrink."""

from dataclasses import dataclass, replace
from functools import partial

from hypothesis import strategies as st
from mishaps import TO_THE_END, Crash, Trouble
from push_deeds import Deed, changes
from pushed_wiki import Edit


@dataclass(frozen=True)
class Collision:
    """Somebody here and somebody there change one document; then somebody here goes on.

    Attributes:
        deed: What is asked for here.
        edit: What people do in Outline.
        when: They do it `before`, unseen by the mirror; between the `look` and what is told;
            `meanwhile`, with another change here; or after what was told got `lost` on its way
            back, never left since Outline was `down`, or died with the process in a `crash`.
        then: What is asked for after that, in this order; `pass` is one.
        at: Where the crash is.
    """

    deed: Deed
    edit: Edit
    when: str
    then: tuple[Deed, ...]
    at: int = 1

    @property
    def mishap(self) -> Trouble | Crash | None:
        """What befalls the deed."""
        match self.when:
            case "lost":
                return Trouble("late timeout", times=TO_THE_END)
            case "down":
                return Trouble("refuse", times=TO_THE_END)
            case "crash":
                return Crash(self.at)
        return None


WAYS = ("replace", "append", "prepend", "patch")
"""How a text is changed, see Deed.way."""

SHARP = (
    ("replace", "below", "look"),
    ("replace", "text", "before"),
    ("replace", "above", "meanwhile"),
    ("append", "below", "lost"),
    ("append", "text", "look"),
    ("append", "above", "meanwhile"),
    ("prepend", "above", "lost"),
    ("patch", "below", "lost"),
    ("patch", "text", "look"),
    ("retitle", "title", "look"),
    ("retitle", "title", "before"),
    ("delete", "below", "look"),
    ("delete", "text", "before"),
    ("delete", "child", "before"),
    ("add", "text", "lost"),
    ("add", "below", "lost"),
    ("add", "touch", "crash"),
)
"""What is asked for here, what people do, and when: where two of them would meet at random once in
a thousand steps, and an outbox can fail."""

_AFTERS = (
    ("drain",),
    ("change",),
    ("change", "drain"),
    ("delete", "restore"),
    ("delete",),
    ("discard", "change", "pass"),
    ("discard", "offer", "change", "drain"),
    ("pass", "drain"),
)
_EDITS = ("below", "above", "text", "touch", "title", "below", "trash", "child")
_WHENS = ("lost", "look", "before", "meanwhile", "down", "crash")

numbers = st.integers(0, 3)
_change = st.builds(Deed, st.just("change"), st.just(0), numbers, numbers)


def _asked(names: tuple[str, ...]) -> st.SearchStrategy[tuple[Deed, ...]]:
    return st.tuples(*(_change if name == "change" else st.just(Deed(name)) for name in names))


def _sharp(what: str, edit: str, when: str) -> st.SearchStrategy[Collision]:
    deed = Deed("change", way=WAYS.index(what)) if what in WAYS else Deed(what)
    picked = st.builds(partial(replace, deed), pick=numbers, form=numbers)
    return st.builds(Collision, picked, st.just(Edit(edit)), st.just(when), _afters, _crashes)


_afters = st.sampled_from(_AFTERS).flatmap(_asked)
_crashes = st.integers(1, 60)
_others = st.sampled_from(["add", "delete", "retitle", "tag"])
_free = st.builds(
    Collision,
    st.one_of(changes, st.builds(Deed, _others, numbers, numbers, numbers)),
    st.builds(Edit, st.sampled_from(_EDITS)),
    st.sampled_from(_WHENS),
    _afters,
    _crashes,
)
collisions = st.one_of(st.sampled_from(SHARP).flatmap(lambda one: _sharp(*one)), _free)
