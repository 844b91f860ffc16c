"""The number of BLAS threads: one, set before NumPy is loaded."""

import os


def limit_blas_threads() -> None:
    """Run each matrix product in its caller's thread, unless the user has set another number; call before NumPy loads.

    The products of a page are small: a second thread shortens none of them, and spins for milliseconds after each,
    which makes reading a page again cost three times as much.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
