"""Other people, pages and clients: who may ask, what a question may cost, and what a domain tells."""

import json
import os
import pathlib
import random
import threading
import time

from _lab import MCP, attacked, read, tool

SEATS = ["--compat", "omnisearch,miyo", "--omnisearch-port", "0", "--miyo-port", "0"]
# Has to remember each of the last four thousand letters; others take long in other ways.
ENDLESS = "/[a-e][a-j ]{4000}7/"
COSTLY = [ENDLESS, "/(a|b|c|d|e)*[a-z ]{50,80}[a-y ]{50,80}q{3}z/", "/[a-y ]{1,400}[a-x ]{1,400}7/"]


def notes(lab, n=40):
    chance = random.Random(1)
    for number in range(n):
        text = "".join(chance.choices(" abcdefghij", k=20000))
        lab.write(f"{number}.md", f"# Note {number}\n\n{text}\n")


def requests_of_other_sites(lab):
    lab.write("a.md", "About oars.\n")
    server = lab.serve(*SEATS)
    paths = [(0, "/health"), (0, "/search?q=oars"), (0, "/status"), (0, "/notes"), (0, "/node/a"),
             (0, "/openapi.json"), (0, "/mcp"), (1, "/search?q=oars"), (2, "/v0/health"), (2, "/v0/folder")]
    for seat, path in paths:
        for site in ("cross-site", "same-site"):
            for mode in ("no-cors", "navigate", "cors"):
                status, body = server.ask(path, [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode)], seat=seat)
                lab.check(status == 403, f"{path} {site} {mode}: {status} {body}")
        for origin in ("https://evil.example", "null", "file://", "http://127.0.0.1:1"):
            status, body = server.ask(path, [("Origin", origin)], seat=seat)
            lab.check(status == 403, f"{path} {origin}: {status} {body}")
        for host in ("evil.example", "127.0.0.1.evil.example", "localhost@evil.example"):
            with server.connect(seat) as stream:
                stream.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
                status, body = read(stream)
            lab.check(status == 403, f"{path} {host}: {status} {body}")
        for site in ("none", "same-origin"):
            status, body = server.ask(path, [("Sec-Fetch-Site", site)], seat=seat)
            lab.check(status not in (0, 403), f"{path} {site}: {status} {body}")


def wrong_tokens(lab):
    lab.write("a.md", "About oars.\n")
    token = "t0ken" * 6
    (lab.folder / "token").write_text(token)
    server = lab.serve("--token-file", str(lab.folder / "token"))
    tries = [token[:n] for n in range(len(token))] + [token + "x" * n for n in (1, 2, 100, 4000)]
    tries += [token.upper(), token[::-1], "", "null", token[:-1] + "x", "x" + token[1:], token + "\x00"]
    for sent in lab.few(tries):
        status, body = server.ask("/status", [("Authorization", f"Bearer {sent}")])
        lab.check(status in (400, 401) or not status, f"{sent!r}: {status} {body}")
    for _ in range(100):
        status, body = server.ask("/status", [("Authorization", f"Bearer {token}")])
        # On a busy machine the first index may not be there yet.
        if status != 503:
            break
        time.sleep(0.1)
    lab.check(status == 200, f"the right token: {status} {body}")


