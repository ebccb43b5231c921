"""A browser, and the page before it."""

import shutil

import pytest
from fake_services import FakeServices
from page_server import DESK, LOGIN, served

READY = """() => !document.querySelector("#search")
    || document.querySelector("#search[data-htmx-powered]")"""
"""Whether htmx listens where there is something to listen to."""


@pytest.fixture(scope="module")
def browser():
    playwright_api = pytest.importorskip("playwright.sync_api", reason="playwright is missing")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no chromium on the PATH")
    switches = (
        "no-sandbox disable-gpu disable-quic no-first-run disable-background-networking "
        "disable-component-update disable-sync"
    )
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=[f"--{switch}" for switch in switches.split()]
        )
        yield browser
        browser.close()


@pytest.fixture
def services():
    return FakeServices()


@pytest.fixture
def url(services):
    with served(services) as url:
        yield url


@pytest.fixture
def complaints():
    """What the pages of a test complained of; in the end it is empty."""
    return []


@pytest.fixture
def visit(browser, url, complaints):
    """Open pages that are closed before their server is."""
    contexts = []

    def visit(address, **options):
        context = browser.new_context(
            http_credentials=LOGIN, **{"viewport": DESK, "locale": "en-GB", **options}
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.goto(address)
        if options.get("java_script_enabled", True):
            # Keys that arrive before htmx listens would be typed in vain.
            page.wait_for_function(READY)
        return page

    yield visit
    for context in contexts:
        context.close()
    assert complaints == []
