import pytest
from hypothesis import given, strategies as st
from upstream_builders import NOW, upstream

from personal_context.domain.models import (
    MirroredDocument,
    Placement,
    TreeNode,
)
from personal_context.domain.text import content_hash
from personal_context.sync.plan import (
    Kind,
    compare,
    judge,
    moved,
    placements,
    suspects,
    too_many_removals,
)


def mirrored(content_id="a", *, title="Cats", text="purr", updated_at=NOW, placement=None):
    return MirroredDocument(
        content_id, content_hash(title, text), updated_at, placement or Placement(None, 0), title
    )


@pytest.mark.parametrize(
    ("known", "document", "kind"),
    [
        (None, upstream(), Kind.CREATE),
        (mirrored(), upstream(), Kind.KEEP),
        (mirrored(), upstream(text="meow"), Kind.UPDATE),
        (mirrored(), upstream(title="Dogs"), Kind.RETITLE),
        (mirrored(), upstream(title="Dogs", text="woof"), Kind.UPDATE),
        (mirrored(), upstream(updated_at="2026-01-02T00:00:00.000Z"), Kind.UPDATE),
    ],
)
def test_a_listed_document_is_compared_by_text_and_time(known, document, kind):
    assert compare(known, document).kind is kind


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (None, Kind.FORGET),
        (upstream(deleted_at=NOW), Kind.TRASH),
        (upstream(deleted_at=NOW, archived_at=NOW), Kind.TRASH),
        (upstream(archived_at=NOW), Kind.ARCHIVE),
        (upstream(published_at=None), Kind.UNPUBLISH),
        (upstream(collection_id="elsewhere"), Kind.FORGET),
        (upstream(collection_id="also-mirrored"), Kind.MOVE),
        (upstream(), Kind.KEEP),
    ],
)
def test_a_document_that_left_the_tree_is_judged_by_what_info_says(document, kind):
    action = judge("a", document, here="here", mirrored_collections={"here", "also-mirrored"})

    assert action.kind is kind
    assert action.reason
    assert (action.document is not None) == (kind is Kind.MOVE)
    assert action.kind.removes == (kind not in {Kind.MOVE, Kind.KEEP})


def test_what_waits_in_the_local_trash_is_restored():
    assert compare(None, upstream(), trashed=True).kind is Kind.RESTORE


def test_suspects_are_what_list_and_tree_leave_open():
    found = suspects(mirrored={"a", "b", "c"}, listed={"c", "d"}, tree={"a", "d", "e"})

    assert found.missing == ("e",)
    assert found.gone == ("b",)  # c was listed a moment ago: it is there


@pytest.mark.parametrize(
    ("removals", "have", "stops"),
    [(10, 10, False), (11, 100, False), (30, 100, False), (31, 100, True), (11, 12, True)],
)
def test_many_removals_stop_the_pass(removals, have, stops):
    assert too_many_removals(removals, have) is stops


def test_a_tree_is_numbered_depth_first_and_a_repeated_id_keeps_its_first_place():
    tree = (TreeNode("a", "A", (TreeNode("b", "B"), TreeNode("c", "C"))), TreeNode("b", "B"))

    assert placements(tree) == {
        "a": Placement(None, 0),
        "b": Placement("a", 1),
        "c": Placement("a", 2),
    }


def test_a_very_deep_tree_is_no_problem():
    node = TreeNode("0", "")
    for depth in range(1, 5000):
        node = TreeNode(str(depth), "", (node,))

    assert len(placements([node])) == 5000


def test_only_what_a_person_moved_counts_as_moved():
    before = {
        "a": mirrored("a", placement=Placement(None, 0)),
        "b": mirrored("b", placement=Placement(None, 1)),
        "c": mirrored("c", placement=Placement(None, 2)),
    }
    with_a_new_one_on_top = {
        "new": Placement(None, 0),
        "a": Placement(None, 1),
        "b": Placement(None, 2),
        "c": Placement(None, 3),
    }

    assert moved(before, with_a_new_one_on_top) == frozenset()
    assert moved(before, with_a_new_one_on_top | {"c": Placement("a", 2)}) == {"c"}


IDS = st.sets(st.sampled_from("abcdefgh"))


@given(IDS, IDS, IDS)
def test_every_id_is_settled_or_asked_for(mirror, listed, tree):
    found = suspects(mirror, listed, tree)

    assert set(found.missing) == tree - mirror - listed
    assert set(found.gone) == mirror - tree - listed
    assert not set(found.missing) & set(found.gone)
