"""Embedders: turn texts into vectors, from tables in the package or a server of the operator's."""

from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.errors import BadSettings
from gossamer.ports import Reranker

if TYPE_CHECKING:
    from gossamer.embedders.local import LocalEmbedder


def check(*, server_url: str, model: str, rerank_model: Path | None) -> None:
    """Refuse a server without a model's name, under which vectors are stored, and a reranker that cannot be loaded."""
    if rerank_model:
        from gossamer.embedders.rerank import check

        check(rerank_model)
    if server_url and not model:
        raise BadSettings(
            "EMBEDDING_SERVER_URL names a server, but nothing says which model to ask for.",
            hint="Set EMBEDDING_MODEL_NAME to a model that it serves.",
        )


def local_embedder(*, multilingual: bool) -> "LocalEmbedder":
    """The packaged tables; the extra `multilingual`, where installed and enabled, compares texts across languages."""
    from gossamer.embedders.local import LocalEmbedder, Tables
    from gossamer.embedders.multilingual import MultilingualEmbedder, is_installed

    tables = Tables()
    if multilingual and is_installed():
        tables.multilingual = MultilingualEmbedder(tables)
    return LocalEmbedder(tables)


def cross_encoder(path: Path | None) -> Reranker | None:
    """The operator's reranker, if one is named; a broken model is reported at the first question."""
    if path is None:
        return None
    from gossamer.embedders.rerank import CrossEncoder

    return CrossEncoder(path)
