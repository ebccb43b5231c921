# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "numpy==2.4.6",
#   "onnx==1.23.2",
#   "onnxruntime==1.31.1",
#   "safetensors==0.8.0",
# ]
# ///
"""Make `model.onnx` from the public weights of all-MiniLM-L6-v2, byte for byte.

    uv run models/minilm/convert.py model.safetensors model.onnx

The network (a six-layer BERT encoder, Devlin et al. 2018) is written down with onnx.helper alone,
so that no deep-learning framework is needed, then its weights are quantised to int8. With the
pinned versions above the result has the published checksum; the script compares it and exits with
1 when it differs. It also measures how far the int8 vectors are from the fp32 ones.
"""

import argparse
import hashlib
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import InferenceSession
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MODEL_SHA256 = "12908524cb94f9977111ae91882d26c89e25bc69e72bd56274f9d2751694c102"

HIDDEN, HEADS, HEAD_WIDTH, LAYERS, VOCABULARY = 384, 12, 32, 6, 30522
OPSET, IR_VERSION = 17, 9

Weights = dict[str, NDArray[Any]]


class Graph:
    """An ONNX graph in the making. Names count up: they are a part of the file's bytes."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, value: NDArray[Any], name: str) -> str:
        """Add a constant and return its name."""
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def integers(self, values: int | list[int], name: str) -> str:
        """Add int64 shape or axis values."""
        return self.constant(np.array(values, np.int64), name)

    def number(self, value: float, name: str) -> str:
        """Add a float32 scalar."""
        return self.constant(np.array(value, np.float32), name)

    def weight(self, key: str) -> NDArray[np.float32]:
        """Return a weight of the checkpoint as float32."""
        return self.weights[key].astype(np.float32)

    def node(self, kind: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:  # noqa: ANN401 - ONNX attributes are of many types
        """Add a node and return the name of its output."""
        number = len(self.nodes) + 1
        name = output or f"t{number}"
        self.nodes.append(helper.make_node(kind, inputs, [name], f"n{number}", **attributes))
        return name

    def linear(self, x: str, key: str) -> str:
        """Add x @ W.T + b."""
        product = self.node("MatMul", x, self.constant(self.weight(f"{key}.weight").T, f"{key}.wT"))
        return self.node("Add", product, self.constant(self.weight(f"{key}.bias"), f"{key}.bias"))

    def layer_norm(self, x: str, key: str) -> str:
        """Add a layer normalisation over the last axis."""
        scale = self.constant(self.weight(f"{key}.weight"), f"{key}.w")
        bias = self.constant(self.weight(f"{key}.bias"), f"{key}.b")
        return self.node("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-12)


def embeddings(graph: Graph) -> str:
    """Add word, position and token-type embeddings; positions count the unmasked tokens."""
    words = graph.constant(graph.weight("embeddings.word_embeddings.weight"), "we")
    positions = graph.constant(graph.weight("embeddings.position_embeddings.weight"), "pe")
    types = graph.constant(graph.weight("embeddings.token_type_embeddings.weight")[0], "te")
    x = graph.node("Gather", words, "input_ids")
    one = graph.integers(1, "i1")
    counted = graph.node("CumSum", "attention_mask", one)
    position = graph.node("Gather", positions, graph.node("Sub", counted, one))
    x = graph.node("Add", x, position)
    x = graph.node("Add", x, types)
    return graph.layer_norm(x, "embeddings.LayerNorm")


def mask_bias(graph: Graph) -> str:
    """Add the term that keeps attention off the padding: 0 or -10000, [batch, 1, 1, tokens]."""
    mask = graph.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    mask = graph.node("Unsqueeze", mask, graph.integers([1, 2], "ax12"))
    padding = graph.node("Sub", graph.number(1, "f1"), mask)
    return graph.node("Mul", padding, graph.number(-10000.0, "fneg"))


def attention(graph: Graph, x: str, bias: str, key: str) -> str:
    """Add multi-head self-attention with its residual: softmax(q k / sqrt(32) + bias) v."""
    parts = ("query", "key", "value")
    q, k, v = (
        graph.node("Reshape", graph.linear(x, f"{key}.attention.self.{part}"), "sh1")
        for part in parts
    )
    q = graph.node("Transpose", q, perm=[0, 2, 1, 3])
    k = graph.node("Transpose", k, perm=[0, 2, 3, 1])
    v = graph.node("Transpose", v, perm=[0, 2, 1, 3])
    scores = graph.node("Mul", graph.node("MatMul", q, k), "sc")
    scores = graph.node("Softmax", graph.node("Add", scores, bias), axis=-1)
    mixed = graph.node("Transpose", graph.node("MatMul", scores, v), perm=[0, 2, 1, 3])
    mixed = graph.node("Reshape", mixed, "sh2")
    mixed = graph.node("Add", graph.linear(mixed, f"{key}.attention.output.dense"), x)
    return graph.layer_norm(mixed, f"{key}.attention.output.LayerNorm")


def feed_forward(graph: Graph, x: str, layer: int, key: str) -> str:
    """Add the feed-forward part with its residual; GELU is f (1 + erf(f / sqrt 2)) / 2."""
    f = graph.linear(x, f"{key}.intermediate.dense")
    scaled = graph.node("Div", f, graph.number(np.sqrt(2), f"s2_{layer}"))
    gate = graph.node("Add", graph.node("Erf", scaled), "f1")
    f = graph.node("Mul", graph.node("Mul", f, gate), graph.number(0.5, f"hf_{layer}"))
    x = graph.node("Add", graph.linear(f, f"{key}.output.dense"), x)
    return graph.layer_norm(x, f"{key}.output.LayerNorm")


def build(weights: Weights) -> onnx.ModelProto:
    """Write the encoder down as an ONNX model in fp32."""
    graph = Graph(weights)
    x = embeddings(graph)
    bias = mask_bias(graph)
    graph.integers([0, 0, HEADS, HEAD_WIDTH], "sh1")
    graph.integers([0, 0, HIDDEN], "sh2")
    graph.number(1 / np.sqrt(HEAD_WIDTH), "sc")
    for layer in range(LAYERS):
        key = f"encoder.layer.{layer}"
        x = feed_forward(graph, attention(graph, x, bias, key), layer, key)
    graph.node("Identity", x, output="last_hidden_state")
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "s"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info(
        "last_hidden_state", TensorProto.FLOAT, ["b", "s", HIDDEN]
    )
    model = helper.make_model(
        helper.make_graph(graph.nodes, "minilm", inputs, [output], graph.constants),
        opset_imports=[helper.make_opsetid("", OPSET)],
    )
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    return model


def sentence_vectors(model: Path, token_ids: NDArray[np.int64]) -> NDArray[np.float32]:
    """Embed rows of tokens without padding: mean over the tokens, unit length."""
    session = InferenceSession(model, providers=["CPUExecutionProvider"])
    inputs = {"input_ids": token_ids, "attention_mask": np.ones_like(token_ids)}
    means = session.run(["last_hidden_state"], inputs)[0].mean(axis=1)
    vectors: NDArray[np.float32] = means / np.linalg.norm(means, axis=1, keepdims=True)
    return vectors


def smallest_cosine(one: Path, other: Path) -> float:
    """Compare two models on 32 rows of random words: the worst cosine of their vectors."""
    token_ids = np.random.default_rng(0).integers(1996, VOCABULARY, (32, 48))
    token_ids[:, 0], token_ids[:, -1] = 101, 102  # [CLS] and [SEP]
    pairs = sentence_vectors(one, token_ids) * sentence_vectors(other, token_ids)
    return float(pairs.sum(axis=1).min())


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(arguments: Sequence[str] | None = None) -> int:
    """Convert, compare, report; 0 if the result is the published file."""
    parser = argparse.ArgumentParser(description="Make model.onnx from the public weights.")
    parser.add_argument("weights", type=Path, help="model.safetensors of all-MiniLM-L6-v2")
    parser.add_argument("output", type=Path, help="where the int8 ONNX file goes")
    options = parser.parse_args(arguments)
    if sha256(options.weights) != WEIGHTS_SHA256:
        parser.error(f"{options.weights} is not the published all-MiniLM-L6-v2 checkpoint")
    with tempfile.TemporaryDirectory() as folder:
        fp32 = Path(folder, "fp32.onnx")
        onnx.save(build(load_file(options.weights)), fp32)
        quantize_dynamic(fp32, options.output, weight_type=QuantType.QInt8, per_channel=True)
        cosine = smallest_cosine(fp32, options.output)
    made = sha256(options.output)
    verdict = "as published" if made == MODEL_SHA256 else f"NOT the published {MODEL_SHA256}"
    sys.stdout.write(f"{options.output}: sha256 {made}, {verdict}\n")
    sys.stdout.write(f"smallest cosine to fp32: {cosine:.4f}\n")
    return 0 if made == MODEL_SHA256 else 1


if __name__ == "__main__":
    sys.exit(main())
