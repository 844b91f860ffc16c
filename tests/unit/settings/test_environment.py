"""How many threads NumPy's products take."""

import os

import pytest

from gossamer.settings.environment import limit_blas_threads


@pytest.mark.parametrize(("before", "after"), [(None, "1"), ("4", "4")], ids=["nothing said", "the user's own"])
def test_products_take_one_thread_unless_the_user_says_otherwise(
    before: str | None, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if before:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", before)
    limit_blas_threads()
    assert os.environ["OPENBLAS_NUM_THREADS"] == after
