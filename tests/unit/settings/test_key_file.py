"""The key that processes on one folder share."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gossamer.settings.key_file import KEY_BYTES, shared_key

LIMITED = """
import os, resource, signal, sys
from pathlib import Path
from gossamer.settings.key_file import shared_key
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
try:
    shared_key(Path(sys.argv[1]))
except OSError:
    os._exit(9)  # at once: who measures what runs here could not write that down
"""


def test_the_key_is_made_once_and_lies_there_alone_for_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "data" / "cursor.key"
    key = shared_key(path)
    assert len(key) == KEY_BYTES
    assert shared_key(path) == key
    assert [it.name for it in path.parent.iterdir()] == [path.name]


@pytest.mark.skipif(os.name != "posix", reason="needs limits of POSIX")
def test_a_disk_that_takes_nothing_leaves_no_draft_behind(tmp_path: Path) -> None:
    path = tmp_path / "data" / "cursor.key"
    done = subprocess.run([sys.executable, "-c", LIMITED, str(path)], check=False)
    assert done.returncode == 9
    assert list(path.parent.iterdir()) == []
    assert len(shared_key(path)) == KEY_BYTES
