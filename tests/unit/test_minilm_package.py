"""The model's files are the published ones, and its page says so."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

import personal_context_minilm as minilm

PACKAGE = Path(__file__).parents[2] / "models/minilm"


@pytest.mark.parametrize(
    ("path", "published"),
    [
        (minilm.model_path(), minilm.MODEL_SHA256),
        (minilm.tokenizer_path(), minilm.TOKENIZER_SHA256),
    ],
)
def test_the_files_have_the_published_checksums(path, published):
    assert hashlib.sha256(path.read_bytes()).hexdigest() == published
    assert published in (PACKAGE / "README.md").read_text()


def test_the_conversion_is_held_to_the_same_checksum():
    assert minilm.MODEL_SHA256 in (PACKAGE / "convert.py").read_text()


def test_importing_it_loads_no_runtime():
    code = (
        "import sys, personal_context_minilm; "
        "sys.exit(bool({'numpy', 'onnxruntime', 'tokenizers'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
