"""The manuals that tests read: missing with a reason where they cannot be had."""

from pathlib import Path

import pytest

from tests import components


def test_without_its_installer_the_component_is_missing_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(components.Missing, match="apt-get is not on this machine"):
        components.documentation(home=tmp_path / "components")
    assert not (tmp_path / "components").exists()


@pytest.mark.component("documentation")
def test_what_is_built_is_kept() -> None:
    built = components.find("documentation")
    before = (built.parent / "stamp").stat().st_mtime_ns
    assert components.find("documentation") == built
    assert (built.parent / "stamp").stat().st_mtime_ns == before
    assert {folder.name for folder in built.iterdir()} == {name for name, _ in components.MANUALS}
