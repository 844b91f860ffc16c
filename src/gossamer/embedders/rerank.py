"""Cross-encoder reranking (the extra `rerank`): a model of the operator's scores each question and passage together."""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.errors import BadSettings, TimedOut
from gossamer.ports import Call

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MODULES = ("onnxruntime", "tokenizers")
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_MOST_TOKENS = 512
_BATCH = 4
_THREADS = 2


def missing() -> tuple[str, ...]:
    """The packages of the extra that are not there; nothing is loaded to know."""
    return tuple(name for name in MODULES if find_spec(name) is None)


@dataclass(frozen=True, slots=True)
class Files:
    """A model and its tokenizer."""

    model: Path
    tokenizer: Path

    @classmethod
    def at(cls, path: Path) -> "Files":
        """The files that a path stands for: an ONNX file, or a folder as models are published."""
        folder = path if path.is_dir() else path.parent
        models = [path] if path.is_file() else [folder / "model.onnx", folder / "onnx" / "model.onnx"]
        model = next((each for each in models if each.is_file()), None)
        tokenizer = next((each for each in (folder, folder.parent) if (each / "tokenizer.json").is_file()), None)
        if model is None or tokenizer is None:
            lacks = "a model in ONNX" if model is None else "tokenizer.json beside the model"
            raise BadSettings(
                f"embedding.rerank_model names {path}, where there is no {lacks}.",
                hint="Name an .onnx file whose folder holds tokenizer.json.",
            )
        return cls(model, tokenizer / "tokenizer.json")


def check(path: Path | None) -> None:
    """Refuse a model that is not there, or that nothing here can run."""
    if path is None:
        return
    Files.at(path)
    if lacks := missing():
        raise BadSettings(
            f"embedding.rerank_model is set, but {' and '.join(lacks)} is not installed.",
            hint="Install the extra: pip install 'gossamer[rerank]'.",
        )


class CrossEncoder:
    """`Reranker` over onnxruntime, in a thread of its own; loaded on first use."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="gossamer-rerank")
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None

    async def scores(self, question: str, texts: Sequence[str], call: Call) -> list[float]:
        """How well each text answers, 0 to 1; stops between batches when the call is over."""
        loop = asyncio.get_running_loop()
        scores: list[float] = []
        for done in range(0, len(texts), _BATCH):
            if call.cancelled.is_set() or call.remaining_s <= 0:
                raise TimedOut(
                    f"The time ended when {done} of {len(texts)} passages were compared.", hint="Allow more time."
                )
            pairs = [(question, text) for text in texts[done : done + _BATCH]]
            scores += await loop.run_in_executor(self._thread, self._work, pairs)
        return scores

    def _work(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        with self._lock:
            if self._loaded is None:
                check(self._path)
                self._loaded = _Loaded.of(Files.at(self._path))
        return self._loaded.scores(pairs)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A session and a tokenizer; both packages have no types of their own."""

    session: Any
    tokenizer: Any
    inputs: tuple[str, ...]

    @classmethod
    def of(cls, files: Files) -> "_Loaded":
        onnxruntime: Any = import_module("onnxruntime")
        tokenizers: Any = import_module("tokenizers")
        try:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = _THREADS
            session = onnxruntime.InferenceSession(
                str(files.model), sess_options=options, providers=["CPUExecutionProvider"]
            )
            tokenizer = tokenizers.Tokenizer.from_file(str(files.tokenizer))
        except Exception as error:  # whatever two foreign libraries meet in a foreign file
            raise _unusable(files.model, f"it cannot be loaded ({type(error).__name__})") from error
        tokenizer.enable_truncation(max_length=_MOST_TOKENS)
        tokenizer.enable_padding()
        inputs = tuple(entry.name for entry in session.get_inputs())
        if "input_ids" not in inputs or not set(inputs) <= set(_INPUTS):
            raise _unusable(files.model, f"it asks for {', '.join(inputs)}")
        return cls(session, tokenizer, inputs)

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        try:
            logits = self._logits(pairs)
        except Exception as error:  # whatever two foreign libraries meet in a foreign text
            raise BadSettings(
                f"The model of embedding.rerank_model cannot judge these passages ({type(error).__name__}).",
                hint="Name a cross-encoder with the tokenizer that it was made for.",
            ) from error
        return _shares(logits).tolist()

    def _logits(self, pairs: Sequence[tuple[str, str]]) -> "NDArray[np.float64]":
        import numpy as np

        encoded = self.tokenizer.encode_batch(list(pairs))
        given = {
            "input_ids": [each.ids for each in encoded],
            "attention_mask": [each.attention_mask for each in encoded],
            "token_type_ids": [each.type_ids for each in encoded],
        }
        feed = {name: np.array(given[name], dtype=np.int64) for name in self.inputs}
        logits = np.asarray(self.session.run(None, feed)[0], dtype=np.float64)
        return logits.reshape(len(pairs), -1)


def _shares(logits: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """One logit: how likely it is; two: how likely the second is."""
    import numpy as np

    if logits.shape[1] > 2 or not np.isfinite(logits).all():
        raise BadSettings(
            "The model of embedding.rerank_model gives no score for a question and a text.",
            hint="Name a cross-encoder: one that was trained to score pairs.",
        )
    gain = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
    return 1 / (1 + np.exp(-np.clip(gain, -60, 60)))


def _unusable(path: Path, why: str) -> BadSettings:
    return BadSettings(
        f"embedding.rerank_model names {path}, but {why}.", hint="Name a cross-encoder exported to ONNX."
    )
