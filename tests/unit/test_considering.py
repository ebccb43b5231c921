"""What is stored of what was given."""

import pytest
from builders import NOW

from personal_context.content.checks import NewContent
from personal_context.content.considering import considered
from personal_context.content.exporting import as_markdown
from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import Content, ContentId, SourceType

FRONT = "---\ntitle: From the front\ntags: [a, '#b']\nowner: Ada\n---\n\n# Heading\n\nText"
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def consider(text, *, redact=False, **more):
    return considered(NewContent(text, **more), redact=redact)


def test_front_matter_gives_what_was_not_given():
    found = consider(FRONT)

    assert (found.title, found.tags, found.text) == (
        "From the front",
        ("a", "b"),
        "# Heading\n\nText",
    )
    assert found.metadata == {"owner": "Ada"}


def test_what_was_given_wins_and_nothing_of_the_front_matter_is_lost():
    found = consider(FRONT, title="Mine", tags=["c"], metadata={"owner": "Bob", "x": 1})

    assert (found.title, found.tags) == ("Mine", ("c",))
    assert found.metadata == {
        "title": "From the front",
        "tags": ["a", "#b"],
        "owner": "Bob",
        "x": 1,
    }


@pytest.mark.parametrize(
    ("tags", "read"),
    [
        ("x", ("x",)),
        ("one two", ("one", "two")),
        ("on call, ops", ("on call", "ops")),
        ("[2026, x, x, '']", ("2026", "x")),
        ("{a: 1}", ()),
        ("[[a]]", ()),
        ("", ()),
    ],
)
def test_tags_are_read_as_people_write_them(tags, read):
    assert consider(f"---\ntags: {tags}\n---\nText", title="T").tags == read


def test_tags_that_are_none_stay_in_the_metadata():
    assert consider("---\ntags: {a: 1}\n---\nText", title="T").metadata == {"tags": {"a": 1}}


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Intro\n\n# Real title #\n\nText", "Real title"),
        ("# C#\n", "C#"),
        ("#\tTab\r\nText", "Tab"),
        ("```\n# a comment\n```\n\n# Title\n", "Title"),
        ("#\n# \n# #\n# Said\n", "Said"),
        ("#hashtag\n", "file"),
        ("## Second level\n", "file"),
    ],
)
def test_the_first_heading_is_the_title_else_what_the_file_is_called(text, title):
    assert consider(text, fallback_title="file").title == title


def test_a_text_without_any_title_is_refused():
    with pytest.raises(InvalidInput, match="no title") as error:
        consider("Text", title="  ")
    assert "front matter" in str(error.value)


def test_a_front_matter_alone_is_no_content():
    with pytest.raises(InvalidInput, match="empty"):
        consider("---\ntitle: x\n---\n")


def test_front_matter_that_cannot_be_read_is_told_and_kept():
    found = consider("---\ntitle: a: b\n---\nText", title="T")

    assert found.text == "---\ntitle: a: b\n---\nText"
    assert "line 2" in found.problem


def test_secrets_are_told_by_the_lines_that_were_given():
    found = consider(
        f"---\nowner: Ada\n---\n\nUse {TOKEN}",
        title=f"About {TOKEN}",
        source_url="https://ada:hunter2@wiki.internal/",
        metadata={"password": "hunter2"},
        tags=[TOKEN],
    )

    assert [(secret.kind, secret.where, secret.line) for secret in found.secrets] == [
        ("GitHub token", "content", 5),
        ("GitHub token", "title", 1),
        ("GitHub token", "tags", 1),
        ("password in an address", "source_url", 1),
        ("password", "metadata 'password'", 1),
    ]
    assert TOKEN in found.text


def test_redacted_nothing_of_a_secret_is_stored():
    found = consider(
        f"---\ntoken: {TOKEN}\npassword: hunter2\n---\n\nUse {TOKEN}",
        title=f"About {TOKEN}",
        source_url="https://ada:hunter2@wiki.internal/",
        metadata={"deep": [{"password": "hunter2"}]},
        tags=[TOKEN],
        redact=True,
    )

    assert len(found.secrets) == 7
    stored = repr((found.title, found.text, found.tags, found.source_url, found.metadata))
    assert TOKEN not in stored
    assert "hunter2" not in stored
    assert found.problem is None
    assert found.metadata["token"] == "(redacted GitHub token)"
    assert found.source_url == "https://ada:REDACTED@wiki.internal/"


def test_what_is_exported_and_added_again_is_the_same():
    found = consider(FRONT, metadata={"when": "2026-03-01", "n": [1, {"x": None}]})
    content = Content(
        id=ContentId("x"),
        source_type=SourceType.NOTE,
        title=found.title,
        text=found.text,
        readable=found.text,
        created_at=NOW,
        updated_at=NOW,
        metadata=found.metadata,
        tags=found.tags,
    )

    file = as_markdown(content)
    again = consider(file)

    assert file.startswith("---\ntitle: From the front\ntags:\n  - a\n  - b\nowner: Ada\nwhen: 20")
    assert again == found