def costly_questions(lab):
    notes(lab)
    lab.run("index")
    questions = [*COSTLY, " ".join(f"-w{n}x" for n in range(5000)), " OR ".join(f"w{n}x" for n in range(10000)),
                 "(" * 3000 + "a", " ".join(f"-path:w{n}" for n in range(5000))]
    server = lab.serve()
    for question in questions:
        for name, answer in (("search", lambda: server.ask("/search", body={"q": question})[0]),
                             ("mcp", lambda: server.ask("/mcp", MCP, tool("search", {"query": question}))[0]),
                             ("cli", lambda: lab.run("search", "--", question).returncode + 200)):
            status = answer()
            lab.check(status in (200, 201, 202, 422), f"{name} {question[:60]}: {status}")
    for question in (ENDLESS, " ".join(f"-w{n}x" for n in range(500, 1300))):
        status, text = server.ask("/search", body={"q": question[:4000]})
        lab.check(status == 422 and "hint" in text, f"{question[:60]}: {status} {text}")
    # Many at once, half of whom go away; everybody else is answered all the while.
    body = json.dumps({"q": COSTLY[0]}).encode()
    head = server.head("POST", "/search", [("Content-Type", "application/json"), ("Content-Length", len(body))])
    for _ in range(6):
        with server.connect() as stream:
            stream.sendall(head.encode() + b"\r\n" + body)
    asking = [threading.Thread(target=server.ask, args=("/search",), kwargs={"body": {"q": COSTLY[0]}})
              for _ in range(6)]
    for thread in asking:
        thread.start()
    for _ in range(5):
        status, text = server.ask("/search?q=note&k=1")
        lab.check(status == 200, f"somebody else: {status} {text}")
    for thread in asking:
        thread.join()


def slow_clients(lab):
    lab.write("long.md", "An oar of a boat, and another one.\n" * 60000)
    server = lab.serve("--read-timeout-ms", "300")
    for start in ("GET /hea", "GET /health HTTP/1.1\r\nHost: local", server.head("POST", "/search", [
            ("Content-Type", "application/json"), ("Content-Length", 20)]) + "\r\n{\"q\""):
        with server.connect() as stream:
            stream.sendall(start.encode())
            status, body = read(stream)
            lab.check(status in (0, 400, 408), f"{start[:30]!r}: {status} {body}")
    for _ in range(2 if lab.is_short else 10):
        with server.connect() as stream:
            stream.sendall(server.head("GET", "/node/long.md").encode() + b"\r\n")
            lab.check(is_closed(server.ports[0], stream.getsockname()[1]), "a reader that does not read was waited for")
    status, _ = server.ask("/search?q=oar")
    lab.check(status == 200, "somebody else")


def is_closed(port, client):
    """Waits until the server has closed its end of a connection; the client sees nothing of that."""
    table = pathlib.Path("/proc/net/tcp")
    end = time.monotonic() + 20
    while table.exists() and time.monotonic() < end:
        rows = (line.split() for line in table.read_text().splitlines()[1:])
        ends = [(int(row[1].split(":")[1], 16), int(row[2].split(":")[1], 16), row[3]) for row in rows]
        if (port, client, "01") not in ends:
            return True
        time.sleep(0.05)
    return not table.exists()


