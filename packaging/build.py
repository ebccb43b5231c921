"""Make what is published: the wheels, the bundle for desktop clients, and the registry's entry.

    uv run packaging/build.py [--version 1.2.3] [--only bundle] [dist]

The version is the package's own unless given; it is written into the copies that are made here.
"""

import argparse
import json
import os
import re
import subprocess
import zipfile
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent

BUNDLED = ("uv.lock", "main.py", "README.md", "LICENSE")
FOLDERS = ("src", "templates", "models/minilm")
LEFT_OUT = {"__pycache__", ".DS_Store"}


def main() -> None:
    """Read the arguments and make everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default="dist", type=Path)
    parser.add_argument("--version", default=installed_version("personal-context"))
    parser.add_argument("--only", choices=["bundle", "registry", "wheels"])
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.only in {None, "wheels"}:
        build_wheels(given.folder, given.version)
    if given.only in {None, "bundle"}:
        build_bundle(given.folder / "personal-context.mcpb", given.version)
    if given.only in {None, "registry"}:
        write(given.folder / "server.json", registry_entry(given.version))


def build_wheels(folder: Path, version: str) -> None:
    """Build the wheels of the product and of the model on board."""
    env = {**os.environ, "UV_DYNAMIC_VERSIONING_BYPASS": version}
    command = ["uv", "build", "--all-packages", "--wheel", "--out-dir", str(folder.absolute())]
    subprocess.run(command, cwd=ROOT, env=env, check=True)


def build_bundle(file: Path, version: str) -> None:
    """Pack the sources for a client that has uv: it installs the locked dependencies itself."""
    manifest = read(HERE / "manifest.json") | {"version": semantic(version)}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("manifest.json", json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
        bundle.writestr("pyproject.toml", project(version))
        for path in bundled_files():
            bundle.write(path, path.relative_to(ROOT))


def bundled_files() -> list[Path]:
    """Return the files of the bundle, in order."""
    found = [ROOT / name for name in BUNDLED]
    for folder in FOLDERS:
        found += sorted(
            path
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and not LEFT_OUT & set(path.parts)
        )
    return found


def project(version: str) -> str:
    """Return pyproject.toml with a version that needs no git to be known."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    line = re.compile(r"^fallback-version = .*$", re.MULTILINE)
    return line.sub(f'fallback-version = "{version}"', text)


def registry_entry(version: str) -> dict[str, Any]:
    """Return the entry for the MCP registry."""
    entry = read(HERE / "server.json") | {"version": semantic(version)}
    for package in entry["packages"]:
        package["version"] = version
    return entry


def semantic(version: str) -> str:
    """Return a version of Python's as a semantic one: 1.2.3.post4.dev0+abc is 1.2.3-post4.dev0."""
    public = version.partition("+")[0].split(".")
    numbers = [part for part in public if part.isdecimal()][:3]
    rest = public[len(numbers) :]
    return ".".join([*numbers, "0", "0"][:3]) + (f"-{'.'.join(rest)}" if rest else "")


def read(path: Path) -> dict[str, Any]:
    """Return a JSON object."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def write(path: Path, value: object) -> None:
    """Write JSON as people read it."""
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
