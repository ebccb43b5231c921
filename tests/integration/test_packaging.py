"""What is published says what is so: manifests, image, services."""

import configparser
import importlib.util
import json
import re
import zipfile
from pathlib import Path

import jsonschema
import pytest
import yaml

from personal_context.config import PREFIX, Settings

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
SCHEMAS = ROOT / "tests" / "schemas"
SETTINGS = {PREFIX + name.upper() for name in Settings.model_fields}


def read(name):
    return (PACKAGING / name).read_text("utf-8")


def schema(name):
    return json.loads((SCHEMAS / name).read_text("utf-8"))


@pytest.fixture(scope="module")
def build():
    spec = importlib.util.spec_from_file_location("packaging_build", PACKAGING / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def bundle(build, tmp_path_factory):
    file = tmp_path_factory.mktemp("bundle") / "personal-context.mcpb"
    build.build_bundle(file, "1.2.3")
    with zipfile.ZipFile(file) as opened:
        yield opened


def test_the_bundles_manifest_is_what_clients_read(bundle):
    manifest = json.loads(bundle.read("manifest.json"))
    jsonschema.validate(manifest, schema("mcpb-manifest-v0.4.json"))
    assert manifest["version"] == "1.2.3"
    asked = set(manifest["user_config"])
    given = manifest["server"]["mcp_config"]["env"]
    assert set(given) <= SETTINGS
    assert {
        re.fullmatch(r"\$\{user_config\.(\w+)\}", value)[1] for value in given.values()
    } == asked
    assert manifest["user_config"]["outline_api_key"]["sensitive"] is True


def test_what_a_person_leaves_empty_in_the_client_is_no_setting(bundle):
    manifest = json.loads(bundle.read("manifest.json"))
    assert {one["default"] for one in manifest["user_config"].values()} == {""}


def test_the_bundle_has_all_that_uv_needs_and_nothing_private(bundle):
    names = set(bundle.namelist())
    assert {"main.py", "uv.lock", "pyproject.toml", "models/minilm/pyproject.toml"} <= names
    assert {f"templates/{path.name}" for path in (ROOT / "templates").iterdir()} <= names
    sources = {str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("*.sql")}
    assert sources
    assert sources <= names
    assert not [name for name in names if ".env" in name or ".git" in name or ".pyc" in name]
    assert 'fallback-version = "1.2.3"' in bundle.read("pyproject.toml").decode()


@pytest.mark.parametrize(
    ("version", "semantic"),
    [
        ("1.2.3", "1.2.3"),
        ("1.2", "1.2.0"),
        ("0.0.0.post166.dev0+d0fd2d1", "0.0.0-post166.dev0"),
        ("1.2.3.4", "1.2.3-4"),
    ],
)
def test_versions_of_python_become_semantic_ones(build, version, semantic):
    assert build.semantic(version) == semantic


def test_the_registrys_entry_keeps_its_rules(build):
    entry = build.registry_entry("1.2.3")
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert len(entry["description"]) <= 100
    assert entry["version"] == "1.2.3"
    (package,) = entry["packages"]
    assert (package["registryType"], package["version"]) == ("pypi", "1.2.3")
    assert package["transport"] == {"type": "stdio"}
    variables = {one["name"]: one for one in package["environmentVariables"]}
    assert set(variables) <= SETTINGS
    assert [name for name, one in variables.items() if one.get("isSecret")] == [
        f"{PREFIX}OUTLINE_API_KEY"
    ]
    # Who publishes to PyPI proves it by this line.
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text("utf-8")


def test_the_compose_file_is_one():
    compose = yaml.safe_load(read("compose.yaml"))
    jsonschema.validate(compose, schema("compose-spec.json"), jsonschema.Draft7Validator)
    services = compose["services"]
    assert {"outline", "postgres", "redis", "personal-context"} <= set(services)
    ours = services["personal-context"]
    assert (ours["read_only"], ours["cap_drop"]) == (True, ["ALL"])
    assert (PACKAGING / ours["build"]["context"] / ours["build"]["dockerfile"]).is_file()
    assert {name for name in ours["environment"] if name.startswith(PREFIX)} <= SETTINGS
    published = [port for one in services.values() for port in one.get("ports", [])]
    assert all(port.startswith("127.0.0.1:") for port in published)
    assert all(":" in one["image"] for one in services.values() if "image" in one)
    dex = yaml.safe_load(compose["configs"]["dex"]["content"].replace("$$", "$"))
    assert (
        dex["staticClients"][0]["secret"]
        == services["outline"]["environment"]["OIDC_CLIENT_SECRET"]
    )


def test_the_image_runs_as_nobody_special():
    dockerfile = read("Dockerfile")
    stage = dockerfile.split("FROM ")[-1]
    assert re.search(r"^USER 10001$", stage, re.MULTILINE)
    assert "HEALTHCHECK" in stage
    assert "/livez" in stage
    assert set(re.findall(rf"\b({PREFIX}\w+)=", dockerfile)) <= SETTINGS
    assert "**/.env" in (ROOT / ".dockerignore").read_text("utf-8").splitlines()


def test_the_service_is_locked_in():
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read_string(read("personal-context.service"))
    service = unit["Service"]
    assert service["DynamicUser"] == service["NoNewPrivileges"] == "yes"
    assert service["ProtectSystem"] == "strict"
    assert service["CapabilityBoundingSet"] == ""
    assert f"{PREFIX}DB_PATH" in service["Environment"]
    assert "context.db" in service["Environment"]
