"""What `status` prints of every odd state."""

from dataclasses import replace
from datetime import timedelta

from builders import content_id
from fake_services import NOW, local_status, status
from rich.console import Console

from personal_context.cli.status import status_text
from personal_context.domain.models import (
    CollectionId,
    Health,
    PassProgress,
    SyncFailure,
    SyncStatus,
    WebhookState,
    WebhookStatus,
)


def printed(shown):
    console = Console(width=200, no_color=True)
    with console.capture() as captured:
        console.print(status_text(shown, NOW))
    return captured.get()


def test_each_collection_has_its_line():
    text = printed(status())

    assert "Operations │ 912       │ up to date" in text
    assert "3 minutes ago │ in 2 minutes" in text
    assert "Research" in text
    assert "not synced yet" in text
    assert "Product: Outline answered 403: the key lost its access to this collection." in text


def test_what_is_wrong_is_told_with_what_to_do_and_when_it_is_tried_again():
    [first, *_] = status().collections
    failure = SyncFailure(
        content_id(1), CollectionId("c1"), "Odd", "It can't be read.", 3, NOW + timedelta(hours=2)
    )
    ill = replace(
        first,
        status=SyncStatus.ERROR,
        health=Health.ERROR,
        error_message="Outline is down.",
        next_try_at=NOW + timedelta(minutes=4),
        way_out="Do this.",
        failing=[failure],
    )

    text = printed(status(collections=[ill]))

    assert "Operations: Outline is down." in text
    assert "tried again in 4 minutes" in text
    assert "Operations: Do this." in text
    assert "Operations: 1 document failing" in text
    assert "Odd: It can't be read. (in 2 hours)" in text


def test_a_pass_that_runs_tells_how_far_it_is():
    [first, *_] = status().collections
    progress = PassProgress(CollectionId("c1"), "Operations", 50, 200, 10.0, 15.0)

    text = printed(status(collections=[replace(first, progress=progress)]))

    assert "Operations: 50 of 200 documents · 10 per second · about 15 s left" in text


def test_the_webhook_is_told_with_why_it_is_off():
    off = WebhookStatus(
        WebhookState.SWITCHED_OFF,
        last_delivery_at=NOW - timedelta(hours=3),
        problem="Most deliveries failed.",
    )

    text = printed(status(webhook=off))

    assert "Webhook: Outline has switched the webhook off. It last did 3 hours ago." in text
    assert "Most deliveries failed." in text
    assert "Webhook" not in printed(local_status())


def test_a_mirror_that_nobody_keeps_fresh_says_so():
    assert "personal-context serve" in printed(status(clock_runs=False))
    assert "Sync by itself is off." in printed(status(sync_enabled=False))
    assert "local mode" in printed(local_status())
