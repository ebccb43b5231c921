"""What the sandbox must hold before each recorded request, by the recording's file name."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from personal_context.upstream.sandbox.app import Sandbox
from personal_context.upstream.sandbox.models import Attachment

KEY = "ol_api_capture0000000000000000000000000000000"
NARROW = "ol_api_narrow00000000000000000000000000000000"
ENGINEERING = "7cfcdc82-b04b-4abb-b43a-e4ddff3f10ec"
PRODUCT = "826f4ada-7db1-475b-8d99-1c9cc6a6ae2f"
FILL = "57e626b2-b8a4-48e8-b931-0f40253031b1"
TEMP = "68330f58-f1fe-428f-ae36-612ca94fa1cc"
RELEASED = "ca89abb5-dcba-4c84-94c9-f7b0e0facb37"
RUNBOOK = "367fb35c-72ee-44ed-8f43-704a39b42824"
CHILD = "ac9b477a-35b3-4239-b034-555c11de37ba"
SCRATCH = "abbec81b-1a1c-4ce9-b518-9158d540cf65"
TRASHED = "be10bc36-181d-4acd-9050-30a59b67978b"
CLUSTER = "d939926f-0544-4b0f-8495-fb9629ecbfa8"
DOC_2 = "9f608486-7fb5-4a58-bda9-b5e750443ec5"

NOT_REPLAYED = {
    "events.list.json": "events.list is not implemented",
    "events.list_audit.json": "events.list is not implemented",
    "revisions.list.json": "revisions.list is not implemented",
    "markdown_roundtrip.json": "no request; see test_sandbox_markdown.py",
    "mcp.initialize.json": "Outline's own MCP is not implemented",
    "mcp.list_documents_query.json": "Outline's own MCP is not implemented",
    "mcp.tools_list.json": "Outline's own MCP is not implemented",
    "webhook.revisions.create.json": "revisions are not implemented",
}


def empty(sandbox: Sandbox) -> None:
    engineering = sandbox.collections.create(
        "Engineering", id=ENGINEERING, url_id="87XhqXd4kR", description="Eng docs"
    )
    sandbox.collections.create("Product", id=PRODUCT, permission="read")
    sandbox.collections.create("Fill", id=FILL)
    assert engineering.live


def drafted(sandbox: Sandbox) -> None:
    empty(sandbox)
    sandbox.documents.create("Draft page", "draft", collection_id=ENGINEERING, publish=False)
    sandbox.documents.create("Draft page no collection", "draft text", publish=False)


def tree(sandbox: Sandbox) -> None:
    empty(sandbox)
    sandbox.documents.create(
        "Runbook: deploy",
        "Deploy a [link](https://example.com).\n\nReplaced by ![a](data:image/png;base64,aaaa)",
        collection_id=ENGINEERING,
        id=RUNBOOK,
        url_id="c9GMRW8P1H",
        icon="🚀",
    )
    sandbox.documents.create("Child page", "child text", parent_id=RUNBOOK, id=CHILD)


def tree_and_drafts(sandbox: Sandbox) -> None:
    tree(sandbox)
    sandbox.documents.create("Draft page", "draft", collection_id=ENGINEERING, publish=False)
    sandbox.documents.create("Draft page no collection", "draft text", publish=False)


def child_edited_later(sandbox: Sandbox) -> None:
    tree(sandbox)
    clock: Any = sandbox.services.world.clock
    clock.now = datetime(2026, 11, 21, 7, 4, 22, tzinfo=UTC)
    sandbox.documents.edit(CHILD, text="New")


def archived(sandbox: Sandbox) -> None:
    tree(sandbox)
    sandbox.documents.archive(RUNBOOK)


def trashed(sandbox: Sandbox) -> None:
    tree(sandbox)
    sandbox.documents.trash(RUNBOOK)


def replaced(sandbox: Sandbox) -> None:
    tree(sandbox)
    sandbox.documents.edit(RUNBOOK, title="Runbook: deploy v2", text="Replaced body")


def backdated(sandbox: Sandbox) -> None:
    tree(sandbox)
    sandbox.documents.create("Backdated", "x", collection_id=ENGINEERING)
    sandbox.documents.move(CHILD, parent_id=RUNBOOK)


def client_id(sandbox: Sandbox) -> None:
    empty(sandbox)
    key = "11111111-1111-4111-8111-111111111111"
    sandbox.documents.create("client id", collection_id=ENGINEERING, id=key)


def scratch(sandbox: Sandbox) -> None:
    empty(sandbox)
    sandbox.documents.create("Scratch", collection_id=ENGINEERING, id=SCRATCH)


def scratch_trashed(sandbox: Sandbox) -> None:
    scratch(sandbox)
    sandbox.documents.trash(SCRATCH)


def other_trashed(sandbox: Sandbox) -> None:
    empty(sandbox)
    sandbox.documents.create("Gone", collection_id=ENGINEERING, id=TRASHED)
    sandbox.documents.trash(TRASHED)


def cluster(sandbox: Sandbox) -> None:
    empty(sandbox)
    sandbox.documents.create("Cluster", collection_id=ENGINEERING, id=CLUSTER)
    for number in range(6):
        sandbox.documents.create(f"Index {number}", "- [x] a\n- [ ] b", parent_id=CLUSTER)


def temp(sandbox: Sandbox) -> None:
    empty(sandbox)
    sandbox.collections.create("Temp", id=TEMP)


def temp_deleted(sandbox: Sandbox) -> None:
    temp(sandbox)
    sandbox.collections.delete(TEMP)


def two_collections(sandbox: Sandbox) -> None:
    sandbox.collections.create("Engineering", id=ENGINEERING, description="Eng docs")
    sandbox.collections.create("Product", id=PRODUCT, permission="read")


def released(sandbox: Sandbox) -> None:
    sandbox.collections.create("Lab", id=RELEASED)
    for number, key in enumerate((None, None, DOC_2)):
        sandbox.documents.create(f"Doc {number}", "x", collection_id=RELEASED, id=key)


def released_empty(sandbox: Sandbox) -> None:
    sandbox.collections.create("Lab", id=RELEASED)


def hooked(sandbox: Sandbox) -> None:
    by = sandbox.services.world.person
    sandbox.webhooks.subscribe("gw", "http://127.0.0.1:3199/hook", ["*"], secret="s", by=by)


def narrow(*scopes: str) -> Callable[[Sandbox], None]:
    def prepare(sandbox: Sandbox) -> None:
        tree(sandbox)
        sandbox.people.add_key(KEY, scopes=scopes)

    return prepare


def attached(sandbox: Sandbox) -> None:
    row = Attachment("5f004f0d-4ae6-43e7-8afd-d7313180489c", "image/png", b"png")
    sandbox.services.world.state.insert(row)


NEEDS: dict[str, Callable[[Sandbox], None]] = {
    "attachments.redirect.json": attached,
    "auth.info.json": empty,
    "collections.archive.json": temp,
    "collections.delete.json": temp,
    "collections.documents.json": tree,
    "collections.info.json": empty,
    "collections.list.json": two_collections,
    "documents.archive.json": tree,
    "documents.archived.json": archived,
    "documents.create.json": empty,
    "documents.create_backdated.json": empty,
    "documents.create_child.json": tree,
    "documents.create_client_id.json": empty,
    "documents.create_client_id_again.json": client_id,
    "documents.create_draft.json": empty,
    "documents.create_draft_nocoll.json": empty,
    "documents.create_same_id.json": tree,
    "documents.delete.json": tree,
    "documents.delete_permanent.json": scratch_trashed,
    "documents.delete_permanent_not_trashed.json": scratch,
    "documents.deleted.json": trashed,
    "documents.deleted_filter.json": empty,
    "documents.drafts.json": drafted,
    "documents.export.json": tree,
    "documents.info.json": tree,
    "documents.info_after_permanent.json": empty,
    "documents.info_apiv3.json": tree,
    "documents.info_by_slug.json": tree,
    "documents.info_by_urlid.json": tree,
    "documents.info_deleted.json": trashed,
    "documents.info_deleted_child.json": trashed,
    "documents.list.json": tree,
    "documents.list_after_archive.json": archived,
    "documents.list_after_delete.json": trashed,
    "documents.list_all.json": tree,
    "documents.list_apiv3.json": tree,
    "documents.list_filters_bad.json": tree,
    "documents.list_filters_drafts_and_archived.json": tree_and_drafts,
    "documents.list_filters_legacy_mix.json": tree,
    "documents.list_filters_updatedAt.json": child_edited_later,
    "documents.list_get_method.json": tree,
    "documents.list_limit1.json": tree,
    "documents.list_offset_past_end.json": tree,
    "documents.list_sort_index.json": backdated,
    "documents.list_statusFilter_archived.json": tree,
    "documents.list_statusFilter_draft.json": tree_and_drafts,
    "documents.list_unknown_param.json": tree,
    "documents.move.json": tree,
    "documents.move_with_children.json": cluster,
    "documents.restore.json": archived,
    "documents.search.json": tree,
    "documents.search_titles.json": tree,
    "documents.unpublish.json": tree,
    "documents.update.json": tree,
    "documents.update_409_conflict.json": tree,
    "documents.update_append.json": replaced,
    "documents.update_noop.json": replaced,
    "documents.update_patch.json": replaced,
    "documents.update_patch_notfound.json": replaced,
    "error_400_bad_json.json": empty,
    "error_400_create_publish_nocoll.json": empty,
    "error_400_icon.json": empty,
    "error_400_id_not_v4.json": empty,
    "error_400_info_noid.json": empty,
    "error_400_limit.json": empty,
    "error_400_sort.json": empty,
    "error_400_text_too_long.json": empty,
    "error_400_title_too_long.json": empty,
    "error_400_validation_uuid.json": empty,
    "error_401_bad_token.json": lambda sandbox: sandbox.people.revoke_key(KEY),
    "error_401_malformed_token.json": empty,
    "error_401_no_token.json": empty,
    "error_403_parent_missing.json": empty,
    "error_403_routescope.json": narrow("/api/documents.list"),
    "error_403_scope.json": narrow("read"),
    "error_404_collection_deleted.json": temp_deleted,
    "error_404_collection_info.json": empty,
    "error_404_collection_list.json": empty,
    "error_404_delete_again.json": other_trashed,
    "error_404_document.json": empty,
    "error_404_endpoint.json": empty,
    "error_429_default_limiter.json": tree,
    "error_429_documents_create.json": tree,
    "error_429_documents_export.json": tree,
    "error_429_documents_list.json": tree,
    "error_429_documents_search.json": tree,
    "error_update_deleted.json": other_trashed,
    "webhookSubscriptions.create.json": empty,
    "webhookSubscriptions.list.json": hooked,
    "v1.9.2/documents.create.json": released_empty,
    "v1.9.2/documents.list.json": released,
    "v1.9.2/documents.list_filters_ignored.json": released,
    "v1.9.2/documents.update_lastRevision_ignored.json": released,
    "v1.9.2/error_429.json": released,
}


def _in_collection(*steps: str) -> Callable[[Sandbox], None]:
    def act(sandbox: Sandbox) -> None:
        sandbox.collections.create("Temp", id=TEMP)
        for step in steps:
            getattr(sandbox.collections, step)(TEMP)

    return act


def _unpublish_child(sandbox: Sandbox) -> None:
    tree(sandbox)
    sandbox.documents.unpublish(CHILD)


def _with_runbook(*steps: str) -> Callable[[Sandbox], None]:
    def act(sandbox: Sandbox) -> None:
        sandbox.collections.create("Product", id=PRODUCT)
        home = sandbox.collections.create("Engineering", id=ENGINEERING).id
        sandbox.documents.create("Runbook", "text", collection_id=home, id=RUNBOOK, icon="📘")
        for step in steps:
            if step == "move":
                sandbox.documents.move(RUNBOOK, collection_id=PRODUCT)
            elif step == "edit":
                sandbox.documents.edit(RUNBOOK, title="New", text="New")
            else:
                getattr(sandbox.documents, step)(RUNBOOK)

    return act


EVENTS: dict[str, Callable[[Sandbox], None]] = {
    "webhook.collections.archive.json": _in_collection("archive"),
    "webhook.collections.create.json": _in_collection(),
    "webhook.collections.delete.json": _in_collection("delete"),
    "webhook.collections.restore.json": _in_collection("archive", "restore"),
    "webhook.documents.archive.json": _with_runbook("archive"),
    "webhook.documents.create.json": _with_runbook(),
    "webhook.documents.delete.json": _with_runbook("trash"),
    "webhook.documents.move.json": _with_runbook("move"),
    "webhook.documents.permanent_delete.json": _with_runbook("trash", "purge"),
    "webhook.documents.publish.json": _with_runbook(),
    "webhook.documents.restore.json": _with_runbook("trash", "restore"),
    "webhook.documents.title_change.json": _with_runbook("edit"),
    "webhook.documents.unarchive.json": _with_runbook("archive", "restore"),
    "webhook.documents.unpublish.json": _unpublish_child,
    "webhook.documents.update.json": _with_runbook("edit"),
}
