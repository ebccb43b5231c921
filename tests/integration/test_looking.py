"""What a webhook's delivery costs, and what it brings: documents are looked at one by one."""

import pytest
from mirror_world import MovingClock
from product import opened_product
from spoiled import Spoiled

from personal_context.domain.models import SyncTrouble
from personal_context.sync.webhooks import Hint

INFO = "documents.info"
TREE = "collections.documents"


@pytest.fixture
async def product(tmp_path):
    wires, clock = [], MovingClock()

    def around(wire):
        wires.append(Spoiled(wire))
        return wires[0]

    async with opened_product(
        tmp_path,
        clock=clock,
        around=around,
        sync_collections=("Handbook", "Runbooks"),
        prompts_collection_id=None,
    ) as product:
        product.clock, product.changes = clock, wires[0].changes
        product.runbooks = product.sandbox.collections.create("Runbooks").id
        product.parent = product.write("Parent", "one")
        product.children = [below(product, f"Child {n}") for n in range(4)]
        product.other = product.write("Other", "one")
        for number in range(30):
            product.write(f"Document {number}", "one")
        await product.sync()
        product.clock.advance(minutes=5)
        yield product


def below(product, title):
    return product.sandbox.documents.create(title, "one", parent_id=product.parent, index=99).id


async def told(product, event, *keys):
    """Deliver events about documents as they are now; return the endpoints that it cost."""
    hints = {}
    for key in keys:
        document = product.sandbox.services.world.state.document(key)
        shown = document and document.published_at and not document.archived_at
        hints[key] = Hint(
            f"documents.{event}",
            document and document.collection_id,
            key,
            document and bool(shown and not document.deleted_at),
        )
    before = len(product.sandbox.requests)
    await product.runtime.sync.look(hints)
    return [request.endpoint for request in list(product.sandbox.requests)[before:]]


async def mirrored(product, collection=None):
    found = await product.runtime.store.in_collection(collection or product.handbook)
    return [(c.id, c.title, c.text, c.parent_id) for c in found]


async def shown(product, collection=None):
    rows, collection = [], collection or product.handbook
    stack = [(n, None) for n in reversed(await product.runtime.upstream.tree(collection))]
    while stack:
        node, parent = stack.pop()
        document = product.sandbox.documents.get(node.id)
        rows.append((node.id, document.title, document.text, parent))
        stack += [(child, node.id) for child in reversed(node.children)]
    return rows


async def same(product):
    for collection in (product.handbook, product.runbooks):
        assert await mirrored(product, collection) == await shown(product, collection)


async def test_an_edit_costs_one_request_and_the_document_stays_in_its_place(product):
    product.sandbox.documents.edit(product.children[2], title="Renamed", text="two")

    assert await told(product, "update", product.children[2]) == [INFO]
    await same(product)


async def test_a_draft_that_nobody_has_costs_nothing(product):
    draft = product.sandbox.documents.create(
        "Draft", "x", collection_id=product.handbook, publish=False
    ).id

    assert await told(product, "update", draft) == []
    product.sandbox.documents.publish(draft)
    assert await told(product, "publish", draft) == [INFO, TREE]
    await same(product)


async def test_what_is_elsewhere_costs_nothing(product):
    elsewhere = product.sandbox.collections.create("Not mirrored").id
    key = product.sandbox.documents.create("There", "x", collection_id=elsewhere).id

    assert await told(product, "update", key) == []


async def test_a_move_within_a_collection_costs_the_tree_once(product):
    product.sandbox.documents.move(product.other, collection_id=product.handbook, index=0)
    product.sandbox.documents.move(product.children[0], parent_id=product.other)

    cost = await told(product, "move", product.other, product.children[0])

    assert cost == [INFO, INFO, TREE]
    await same(product)


async def test_a_move_to_another_collection_takes_the_children_along(product):
    product.sandbox.documents.move(product.parent, collection_id=product.runbooks)

    cost = await told(product, "move", product.parent)

    assert cost == [INFO, TREE, *[INFO] * 4]
    await same(product)


