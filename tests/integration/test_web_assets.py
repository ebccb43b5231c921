"""The page's own files: nothing is fetched from elsewhere, nothing is taken for something else."""

import hashlib
import re
import subprocess
import sys

import pytest
from fake_services import FakeServices
from web_client import app, client

from personal_context.web.assets import FOLDER, TYPES
from personal_context.web.templating import templates_dir

# htmx.org 4.0.1, dist/htmx.min.js and LICENSE of the npm package, unchanged.
VENDORED = {
    "htmx.min.js": "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130",
    "htmx.LICENSE.txt": "d3d2456f76414f2456104660ebd65aff1c04cd7966b942bdabd63f3cdb316a38",
}


@pytest.fixture
async def web():
    async with client(app(FakeServices())) as web:
        yield web


@pytest.mark.parametrize(("name", "digest"), VENDORED.items())
def test_vendored_files_are_what_was_published(name, digest):
    assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == digest


def test_every_file_is_listed_and_every_listed_file_is_there():
    assert {path.name for path in FOLDER.iterdir()} == set(TYPES)


@pytest.mark.parametrize(("name", "media_type"), TYPES.items())
async def test_files_have_their_type(web, name, media_type):
    answer = await web.get(f"/static/{name}")

    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == media_type
    assert answer.content == (FOLDER / name).read_bytes()


async def test_an_unchanged_file_is_not_sent_twice(web):
    first = await web.get("/static/app.css")
    again = await web.get("/static/app.css", headers={"If-None-Match": first.headers["ETag"]})
    other = await web.get("/static/app.css", headers={"If-None-Match": '"old"'})

    assert (again.status_code, again.content) == (304, b"")
    assert other.status_code == 200


@pytest.mark.parametrize(
    "name",
    ["nothing.css", "..%2f__init__.py", "../assets.py", "%2e%2e/assets.py", "app.css%00", ""],
)
async def test_no_other_file_is_served(web, name):
    assert (await web.get(f"/static/{name}")).status_code == 404


async def test_browsers_find_their_icon(web):
    answer = await web.get("/favicon.ico")

    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "image/svg+xml"


@pytest.mark.parametrize("path", sorted(templates_dir().glob("*.html")), ids=lambda p: p.name)
def test_templates_load_nothing_from_elsewhere(path):
    text = path.read_text("utf-8")

    assert not re.search(r"""(?:src|href|action)=["']?(?:https?:)?//""", text)
    assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|\|\s*safe\b", text)
    assert "hx-on" not in text
    assert "js:" not in text


@pytest.mark.parametrize("name", ["app.css", "document.css", "views.css"])
def test_a_sheet_loads_nothing_and_stays_small(name):
    sheet = (FOLDER / name).read_text("utf-8")

    assert "url(" not in sheet
    assert "@import" not in sheet
    assert len(sheet.splitlines()) <= 300


def test_templates_cost_nothing_until_a_page_is_shown():
    code = "import sys, personal_context.web.routes; sys.exit('jinja2' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
