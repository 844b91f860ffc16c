"""Runs inside a network namespace of its own where every address is local: `namespace.py RECORDS FOLDER […]`.

What follows is an `ADDRESS/PREFIX` that the interface has, or a `VARIABLE=value` of the server's environment.

The real MCP server, with default settings, is asked for every address of a file of records. Names are answered by a
responder here, pages by a listener here, and every attempt to connect anywhere is seen on the wire. Prints one line of
JSON per record: its id, the outcome, and where the server tried to connect to.
"""

import ipaddress
import json
import os
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

RESPONDER = "127.0.0.53"
PLAIN_PORTS = (80, 8080)
PAGE = (
    b"<title>Quay</title><article><h1>Quay</h1><p>The ferry leaves the quay at nine and is back at dusk.</p></article>"
)
SETUP = (
    "ip link set lo up",
    "ip route add local 0.0.0.0/0 dev lo",
    "ip -6 route add local ::/0 dev lo",
)


class World:
    """What the names lead to and what the pages say, for the record that is asked for now."""

    def __init__(self) -> None:
        self._names: dict[str, Any] = {}
        self._redirects: list[str] = []
        self._looked_up: dict[str, int] = {}

    def turn_to(self, record: dict[str, Any]) -> None:
        names = dict(record.get("hosts", {}))
        if "resolves_to" in record:
            names[urlsplit(record["url"]).hostname or ""] = record["resolves_to"]
        redirect = record.get("redirect_to", [])
        self._redirects = [redirect] if isinstance(redirect, str) else list(redirect)
        self._names = {name.lower().rstrip("."): answers for name, answers in names.items()}
        self._looked_up = {}

    def addresses(self, name: str, *, is_first: bool) -> list[str] | None:
        answers = self._names.get(name.lower().rstrip("."))
        if answers and isinstance(answers[0], list):
            self._looked_up[name] = self._looked_up.get(name, 0) + is_first
            return answers[min(max(1, self._looked_up[name]), len(answers)) - 1]
        return answers

    def reply(self, path: str) -> bytes:
        if path == "/robots.txt":
            return b"HTTP/1.1 404 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        if self._redirects:
            return f"HTTP/1.1 302 X\r\nLocation: {self._redirects.pop(0)}\r\nContent-Length: 0\r\n\r\n".encode()
        return b"HTTP/1.1 200 X\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(PAGE) + PAGE


def answer_names(world: World, server: socket.socket) -> None:
    while True:
        query, client = server.recvfrom(4096)
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1 : at + 1 + query[at]].decode("latin-1"))
            at += query[at] + 1
        kind = struct.unpack(">H", query[at + 1 : at + 3])[0]
        found = world.addresses(".".join(labels), is_first=kind == 1)
        data = [packed for text in found or [] if (packed := of_kind(text, kind))]
        flags = 0x8180 if found is not None else 0x8183
        rows = b"".join(struct.pack(">HHHIH", 0xC00C, kind, 1, 0, len(packed)) + packed for packed in data)
        head = struct.pack(">HHHHHH", struct.unpack(">H", query[:2])[0], flags, 1, len(data), 0, 0)
        server.sendto(head + query[12 : at + 5] + rows, client)


def of_kind(text: str, kind: int) -> bytes:
    address = ipaddress.ip_address(text.partition("%")[0])
    return address.packed if (address.version, kind) in {(4, 1), (6, 28)} else b""


def answer_pages(world: World, port: int) -> None:
    server = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=64)
    while True:
        client, _ = server.accept()
        with client:
            client.settimeout(30)
            try:
                head = client.recv(65536)
                if head:
                    client.sendall(world.reply(head.split(b" ")[1].decode("latin-1").partition("?")[0]))
            except OSError:
                pass


def attempts(wire: socket.socket) -> set[str]:
    """Where somebody began to connect to since this was asked last: every first packet of a connection."""
    found: set[str] = set()
    while True:
        try:
            packet = wire.recv(65536, socket.MSG_DONTWAIT)[14:]
        except BlockingIOError:
            return found
        version = packet[0] >> 4
        if version == 4 and packet[9] == socket.IPPROTO_TCP:
            target, segment = packet[16:20], packet[(packet[0] & 15) * 4 :]
        elif version == 6 and packet[6] == socket.IPPROTO_TCP:
            target, segment = packet[24:40], packet[40:]
        else:
            continue
        if segment[13] & 0x12 == 0x02:
            found.add(str(ipaddress.ip_address(target)))


def main() -> None:
    records = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines() if line.strip()]
    folder = Path(sys.argv[2])
    variables = dict(word.split("=", 1) for word in sys.argv[3:] if "=" in word)
    for command in (*SETUP, *(f"ip addr add {word} dev lo" for word in sys.argv[3:] if "=" not in word)):
        subprocess.run(command.split(), check=True)
    for name, text in (("resolv.conf", f"nameserver {RESPONDER}\n"), ("hosts", "127.0.0.1 localhost\n")):
        (folder / name).write_text(text)
        subprocess.run(["mount", "--bind", str(folder / name), f"/etc/{name}"], check=True)
    world = World()
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    wire.bind(("lo", 0))
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**24)
    names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    names.bind((RESPONDER, 53))
    threading.Thread(target=answer_names, args=(world, names), daemon=True).start()
    for port in PLAIN_PORTS:
        threading.Thread(target=answer_pages, args=(world, port), daemon=True).start()
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "COVERAGE_PROCESS_CONFIG") if name in os.environ}
    with subprocess.Popen(
        [sys.executable, "-m", "gossamer"],
        env={**kept, **variables, "HOME": str(folder), "DATA_DIR": str(folder / "data")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        ask(server, 0, "initialize", OPENING)
        for number, record in enumerate(records, 1):
            world.turn_to(record)
            attempts(wire)
            reply = ask(server, number, "tools/call", {"name": "web_fetch", "arguments": {"url": record["url"]}})
            told = reply.get("result", {}).get("_meta", {}).get("gossamer/outcome", "invalid")
            text = json.dumps(reply)
            seen = {"id": record["id"], "outcome": told, "dialled": sorted(attempts(wire)), "text": text[:2000]}
            print(json.dumps(seen), flush=True)
        server.kill()


OPENING = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def ask(server: "subprocess.Popen[bytes]", number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    assert server.stdin
    assert server.stdout
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()
    while True:
        line = server.stdout.readline()
        assert line, "the server ended"
        reply = json.loads(line)
        if reply.get("id") == number and "method" not in reply:
            return reply


if __name__ == "__main__":
    main()
