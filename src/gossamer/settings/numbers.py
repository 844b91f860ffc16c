"""How many threads NumPy's products take."""

import os


def spare_threads() -> None:
    """Let every product run in the thread that asks for it, unless the user has said otherwise; before NumPy is loaded.

    The products of a page are small: a second thread shortens none of them, and spins for milliseconds after each,
    which makes reading a page again cost three times as much.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
