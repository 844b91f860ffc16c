"""Run any command on the demo's small web instead of the internet: no key, no network, nothing kept afterwards.

    python examples/demo_web.py python examples/answer.py "Where was the lost lens of the Candlecrag lighthouse found?"

The command gets an environment in which that web is the only one: its SearXNG answers every search, and the guard
lets pages of its loopback address pass. The examples themselves know nothing of it.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from gossamer.demo.web import MiniWeb


def main(command: list[str]) -> int:
    """Start the web, run the command in it, and return the command's exit code."""
    if not command:
        print((__doc__ or "").strip())
        return 2
    with MiniWeb() as web, tempfile.TemporaryDirectory(prefix="gossamer-example-") as folder:
        config = Path(folder) / "gossamer.toml"
        config.touch()  # an empty file, so that the user's own settings stay out
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GOSSAMER_")},
            "GOSSAMER_CONFIG": str(config),
            "DATA_DIR": folder,
            "SEARXNG_URL": web.url,
            "GOSSAMER_SEARCH__PROVIDERS": "searxng,library",
            "GOSSAMER_NET__ALLOW_PRIVATE": web.host,
        }
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
