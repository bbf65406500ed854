"""Requests that were changed at random: a server goes on, and what it says is JSON.

`run(ken, short)` sends them to `ken mcp` and to `ken serve` and returns (name, tried, held).
"""

import json
import os
import queue
import random
import re
import socket
import subprocess
import sys
import threading
import time

from _scene import Scene

MCP = [
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "heron", "limit": 3}}},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}},
    {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "get", "arguments": {"ref": "1/1.md:1-3"}}},
    {"jsonrpc": "2.0", "id": 4, "method": "ping"},
    {"jsonrpc": "2.0", "id": 5, "method": "resources/list", "params": {"cursor": None}},
]
HTTP = [
    ("GET", "/search?q=heron&k=3&mode=hybrid", None),
    ("POST", "/search", {"query": "heron", "k": 3}),
    ("GET", "/get?ref=1/1.md", None),
    ("POST", "/v1/chat/completions", {"model": "x", "messages": [{"role": "user", "content": "heron"}]}),
    ("POST", "/ask", {"question": "what is a heron?"}),
    ("GET", "/status", None),
]
ODD = [None, -1, 0, 1 << 63, 1e308, "", "\u0000", "x" * 100_000, [], {}, [[[[[]]]]], {"a": {"b": {}}}, True, "../../etc/passwd", 0.1]


def changed(value, dice):
    """Returns a JSON value with something else in one place."""
    if dice.random() < 0.25 or not isinstance(value, (dict, list)) or not value:
        return dice.choice(ODD)
    value = json.loads(json.dumps(value))
    key = dice.choice(list(value)) if isinstance(value, dict) else dice.randrange(len(value))
    match dice.randrange(4):
        case 0 if isinstance(value, dict):
            value[dice.choice(["", "x" * 300, key + "s", "__proto__"])] = value.pop(key)
        case 1:
            del value[key]
        case _:
            value[key] = changed(value[key], dice)
    return value


def garbled(data, dice):
    """Returns bytes of which some are others, gone or doubled."""
    data = bytearray(data)
    for _ in range(dice.randrange(1, 6)):
        at = dice.randrange(len(data)) if data else 0
        match dice.randrange(3):
            case 0 if data:
                data[at] = dice.randrange(256)
            case 1 if data:
                del data[at : at + dice.randrange(1, 20)]
            case _:
                data[at:at] = data[at : at + 30] or b"{"
    return bytes(data).replace(b"\n", b" ")


def request(value, dice):
    data = json.dumps(changed(value, dice)).encode()
    return garbled(data, dice) if dice.random() < 0.4 else data


def mcp(ken, short):
    n, dice, scene = (100 if short else 3_000), random.Random(7), Scene(ken, 20)
    held = 0
    try:
        scene.write(1)
        scene.run("index")
        process = subprocess.Popen([ken, "mcp"], env=scene.env(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        listen(process)
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
        send(process, json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}).encode())
        receive(process, 20)
        send(process, b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        for number in range(n):
            send(process, request(dice.choice(MCP), dice))
            if number % 10 == 9:
                # A question that is sound is answered, whatever came before it.
                id_ = 1_000_000 + number
                send(process, json.dumps({"jsonrpc": "2.0", "id": id_, "method": "ping"}).encode())
                held += 10 * answered(process, id_)
        process.stdin.close()
        process.wait(timeout=30)
    except (BrokenPipeError, subprocess.TimeoutExpired):
        process.kill()
    finally:
        scene.close()
    return ("changed requests over MCP", n, held)


def send(process, line):
    process.stdin.write(line + b"\n")
    process.stdin.flush()


def listen(process):
    """Reads what the process says all the time: one that nobody listens to stops, and with it who sends."""
    process.said = queue.Queue()

    def read():
        for line in process.stdout:
            process.said.put(line)

    threading.Thread(target=read, daemon=True).start()


def receive(process, seconds):
    try:
        return process.said.get(timeout=seconds)
    except queue.Empty:
        return b""


def answered(process, id_):
    """Whether the answer to a request comes, and only JSON before it."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        line = receive(process, 30)
        try:
            if json.loads(line).get("id") == id_:
                return True
        except (ValueError, AttributeError):
            return False
    return False


def over_http(ken, short):
    n, dice, scene = (100 if short else 3_000), random.Random(8), Scene(ken, 20)
    held, server = 0, None
    try:
        scene.write(1)
        scene.run("index")
        server = subprocess.Popen([ken, "serve", "--port", "0"], env=scene.env(), stderr=subprocess.PIPE)
        address = re.search(rb"http://([^,\s/]+)", server.stderr.readline()).group(1).decode()
        for _ in range(n):
            held += is_sound(address, dice)
        held = held if server.poll() is None else 0
    finally:
        if server:
            server.terminate()
            server.wait(timeout=30)
        scene.close()
    return ("changed requests over HTTP", n, held)


def is_sound(address, dice):
    """Whether a changed request is answered with JSON, and not with a failure of the server."""
    method, path, body = dice.choice(HTTP)
    if body is None:
        path = garbled(path.encode(), dice).decode("latin-1")
        path = "/" + re.sub(r"[\x00-\x20\x7f-\xff]", lambda c: f"%{ord(c.group(0)):02X}", path.lstrip("/"))
    data = b"" if body is None else request(body, dice)
    try:
        status, head, text = exchange(address, method, path, data)
    except (OSError, ValueError):
        return False
    # 501 is what says that no model is set; everything else above 499 is a failure.
    if status >= 500 and status != 501:
        print(status, method, path[:100], data[:200], text[:200], file=sys.stderr)
        return False
    return b"application/json" not in head or is_value(text)


def exchange(address, method, path, data):
    """Sends one request; returns status, head and body. (Modules of Python that speak HTTP need `http`, which
    is a file of this folder.)"""
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        head = f"{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n" if data else "\r\n"
        connection.sendall(head.encode("latin-1", "replace") + data)
        received = b""
        while piece := connection.recv(65536):
            received += piece
    head, _, text = received.partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), head.lower(), text


def is_value(text):
    try:
        json.loads(text)
        return True
    except ValueError:
        return False


def run(ken, short):
    return (attack(ken, short) for attack in (mcp, over_http))


if __name__ == "__main__":
    for name, tried, held in run(os.path.abspath(sys.argv[1]), "--long" not in sys.argv):
        print(f"{held:4} of {tried:4} held  {name}", flush=True)
