"""What is published is installed as users do, and works without the repository."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest
from processes import INITIALIZE

ROOT = Path(__file__).parents[2]
UV = shutil.which("uv")

pytestmark = [
    pytest.mark.skipif(UV is None, reason="uv is not here"),
    pytest.mark.timeout(300),
]


def uv(*arguments, **more):
    return subprocess.run(
        [UV, *map(str, arguments)], check=True, capture_output=True, text=True, **more
    ).stdout


def clean():
    """The environment without what makes Python find this repository."""
    unwanted = ("VIRTUAL_ENV", "PYTHONPATH", "UV_PROJECT_ENVIRONMENT")
    return {name: value for name, value in os.environ.items() if name not in unwanted}


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packages")
    subprocess.run(
        [sys.executable, ROOT / "packaging" / "build.py", folder, "--version", "1.2.3"],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="module")
def installed(packages, tmp_path_factory):
    """A clean virtual environment with the wheels in it, and what they ask for."""
    place = tmp_path_factory.mktemp("installed")
    wanted = uv(
        *("export", "--frozen", "--no-dev", "--no-emit-workspace", "--no-hashes"),
        *("--project", ROOT, "--no-annotate"),
    )
    (place / "wanted.txt").write_text(wanted)
    uv("venv", "--python", sys.executable, place / "venv")
    python = place / "venv" / "bin" / "python"
    uv(
        *("pip", "install", "--python", python, "--no-config", "-r", place / "wanted.txt"),
        *packages.glob("*.whl"),
    )
    return place / "venv" / "bin" / "personal-context"


def test_the_installed_program_shows_its_demo_and_is_searched(installed, tmp_path):
    version = subprocess.run([installed, "version"], capture_output=True, text=True, check=True)
    assert version.stdout.strip() == "1.2.3"
    with subprocess.Popen(
        [installed, "demo", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=tmp_path,
        env=clean() | {"NO_COLOR": "1", "PYTHONUNBUFFERED": "1"},
    ) as demo:
        try:
            lines = iter(demo.stdout.readline, "")
            page = next(found[0] for line in lines if (found := re.search(r"Page +(\S+)", line)))
            page = page.split()[-1]
            html = urllib.request.urlopen(page, timeout=30).read().decode()
            assert "Reindex All Embeddings" in html
            query = f"{page}api/search?q=get+the+database+back+after+a+crash&limit=1"
            found = json.load(urllib.request.urlopen(query, timeout=30))
            assert "backup" in found["results"][0]["title"].lower()
            assert found["mode"] == "hybrid"
            style = re.search(r'href="([^"]+\.css)"', html)[1]
            assert urllib.request.urlopen(page.rstrip("/") + style, timeout=30).status == 200
        finally:
            demo.terminate()


def test_the_bundle_answers_a_client(packages, tmp_path):
    with zipfile.ZipFile(packages / "personal-context.mcpb") as bundle:
        bundle.extractall(tmp_path / "bundle")
    manifest = json.loads((tmp_path / "bundle" / "manifest.json").read_text())
    config = manifest["server"]["mcp_config"]
    arguments = [one.replace("${__dirname}", str(tmp_path / "bundle")) for one in config["args"]]
    empty = dict.fromkeys(config["env"], "")
    with subprocess.Popen(
        [config["command"], *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=tmp_path,
        env=clean()
        | empty
        | {
            "PERSONAL_CONTEXT_DB_PATH": str(tmp_path / "context.db"),
            "PERSONAL_CONTEXT_HTTP_PORT": "0",
            "UV_NO_COMPILE_BYTECODE": "1",
        },
    ) as server:
        try:
            server.stdin.write(json.dumps(INITIALIZE) + "\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
            assert answer["result"]["serverInfo"]["name"] == "personal-context"
            assert answer["result"]["serverInfo"]["version"] == "1.2.3"
        finally:
            server.stdin.close()
            server.wait(30)
