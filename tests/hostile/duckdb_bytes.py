"""DuckDB's files, byte by byte."""


def with_version(data: bytes, version: int) -> bytes:
    """A file as if another DuckDB had written it."""
    changed = bytearray(data)
    assert changed[8:12] == b"DUCK"
    changed[12:20] = version.to_bytes(8, "little")
    changed[:8] = _checksum(changed[8:4096]).to_bytes(8, "little")
    return bytes(changed)


def _checksum(data: bytes | bytearray) -> int:
    """What DuckDB writes before each block."""
    total = 5381
    for at in range(0, len(data), 8):
        total ^= int.from_bytes(data[at : at + 8], "little") * 0xBF58476D1CE4E5B9 % 2**64
    return total
