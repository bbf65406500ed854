"""What attacks work with: a folder that is gone afterwards, a vault, servers, and raw requests."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile

PATIENCE_S = 60


class Lab:
    """One attack: where it happens, and what came of it."""

    def __init__(self, ken, is_short):
        self.ken, self.is_short = ken, is_short
        self.n_tried = self.n_held = 0
        self.failures, self.servers = [], []

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ken-attack-"))
        self.vault = self.folder / "vault"
        self.vault.mkdir()
        self.config = self.folder / "config.toml"
        self.config.write_text("")
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def check(self, held, what):
        """Counts one try."""
        self.n_tried += 1
        self.n_held += bool(held)
        if not held:
            self.failures.append(str(what)[:300])

    def few(self, tries):
        """Every try, or some of them where time is short."""
        tries = list(tries)
        return tries[:: max(1, len(tries) // 20)] if self.is_short else tries

    def write(self, path, text):
        file = self.vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def environment(self):
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return kept | {"KEN_DATA_DIR": str(self.folder / "data")}

    def command(self, *args):
        return [str(self.ken), *args, "--vault", str(self.vault), "--config", str(self.config)]

    def run(self, *args, input=None):
        """Runs a verb of `ken` over the vault."""
        return subprocess.run(
            self.command(*args), input=input, capture_output=True, text=True, errors="replace",
            env=self.environment(), timeout=PATIENCE_S,
        )

    def index(self):
        """Returns the index file."""
        return next((self.folder / "data").glob("*.db"))

    def serve(self, *args):
        server = Server(self, args)
        self.servers.append(server)
        return server


class Server:
    """A running `ken serve`."""

    def __init__(self, lab, args):
        self.process = subprocess.Popen(
            lab.command("serve", "--port", "0", *args), stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL, text=True, env=lab.environment(),
        )
        line = self.process.stderr.readline()
        addresses = [part.split(",")[0].strip() for part in line.split("http://")[1:]]
        self.ports = [int(address.rsplit(":", 1)[1].split()[0]) for address in addresses]

    def end(self):
        self.process.kill()
        self.process.wait()

    def is_alive(self):
        return self.process.poll() is None

    def connect(self, seat=0):
        stream = socket.create_connection(("127.0.0.1", self.ports[seat]), PATIENCE_S)
        stream.settimeout(PATIENCE_S)
        return stream

    def head(self, method, path, headers=(), seat=0):
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.ports[seat]}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in headers]
        return "\r\n".join(lines) + "\r\n"

    def ask(self, path, headers=(), body=None, seat=0, method=None):
        """Returns status and body; status 0 where there was no answer."""
        method = method or ("GET" if body is None else "POST")
        text = b"" if body is None else json.dumps(body).encode()
        if body is not None:
            headers = [*headers, ("Content-Type", "application/json"), ("Content-Length", len(text))]
        with self.connect(seat) as stream:
            try:
                stream.sendall(self.head(method, path, headers, seat).encode("latin-1") + b"\r\n" + text)
            except OSError:
                pass
            return read(stream)


def read(stream):
    """Reads an answer to its end."""
    data = b""
    try:
        while piece := stream.recv(65536):
            data += piece
    except OSError:
        pass
    if not data.startswith(b"HTTP/1.1 "):
        return 0, data.decode("utf-8", "replace")
    head, _, body = data.partition(b"\r\n\r\n")
    return int(head.split()[1]), body.decode("utf-8", "replace")


def tool(name, arguments):
    """Returns a call of an MCP tool."""
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


MCP = [("Accept", "application/json, text/event-stream")]


def attacked(attacks, ken, is_short):
    """Runs attacks, each in a lab of its own; tells on standard error what did not hold."""
    for attack in attacks:
        with Lab(ken, is_short) as lab:
            try:
                attack(lab)
            except Exception as error:  # what stops an attack has not been shown to hold
                lab.check(False, f"{type(error).__name__}: {error}")
        for what in lab.failures[:5]:
            print(f"    {what}", file=sys.stderr, flush=True)
        yield attack.__name__.replace("_", " "), lab.n_tried, lab.n_held
