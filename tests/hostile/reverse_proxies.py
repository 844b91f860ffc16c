"""Reverse proxies that keep connections to the server alive: nginx and HAProxy as in examples/, and one on node.

The shipped files are used as they are; what a test has to change (ports and paths, and for attacks the limits by
address, since all our strangers have one) is replaced word by word, and a word that is not there fails.
"""

import os
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests import components
from tests.hostile.raw_http import RawConnection
from tests.patience import LONG_S
from tests.searxng import free_port

EXAMPLES = components.ROOT / "examples"
NODE_PROXY = components.ROOT / "tests" / "node" / "reverse_proxy.mjs"
NAME = "web.example.org"
"""The public name of the server, which is also in the shipped files."""
POLL_S = 0.05


@dataclass(frozen=True, kw_only=True)
class Front:
    """What strangers connect to: the server itself, or a proxy before it."""

    name: str
    port: int
    host: str
    """What a client of it writes into Host."""
    tls: ssl.SSLContext | None = None

    def connect(self) -> RawConnection:
        return RawConnection(self.port, self.tls, NAME)


Opening = Callable[[int, Path], Iterator[Front]]


@contextmanager
def direct(server_port: int, _folder: Path) -> Iterator[Front]:
    """No proxy at all."""
    yield Front(name="direct", port=server_port, host=f"127.0.0.1:{server_port}")


NGINX_LIMITS = {
    "rate=20r/s": "rate=100000r/s",
    "burst=40": "burst=100000",
    "limit_conn connections 64": "limit_conn connections 2000",
    "client_max_body_size 1m": "client_max_body_size 8m",
}
HAPROXY_LIMITS = {
    "gt 64 }": "gt 2000 }",
    "gt 200 }": "gt 1000000 }",
    "gt 1048576 }": "gt 8388608 }",
}
"""Limits by address and size, and what they are widened to for attacks."""


@contextmanager
def nginx(server_port: int, folder: Path, *, buffers: bool = True, is_widened: bool = True) -> Iterator[Front]:
    """nginx as we ship it, which hands bodies on when they are whole, or while they arrive."""
    program, port = components.find("nginx"), free_port()
    certificate, key = _certificate(folder)
    words = {
        "/run/nginx.pid": str(folder / "nginx.pid"),
        "/var/log/nginx/error.log": str(folder / "error.log"),
        "listen 443": f"listen 127.0.0.1:{port}",
        "/etc/ssl/web.example.org/fullchain.pem": str(certificate),
        "/etc/ssl/web.example.org/privkey.pem": str(key),
        "127.0.0.1:8000": f"127.0.0.1:{server_port}",
        "http {\n": "http {\n" + _nginx_folders(folder),
        **(NGINX_LIMITS if is_widened else {}),
        **({} if buffers else {"proxy_request_buffering on": "proxy_request_buffering off"}),
    }
    config = _configured("nginx.conf", words, folder)
    command = [str(program), "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(config)]
    # Its workers give up root, and could then put no body into a folder that is ours alone.
    command += ["-g", "daemon off;" + (" user root;" if os.geteuid() == 0 else "")]
    with _running(command, program, port, folder):
        how = "while they arrive" if not buffers else "whole"
        yield Front(name=f"nginx, bodies {how}", port=port, host=NAME, tls=_trusting(certificate))


@contextmanager
def haproxy(server_port: int, folder: Path, *, is_widened: bool = True) -> Iterator[Front]:
    """HAProxy as we ship it."""
    program, port = components.find("haproxy"), free_port()
    certificate, key = _certificate(folder)
    both = folder / "both.pem"
    both.write_bytes(certificate.read_bytes() + key.read_bytes())
    words = {
        "bind :443": f"bind 127.0.0.1:{port}",
        "/etc/haproxy/web.example.org.pem": str(both),
        "127.0.0.1:8000": f"127.0.0.1:{server_port}",
        **(HAPROXY_LIMITS if is_widened else {}),
    }
    config = _configured("haproxy.cfg", words, folder)
    with _running([str(program), "-db", "-f", str(config)], program, port, folder):
        yield Front(name="HAProxy", port=port, host=NAME, tls=_trusting(certificate))


@contextmanager
def node(server_port: int, folder: Path) -> Iterator[Front]:
    """A small proxy on node's http module, with one connection for everybody."""
    command = [str(components.node_program()), str(NODE_PROXY), str(server_port)]
    with (folder / "log.txt").open("ab") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout
        port = int(process.stdout.readline())
        yield Front(name="node", port=port, host=NAME)
    finally:
        _end(process)


FRONTS = {
    "direct": direct,
    "nginx, whole bodies": lambda port, folder: nginx(port, folder, buffers=True),
    "nginx, bodies as they come": lambda port, folder: nginx(port, folder, buffers=False),
    "HAProxy": haproxy,
    "node": node,
}
"""Every way to the server."""
COMPONENT_OF = {"nginx, whole bodies": "nginx", "nginx, bodies as they come": "nginx", "HAProxy": "haproxy"}
"""What some of them need."""


def _configured(name: str, words: dict[str, str], folder: Path) -> Path:
    """A shipped configuration with its words replaced."""
    text = (EXAMPLES / name).read_text("utf-8")
    for word, replacement in words.items():
        assert word in text, f"examples/{name} has no {word!r} any more"
        text = text.replace(word, replacement)
    made = folder / name
    made.write_text(text, "utf-8")
    return made


def _nginx_folders(folder: Path) -> str:
    """Where nginx puts bodies that do not fit into memory: a place of its own instead of the system's."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    return "".join(f"{kind}_temp_path {folder / kind};\n" for kind in kinds)


@contextmanager
def _running(command: list[str], program: Path, port: int, folder: Path) -> Iterator[None]:
    """A proxy that is ready when it accepts connections, and ends with the block."""
    environment = {"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": components.libraries_of(program)}
    with (folder / "log.txt").open("ab") as log:
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)
    try:
        for _ in range(round(LONG_S / POLL_S)):
            try:
                process.wait(POLL_S)
            except subprocess.TimeoutExpired:
                if _is_open(port):
                    break
            else:
                raise AssertionError(f"{program.name} ended: {(folder / 'log.txt').read_text('utf-8', 'replace')}")
        yield
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(LONG_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()


def _is_open(port: int) -> bool:
    try:
        RawConnection(port).close()
    except OSError:
        return False
    return True


def _certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for our name, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, NAME)])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "certificate.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(secret)
    return folder / "certificate.pem", folder / "key.pem"


def _trusting(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(certificate))