def domain_boundary(lab):
    lab.write("Open/a.md", "# Oars\n\nAbout oars.\n")
    lab.write("Open/archive/old.md", "Old.\n")
    lab.write("Quinquereme/Quinquereme plan.md", "# Quinquereme\n\nA quinquereme.\n")
    lab.write("quinquereme.md", "A quinquereme.\n")
    lab.write("_domains.yaml", "open:\n  include: [Open/]\n  exclude: [Open/archive/]\nhidden:\n  legacy: true\n")
    lab.config.write_text('[index]\nfollow_links = true\n'
                          '[clients.guest]\ntoken = "guest-token"\ndomains = ["open"]\n')
    root = lab.vault
    for name, target in (("folder", root / "Quinquereme"), ("all", root), ("top.md", root / "quinquereme.md"),
                         ("file.md", root / "Quinquereme" / "Quinquereme plan.md")):
        os.symlink(target, root / "Open" / name)
    guest = [("Authorization", "Bearer guest-token")]
    server = lab.serve(*SEATS)
    server.ask("/reload", guest, {})
    names = ["Quinquereme plan", "quinquereme.md", "Quinquereme/Quinquereme plan.md", "Open/all/quinquereme.md",
             "Open/folder/Quinquereme plan.md", "Open/file.md", "../quinquereme.md", "Open/../quinquereme.md"]
    paths = ["/status", "/health", "/domains", "/notes", "/deep", "/d/open/status", "/d/none/status",
             "/d/hidden/status", "/d/hidden/health", "/links/a", "/traverse/a?deep=true", "/search?q=oars&explain=true"]
    tries = [(0, path, None) for path in paths]
    for name in names:
        quoted = name.replace(" ", "%20")
        tries += [(0, f"/{route}/{quoted}", None) for route in ("node", "links", "traverse")]
        tries += [(0, f"/d/hidden/{route}/{quoted}", None) for route in ("node", "links", "traverse")]
        tries += [(0, "/mcp", tool("get", {"note": name})), (0, "/mcp", tool("links", {"note": name}))]
        tries += [(2, "/v0/parse", {"path": name})]
    for call in (tool("status", {}), tool("list_notes", {}), tool("search", {"query": "oars"})):
        tries += [(0, "/mcp", call), (0, "/d/open/mcp", call), (0, "/d/hidden/mcp", call)]
    tries += [(1, "/search?q=oars", None), (2, "/v0/health", None), (2, "/v0/folder", None),
              (2, "/v0/folder/files?limit=100", None), (2, "/v0/search", {"query": "oars"})]
    for seat, path, body in tries:
        status, text = server.ask(path, [*guest, *MCP], body, seat)
        # What was asked for may be repeated; what was not may not be told.
        asked = (path + json.dumps(body)).lower().replace("%20", " ")
        told = text.lower()
        for name in sorted(names, key=len, reverse=True):
            if name.lower() in asked:
                told = told.replace(name.lower().replace(" ", "%20"), "").replace(name.lower(), "")
        lab.check(status and "quinquereme" not in told, f"{path} {body}: {text}")


def answers_without_end(lab):
    lab.write("long.md", ("x" * 99 + "\n") * 150000)
    lab.run("index")
    server = lab.serve()
    for path, body in (("/node/long.md", None), ("/search?q=x&k=1000&per_note=1000", None),
                       ("/mcp", tool("get", {"note": "long.md"})), ("/mcp", tool("search", {"query": "x"}))):
        status, text = server.ask(path, MCP, body)
        lab.check(status in (200, 422) and len(text) <= 17 << 20, f"{path}: {status}, {len(text)} bytes")
    status, text = server.ask("/node/long.md?lines=1-9")
    lab.check(status == 200, f"some lines: {status} {text[:100]}")


def files_under_a_server(lab):
    lab.write("a.md", "About oars.\n")
    lab.run("index")
    server = lab.serve()
    index = lab.index()
    whole = index.read_bytes()

    def cut(n_bytes):
        with open(index, "r+b") as file:
            file.truncate(n_bytes)

    def exchange():
        other = lab.folder / "other.db"
        other.write_bytes(whole)
        os.replace(other, index)

    def pipe():
        kept = index.with_suffix(".deep.jsonl")
        if not kept.exists():
            os.mkfifo(kept)
        server.ask("/deep")

    ways = [(f"cut to {size}", lambda size=size: cut(size)) for size in (len(whole) // 2, 4096, 100, 0)]
    ways += [("removed", index.unlink), ("exchanged", exchange), ("put back", lambda: index.write_bytes(whole)),
             ("shared notes cut", lambda: os.truncate(f"{index}-shm", 0)), ("a pipe beside it", pipe)]
    for name, damage in ways:
        try:
            damage()
        except FileNotFoundError:
            continue
        answers = [server.ask("/search?q=oars")[0] for _ in range(3)]
        # While the index is made again there is none; the answer says to try again in a second.
        if answers[-1] == 503:
            time.sleep(1)
            answers.append(server.ask("/search?q=oars")[0])
        lab.check(server.is_alive() and answers[-1] == 200, f"{name}: {answers}")


ATTACKS = [requests_of_other_sites, wrong_tokens, costly_questions, slow_clients, domain_boundary,
           answers_without_end, files_under_a_server]


def run(ken, short):
    return attacked(ATTACKS, ken, short)
