"""A product whose documents can be read, for the page: long ones, linked ones, hostile ones."""

from datetime import timedelta

from fake_services import NOW, FakeBrowsing, FakeServices

from personal_context.config import load_settings
from personal_context.content.reading import ReadContent
from personal_context.domain.errors import ContentNotFound
from personal_context.domain.models import (
    Content,
    ContentId,
    ContentSummary,
    LogEntry,
    Neighbour,
    PushState,
    SourceType,
    Surroundings,
)
from personal_context.runtime.effective import effective_settings
from personal_context.runtime.launching import Launch
from personal_context.search.browsing import History, HistoryLine

FIRST = ContentId("5d2b7c1e-0b57-4c51-9a3e-1c5a4a1d2f10")  # what search finds
LONG = ContentId("5d2b7c1e-0b57-4c51-9a3e-1c5a4a1d2f11")
BAD = ContentId("5d2b7c1e-0b57-4c51-9a3e-1c5a4a1d2f12")
OTHER = ContentId("5d2b7c1e-0b57-4c51-9a3e-1c5a4a1d2f13")

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\u202e"
RESTORING = """\
For the worst day: the data is lost on the primary **and** on the standby. If only one machine
died, [promote the standby](/doc/promote-a1B2c3D4e5) instead.

## Before you start

- [x] Level 1 declared, deputy awake
- [ ] Writers stopped: `ballast stop lantern`

## Restore

Stop the writers, copy the newest backup over the data folder, start one writer.

```sh
sudo -u postgres pgbackrest --stanza=kaimond --type=time --target="2026-01-02 06:14:59+02" restore
```

| Step | Takes | Who |
| --- | ---: | :---: |
| Fetch the backup | 40 min | on call |
| Replay | 25 min | on call |

> A backup that was never restored is a hope.

## Tell people

See [the severity levels](https://wiki.example/doc/severity-zzzzzzzzzz) and ![a plan](https://x.example/plan.png).
"""
HOSTILE_TEXT = f"""\
# {EVIL}

{EVIL} [js](javascript:alert(3)) <svg onload=alert(4)></svg>
![d](data:image/png;base64,iVBORw0KGgo=)

<p style="position:fixed;inset:0">covers everything</p>

<iframe src="https://evil.example"></iframe>
<form action="https://evil.example"><input name=q></form>

|{"|".join(f" column {n} " for n in range(60))}|
|{"|".join("---" for _ in range(60))}|
|{"|".join(" x " for _ in range(60))}|

{"W" * 400}

```
{"code " * 100}
```
"""
TEXTS = {
    FIRST: ("Restoring the database", RESTORING),
    LONG: ("Long", "\n\n".join(f"## Chapter {n}\n\n{'Many words. ' * 60}" for n in range(1500))),
    BAD: (EVIL + "W" * 200, HOSTILE_TEXT),
    OTHER: ("Promote the standby", "Two minutes, and nothing is lost."),
}


def document(content_id: ContentId) -> ReadContent:
    title, text = TEXTS[content_id]
    url = "https://wiki.example/doc/restoring-the-database-a1B2c3D4e5"
    content = Content(
        id=content_id,
        source_type=SourceType.OUTLINE,
        title=title,
        text=text,
        readable=text,
        created_at=NOW - timedelta(days=400),
        updated_at=NOW - timedelta(days=3),
        outline_url=url,
        revision=7,
        tags=("runbook",),
        metadata={"owner": EVIL} if content_id == BAD else {"owner": "Ada"},
    )
    summary = ContentSummary(
        content_id,
        title,
        SourceType.OUTLINE,
        url,
        ("runbook",),
        ("Operations",),
        content.updated_at,
    )
    return ReadContent(content, summary, PushState.SYNCED)


class FakeContents:
    async def get(self, reference: str) -> ReadContent:
        if reference not in TEXTS:
            raise ContentNotFound("There is no such content.")
        return document(ContentId(reference))

    async def around(self, content_id: ContentId) -> Surroundings:
        evil = content_id == BAD
        return Surroundings(
            collection=EVIL if evil else "Operations",
            above=[Neighbour(LONG, EVIL if evil else "Runbooks")],
            below=[Neighbour(OTHER, "Promote the standby")],
            linked_from=[Neighbour(OTHER, EVIL if evil else "The WAL fills up", f"see {EVIL}")],
            links={"a1B2c3D4e5": OTHER},
        )


class LoggedBrowsing(FakeBrowsing):
    """Has 120 lines, of which the first names a hostile document."""

    async def history(self, *, before=None, limit=50, operation=None, **_):
        last = 120 if before is None else before
        lines = [
            HistoryLine(
                LogEntry(
                    operation or ("update" if number % 3 else "trash"),
                    content_id=BAD if number == 120 else FIRST,
                    details=f"line {number} {EVIL if number == 120 else ''}",
                    created_at=NOW - timedelta(hours=120 - number),
                    actor="Ada",
                ),
                EVIL if number == 120 else "Restoring the database" if number % 3 else None,
            )
            for number in range(last, max(0, last - limit), -1)
        ]
        return History(lines, last - limit if last > limit else None)


class ReadingServices(FakeServices):
    def __post_init__(self):
        super().__post_init__()
        self.contents = FakeContents()
        self.browsing = LoggedBrowsing(self.search)

    def effective_settings(self):
        return effective_settings(
            load_settings(_env_file=None, embedding_api_key="sk-verysecret"), environment=()
        )

    def launch(self):
        return Launch("/usr/bin/uv", ("--directory", "/srv/personal-context", "run", "main.py"))
