"""A real, tiny cross-encoder: it adds a number for every word of the passage."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gossamer.embedders import rerank
from gossamer.embedders.rerank import CrossEncoder, Files
from gossamer.errors import BadSettings, TimedOut
from gossamer.ports import Call
from tests.unit.engine.world import SetClock

LACKS = [name for name in ("onnxruntime", "tokenizers", "onnx") if importlib.util.find_spec(name) is None]
needs_runtime = pytest.mark.skipif(bool(LACKS), reason=f"not installed: {', '.join(LACKS)}")

WORTH = {"[PAD]": 0.0, "[UNK]": 0.0, "glacier": 3.0, "founded": 1.0, "boring": -4.0}


def tokenizer(path: Path, *more: str) -> None:
    import tokenizers
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing

    made = tokenizers.Tokenizer(WordLevel({word: n for n, word in enumerate([*WORTH, *more])}, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()
    made.post_processor = TemplateProcessing(single="$A", pair="$A:0 $B:1", special_tokens=[])
    made.save(str(path / "tokenizer.json"))


def model(path: Path, *, outputs: int = 1, inputs: tuple[str, ...] = rerank._INPUTS, bias: float = 0.0) -> None:
    """The sum over a passage's words (those of type 1 that are no padding) of what each is worth, and a bias."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    worth = np.array([[value] for value in WORTH.values()], dtype=np.float32)
    last = np.array([[1.0]] if outputs == 1 else [[0.0] * (outputs - 1) + [1.0]], dtype=np.float32)
    constants = {"worth": worth, "last": last, "bias": np.array(bias, np.float32), "axes": np.array([1], np.int64)}
    nodes = [
        helper.make_node("Gather", ["worth", "input_ids"], ["each"]),
        helper.make_node("Squeeze", ["each", "minus"], ["flat"]),
        helper.make_node("Cast", ["token_type_ids"], ["type"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["flat", "type"], ["typed"]),
        helper.make_node("Mul", ["typed", "mask"], ["masked"]),
        helper.make_node("ReduceSum", ["masked", "axes"], ["sum"], keepdims=1),
        helper.make_node("Add", ["sum", "bias"], ["biased"]),
        helper.make_node("MatMul", ["biased", "last"], ["logits"]),
    ]
    constants["minus"] = np.array([2], np.int64)
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"]) for name in inputs],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", outputs])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made)
    onnx.save(made, str(path / "model.onnx"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tokenizer(tmp_path)
    model(tmp_path)
    return tmp_path


@pytest.fixture
def call() -> Call:
    return Call(clock=SetClock())


@needs_runtime
@pytest.mark.parametrize("name", ["", "model.onnx"], ids=["the folder", "the file"])
async def test_passages_are_scored_together_with_their_question(folder: Path, name: str, call: Call):
    texts = ["a glacier founded", "boring", "", "founded", *["nothing"] * 9, "glacier glacier"]
    scores = await CrossEncoder(folder / name).scores("glacier boring boring", texts, call)
    assert len(scores) == len(texts)
    assert all(0 <= score <= 1 for score in scores)
    order = sorted(range(len(texts)), key=lambda number: -scores[number])
    assert order[:3] == [13, 0, 3]
    assert order[-1] == 1
    assert scores[2] == pytest.approx(0.5)


@needs_runtime
async def test_two_outputs_are_no_and_yes(folder: Path, call: Call):
    model(folder, outputs=2)
    one, other = await CrossEncoder(folder).scores("q", ["founded", "boring"], call)
    assert one == pytest.approx(0.731, abs=0.001)
    assert other < 0.1


@needs_runtime
async def test_nothing_to_judge_loads_nothing(tmp_path: Path, call: Call):
    assert await CrossEncoder(tmp_path).scores("q", [], call) == []


@needs_runtime
async def test_a_call_out_of_time_stops_the_work(folder: Path):
    clock = SetClock()
    with pytest.raises(TimedOut, match="0 of 1"):
        await CrossEncoder(folder).scores("q", ["x"], Call(clock=clock, deadline=clock.monotonic()))


UNUSABLE: dict[str, Callable[[Path], Any]] = {
    "no model": lambda folder: (folder / "model.onnx").write_bytes(b"not a model"),
    "no tokenizer": lambda folder: (folder / "tokenizer.json").write_text("{}"),
    "too many outputs": lambda folder: model(folder, outputs=3),
    "words that the model does not know": lambda folder: tokenizer(folder, "x"),
    "not a number": lambda folder: model(folder, bias=float("nan")),
}


@needs_runtime
@pytest.mark.parametrize("spoil", UNUSABLE.values(), ids=UNUSABLE)
async def test_a_model_that_cannot_judge_is_told(spoil: Callable[[Path], Any], folder: Path, call: Call):
    spoil(folder)
    with pytest.raises(BadSettings, match="rerank_model"):
        await CrossEncoder(folder).scores("q", ["x"], call)


@needs_runtime
async def test_a_model_that_asks_for_something_else_is_told(folder: Path, call: Call):
    model(folder, inputs=(*rerank._INPUTS, "pixels"))
    with pytest.raises(BadSettings, match="pixels"):
        await CrossEncoder(folder).scores("q", ["x"], call)


@needs_runtime
async def test_a_passage_without_end_is_cut(folder: Path, call: Call):
    (score,) = await CrossEncoder(folder).scores("q", ["nothing " * 2_000 + "glacier"], call)
    assert score == pytest.approx(0.5)


def test_the_files_are_found_as_models_are_published(tmp_path: Path):
    (tmp_path / "onnx").mkdir()
    for name in ("tokenizer.json", "onnx/model.onnx", "onnx/other.onnx"):
        (tmp_path / name).touch()
    expected = Files(tmp_path / "onnx" / "model.onnx", tmp_path / "tokenizer.json")
    assert Files.at(tmp_path) == expected
    assert Files.at(tmp_path / "onnx" / "model.onnx") == expected
    assert Files.at(tmp_path / "onnx" / "other.onnx").model.name == "other.onnx"


@pytest.mark.parametrize("made", [(), ("model.onnx",), ("tokenizer.json",)], ids=["nothing", "a model", "a tokenizer"])
def test_a_path_without_both_files_is_told(made: tuple[str, ...], tmp_path: Path):
    for name in made:
        (tmp_path / name).touch()
    with pytest.raises(BadSettings, match=r"where there is no"):
        Files.at(tmp_path)


def test_no_model_is_no_trouble():
    rerank.check(None)


@pytest.mark.skipif(not rerank.missing(), reason="the extra is installed")
def test_a_model_without_the_extra_is_told(tmp_path: Path):
    for name in ("tokenizer.json", "model.onnx"):
        (tmp_path / name).touch()
    with pytest.raises(BadSettings, match=r"gossamer\[rerank\]"):
        rerank.check(tmp_path)
