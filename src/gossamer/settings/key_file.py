"""A random key in the data folder: the first process creates it, every later one reads the same."""

import hmac
import os
from pathlib import Path

from gossamer.errors import StoreUnavailable
from gossamer.settings.model import Settings

KEY_BYTES = 32


def shared_key(path: Path) -> bytes:
    """Read the key, or make it so that of several processes all get the same one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.urandom(8).hex()}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(os.urandom(KEY_BYTES))
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    key = path.read_bytes()
    if len(key) == KEY_BYTES:
        return key
    path.unlink()
    return shared_key(path)


def folder_key(settings: Settings, use: str) -> bytes:
    """A key for one use, the same in every process on this data folder and of no help to find another's."""
    return hmac.digest(folder_secret(settings), use.encode(), "sha256")


def folder_secret(settings: Settings) -> bytes:
    """The key of the data folder; an unwritable folder raises an error that says so."""
    try:
        return shared_key(settings.data_dir / "cursor.key")
    except OSError as error:
        raise StoreUnavailable(
            f"The data folder {settings.data_dir} cannot be written: {error.strerror or error}.",
            hint="Set DATA_DIR to a folder that can be.",
        ) from error
