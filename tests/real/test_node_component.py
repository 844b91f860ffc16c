"""The Node packages that tests run: locked, built once, and missing with a reason where the registry is away."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import components

PINS = components.ROOT / "tests" / "node"


def test_every_package_is_locked_by_its_contents_and_none_by_an_address() -> None:
    locked = json.loads((PINS / "package-lock.json").read_text())["packages"]
    packages = {name: package for name, package in locked.items() if name}
    assert "node_modules/@modelcontextprotocol/conformance" in packages
    assert [name for name, package in packages.items() if not package["integrity"].startswith("sha512-")] == []
    assert [name for name, package in packages.items() if "resolved" in package] == []


@pytest.mark.component("node")
def test_what_is_built_is_kept() -> None:
    built = components.find("node")
    before = (built.parent / "stamp").stat().st_mtime_ns
    assert components.find("node") == built
    assert (built.parent / "stamp").stat().st_mtime_ns == before


ASK = """
import sys
from pathlib import Path
from tests import components

try:
    components.node_packages(home=Path(sys.argv[1]))
except components.Missing as error:
    print(error)
"""


def test_without_its_registry_the_component_is_missing_with_a_reason_and_nothing_half_built(tmp_path: Path) -> None:
    home = tmp_path / "components"
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(home)],
        cwd=components.ROOT,
        env={**os.environ, "npm_config_registry": "http://127.0.0.1:9"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.strip().endswith("failed: npm error code ECONNREFUSED")
    assert not (home / "node" / "stamp").exists()


def test_a_lock_file_that_is_gone_is_named(tmp_path: Path) -> None:
    shutil.copy(PINS / "package.json", tmp_path)
    with pytest.raises(components.Missing, match=r"package-lock\.json is missing"):
        components.node_packages(tmp_path, tmp_path / "components")