async def test_where_many_moved_along_a_pass_is_run(product):
    for number in range(40):
        below(product, f"Grandchild {number}")
    await product.runtime.sync.poll()
    product.sandbox.documents.move(product.parent, collection_id=product.runbooks)

    cost = await told(product, "move", product.parent)

    assert cost == [INFO, TREE, TREE, "documents.list"]
    await same(product)


@pytest.mark.parametrize("departure", ["trash", "archive"])
@pytest.mark.parametrize("tree", ["fresh", "a copy"])
async def test_what_left_leaves_with_its_children(product, departure, tree):
    leaf = product.children[0]
    await product.runtime.sync.sync_now(full=True)
    old = await product.runtime.upstream.tree(product.handbook)
    getattr(product.sandbox.documents, departure)(product.parent if tree == "fresh" else leaf)
    if tree == "a copy":
        product.changes[TREE] = lambda _: [as_json(node) for node in old]

    key = product.parent if tree == "fresh" else leaf
    cost = await told(product, "delete", key)
    product.changes.clear()

    assert cost == [INFO, TREE, *([INFO] * 4 if tree == "fresh" else [])]
    await same(product)


def as_json(node):
    children = [as_json(child) for child in node.children]
    return {"id": node.id, "title": node.title, "url": "/doc/x", "children": children}


async def test_what_is_restored_comes_back(product):
    product.sandbox.documents.trash(product.other)
    await told(product, "delete", product.other)
    assert product.other not in [row[0] for row in await mirrored(product)]
    product.sandbox.documents.restore(product.other)

    assert await told(product, "restore", product.other) == [INFO, TREE]
    await same(product)
    assert await product.runtime.store.trashed(limit=9) == []


async def test_what_was_deleted_for_good_leaves_and_what_nobody_had_costs_nothing(product):
    product.sandbox.documents.trash(product.other)
    product.sandbox.documents.purge(product.other)

    cost = await told(product, "permanent_delete", product.other)

    assert cost == [INFO, TREE, "collections.info"]  # a 404 counts while the collection answers
    await same(product)
    assert await told(product, "permanent_delete", product.other) == []


async def test_what_moved_out_of_sight_leaves(product):
    elsewhere = product.sandbox.collections.create("Not mirrored").id
    product.sandbox.documents.move(product.other, collection_id=elsewhere)

    await told(product, "move", product.other)

    await same(product)


async def test_many_removals_wait_for_a_person_here_too(product):
    for number in range(16):
        below(product, f"Grandchild {number}")
    await product.runtime.sync.poll()
    before = len(await mirrored(product))
    product.sandbox.documents.trash(product.parent)

    await told(product, "delete", product.parent)

    state = await product.runtime.store.sync_state(product.handbook)
    assert (state.trouble, state.pending_removals) == (SyncTrouble.REMOVALS_HELD, 21)
    assert len(await mirrored(product)) == before


@pytest.mark.parametrize("fault", [403, 404])
async def test_an_outline_that_is_ill_takes_nothing_away(product, fault):
    before = await mirrored(product)
    product.sandbox.documents.trash(product.other)
    product.sandbox.faults.html("*", status=fault, times=99)

    await told(product, "delete", product.other)

    assert await mirrored(product) == before
    assert await product.runtime.store.failures() == []
    product.sandbox.faults.clear()
    product.clock.advance(minutes=20)
    await product.runtime.sync.poll()
    await same(product)


async def test_before_the_first_pass_has_ended_it_is_run(product):
    state = await product.runtime.store.sync_state(product.handbook)
    await product.runtime.store.forget_collection(product.handbook)
    assert state.finished_at
    product.sandbox.documents.edit(product.other, text="two")

    cost = await told(product, "update", product.other)

    assert "documents.list" in cost
    await same(product)
