"""Both sides at one document in a moment that matters, as values that shrink."""

from dataclasses import dataclass

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


numbers = st.integers(0, 3)
_deeds = st.one_of(
    changes,
    changes,
    st.builds(
        Deed, st.sampled_from(["add", "delete", "retitle", "tag"]), numbers, numbers, numbers
    ),
)
_CHANGE = st.builds(Deed, st.just("change"), st.just(0), numbers, numbers)
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


def _asked(names: tuple[str, ...]) -> st.SearchStrategy[tuple[Deed, ...]]:
    return st.tuples(*(_CHANGE if name == "change" else st.just(Deed(name)) for name in names))


_edits = st.sampled_from(["below", "above", "text", "touch", "title", "below", "trash", "child"])

collisions = st.builds(
    Collision,
    _deeds,
    st.builds(Edit, _edits),
    st.sampled_from(["lost", "look", "before", "meanwhile", "down", "crash"]),
    st.sampled_from(_AFTERS).flatmap(_asked),
    st.integers(1, 60),
)
