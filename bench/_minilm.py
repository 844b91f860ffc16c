"""What a small sentence transformer costs for the same page: `python -m bench._minilm FILE TOKENS..` prints CPU in ms.

The network is all-MiniLM-L6-v2's: 6 layers, 384 wide, 12 heads, 30,522 pieces, int8 by onnxruntime's own tools. Its
weights are random, because what a product of matrices costs does not depend on what is in them. `FILE` is an ONNX file
of the real one, or `-`. Each chunk is run alone, at its own length and on one thread, so that no padding is counted;
cutting its text into pieces is not counted either. For `bench.read`.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from bench._pages import Writer

from gossamer.steps.retrieval.chunk import chunk

LAYERS, WIDTH, HEADS, INNER, PIECES, PLACES = 6, 384, 12, 1536, 30_522, 512


class Network:
    """The graph, put together operator by operator."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(7)
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """An operator; the name of what it gives."""
        from onnx import helper

        name = f"{kind}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def weight(self, *shape: int) -> str:
        """Random numbers of the size that trained ones have."""
        return self.constant(self._random.normal(0, 0.05, shape).astype(np.float32))

    def constant(self, values: Any) -> str:
        """Values that are part of the graph."""
        from onnx import numpy_helper

        name = f"constant{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def dense(self, given: str, width_in: int, width_out: int) -> str:
        """A product with a matrix, and a bias."""
        return self.add("Add", self.add("MatMul", given, self.weight(width_in, width_out)), self.weight(width_out))

    def normal(self, given: str) -> str:
        """A layer's normalising."""
        return self.add("LayerNormalization", given, self.weight(WIDTH), self.weight(WIDTH), epsilon=1e-12)

    def attention(self, given: str) -> str:
        """Twelve heads that look at all places."""
        shape, back = self.constant(np.array([0, 0, HEADS, -1])), self.constant(np.array([0, 0, WIDTH]))
        asked, known, said = (self.add("Reshape", self.dense(given, WIDTH, WIDTH), shape) for _ in range(3))
        asked, said = (self.add("Transpose", each, perm=[0, 2, 1, 3]) for each in (asked, said))
        scores = self.add("MatMul", asked, self.add("Transpose", known, perm=[0, 2, 3, 1]))
        scaled = self.add("Mul", scores, self.constant(np.float32((WIDTH // HEADS) ** -0.5)))
        mixed = self.add("MatMul", self.add("Softmax", scaled, axis=-1), said)
        flat = self.add("Reshape", self.add("Transpose", mixed, perm=[0, 2, 1, 3]), back)
        return self.dense(flat, WIDTH, WIDTH)

    def whole(self) -> Any:
        """Pieces in, one vector for each text out."""
        from onnx import TensorProto, helper

        words = self.add("Gather", self.weight(PIECES, WIDTH), "pieces")
        state = self.normal(self.add("Add", words, self.add("Gather", self.weight(PLACES, WIDTH), "places")))
        for _ in range(LAYERS):
            state = self.normal(self.add("Add", state, self.attention(state)))
            inner = self.add("Gelu", self.dense(state, WIDTH, INNER))
            state = self.normal(self.add("Add", state, self.dense(inner, INNER, WIDTH)))
        mean = self.add("ReduceMean", state, self.constant(np.array([1])), keepdims=0)
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "length"]) for name in ("pieces", "places")
        ]
        outputs = [helper.make_tensor_value_info(mean, TensorProto.FLOAT, ["texts", WIDTH])]
        graph = helper.make_graph(self.nodes, "minilm", inputs, outputs, self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def made(folder: Path) -> Path:
    """The stand-in as an int8 file."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    whole, small = folder / "whole.onnx", folder / "int8.onnx"
    onnx.save(Network().whole(), whole)
    quantize_dynamic(whole, small, weight_type=QuantType.QInt8)
    return small


def spent_ms(session: Any, lengths: list[int]) -> float:
    """CPU of running texts of these many pieces, one after the other."""
    names = [each.name for each in session.get_inputs()]
    random = np.random.default_rng(5)
    texts = [random.integers(1000, PIECES, size=(1, length)) for length in lengths]

    def values(name: str, text: Any) -> Any:
        if name == "places":
            return np.arange(text.shape[1])[None]
        return {"attention_mask": np.ones_like(text), "token_type_ids": np.zeros_like(text)}.get(name, text)

    session.run(None, {name: values(name, texts[0]) for name in names})
    began = time.process_time()
    for text in texts:
        session.run(None, {name: values(name, text) for name in names})
    return (time.process_time() - began) * 1000


def main() -> None:
    """Print what the pages of the sizes named cost, as JSON."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    with tempfile.TemporaryDirectory() as folder:
        file = Path(sys.argv[1]) if sys.argv[1] != "-" else made(Path(folder))
        session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        writer = Writer()
        costs: list[float] = []
        for size in map(int, sys.argv[2:]):
            chunks = chunk("https://a.test/", writer.markdown(size, 77))
            costs.append(spent_ms(session, [min(PLACES, each.tokens + 2) for each in chunks]))
    print(json.dumps(costs))


if __name__ == "__main__":
    main()
