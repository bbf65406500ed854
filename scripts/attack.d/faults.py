"""What machines do to programs: calls that fail, writers and readers in crowds, vaults that vanish.

`run(ken, short)` tries the binary `ken` and returns (name, tried, held) for each kind of fault. What was
said is kept in `SAID`, for docs/reliability.md (`python3 scripts/attack.d/faults.py KEN --long` prints it).
"""

import collections
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from _scene import WORD, Scene, as_nobody, can_trace, traced

# What the program said to each fault, and how often.
SAID = collections.defaultdict(collections.Counter)
# Calls that change a disk, and what they may fail with.
CALLS = {
    "pwrite64": "EIO",
    "write": "ENOSPC",
    "fdatasync": "EIO",
    "fsync": "EIO",
    "ftruncate": "EIO",
    "rename": "EIO",
    "unlink": "EACCES",
    "mkdir": "ENOSPC",
}


def say(kind, text, scene):
    line = next((line for line in text.splitlines() if line.startswith(("error", "warning", "note"))), "nothing")
    SAID[kind][re.sub(r"\d+", "N", line.replace(scene.folder, "…"))[:160]] += 1


def failing_calls(ken, short):
    """Every call that changes the disk fails in turn: the index is the old or the new one, and the next run is good."""
    if not can_trace():
        return ("calls that fail (left out: no strace)", 0, 0)
    scene = Scene(ken, 60)
    tried = held = 0
    try:
        scene.write(1)
        scene.run("index")
        scene.keep()
        scene.write(2)
        for call, error in CALLS.items():
            scene.restore()
            n_calls = scene.n_calls(call, "index")
            step = max(1, n_calls // (6 if short else 80))
            for when in range(1, n_calls + 1, step):
                scene.restore()
                code, _, said = scene.run("index", before=traced(call, inject=f"error={error}:when={when}"))
                say(f"{call} {error}", said if code else "nothing", scene)
                is_held = scene.is_whole(1, 2) and scene.run("doctor")[0] == 0
                tried, held = tried + 1, held + (scene.becomes(1, 2) and is_held)
    finally:
        scene.close()
    return ("calls that fail, each in turn", tried, held)


def random_kills(ken, short):
    """kill -9 at random moments of runs: the old index or the new one, and the next run is good."""
    n_kills = 20 if short else 500
    scene, dice = Scene(ken, 120), random.Random(5)
    tried = held = 0
    try:
        scene.write(1)
        scene.run("index")
        scene.keep()
        started = time.monotonic()
        scene.run("index", "--full")
        whole = time.monotonic() - started
        scene.write(2)
        for number in range(n_kills):
            scene.restore()
            process = scene.start("index", *(["--full"] if number % 2 else []))
            time.sleep(dice.random() * whole)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            is_held = scene.is_whole(1, 2)
            tried, held = tried + 1, held + (scene.becomes(1, 2) and is_held)
    finally:
        scene.close()
    return ("kill -9 at random moments", tried, held)


def two_writers(ken, short):
    """Two runs at once: one writes, the other waits or says that it does not; all notes are there."""
    tried = held = 0
    for _ in range(2 if short else 10):
        scene = Scene(ken, 400)
        try:
            scene.write(1)
            both = [scene.start("index", *args) for args in ([], ["--full"])]
            ends = [(process.communicate(timeout=600)[1], process.returncode) for process in both]
            for said, code in ends:
                say("two writers", said if code else "nothing", scene)
            tried += 1
            held += any(code == 0 for _, code in ends) and scene.versions(0, 1) == (0, 400)
        finally:
            scene.close()
    return ("two writers", tried, held)


def many_readers(ken, short):
    """A hundred readers while an index is made anew: each sees all of the old or all of the new."""
    n_readers = 10 if short else 100
    scene, results = Scene(ken, 300), []
    try:
        scene.write(1)
        scene.run("index")
        scene.write(2)
        writer = scene.start("index", "--full")

        def read():
            results.append(scene.is_whole(1, 2, is_running=True))

        readers = [threading.Thread(target=read) for _ in range(n_readers)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        writer.communicate(timeout=600)
        results.append(scene.versions(1, 2) == (0, 300))
    finally:
        scene.close()
    return ("readers during a full run", len(results), sum(results))


def removed_mount(ken, short):
    """The vault is a disk that is taken away: nothing is forgotten, it is said, and it comes back."""
    scene = Scene(ken, 40)
    script = (
        'mount -t tmpfs -o size=8m ken "$1" && cp -a "$2/." "$1/" && "$0" index >/dev/null 2>&1;'
        'umount "$1"; "$0" index; echo "code $?"; "$0" search --format paths -n 100 --per-note 1 heron | wc -l;'
        'mount -t tmpfs -o size=8m ken "$1" && cp -a "$2/." "$1/"; "$0" index >/dev/null 2>&1; echo "code $?"'
    )
    try:
        scene.write(1)
        kept = scene.vault + ".kept"
        shutil.copytree(scene.vault, kept)
        shutil.rmtree(scene.vault)
        os.mkdir(scene.vault)
        command = ["unshare", "--mount", "sh", "-c", script, ken, scene.vault, kept]
        run = subprocess.run(command, env=scene.env(), capture_output=True, text=True, check=False)
        if "permission" in run.stderr.lower() and "mount" in run.stderr:
            return ("a mount that is gone (left out: nothing can be mounted)", 0, 0)
        say("a mount that is gone", run.stderr, scene)
        lines = run.stdout.split("\n")
        n_found = [int(line) for line in lines if line.strip().isdigit()]
        return ("a mount that is gone", 2, (n_found[:1] == [40]) + ("code 0" in lines[-2:]))
    finally:
        scene.close()


def denied_half_way(ken, short):
    """Folders and files that may not be read, as another user: the rest is indexed, what was known stays."""
    scene = Scene(ken, 70)
    before = as_nobody()
    try:
        scene.write(1)
        subprocess.run(["chmod", "-R", "a+rwX", scene.folder], check=True)
        if scene.run("--version", before=before)[0] != 0:
            return ("permission denied (left out: nobody cannot run the binary)", 0, 0)
        scene.run("index", before=before)
        os.chmod(os.path.join(scene.vault, "3"), 0)
        for number in range(0, 70, 7):
            os.chmod(scene.path(number), 0)
        with open(scene.path(1), "a", encoding="utf-8") as note:
            note.write("\nThe new bittern.\n")
        code, _, said = scene.run("index", before=before)
        say("permission denied half-way", said, scene)
        known = scene.run("search", "--no-update", "--format", "paths", "-n", "100", "--per-note", "1", WORD, before=before)
        new = scene.run("search", "--no-update", "--format", "paths", "bittern", before=before)
        checks = [code == 0, len(known[1].splitlines()) == 70, len(new[1].splitlines()) == 1, "Permission denied" in said]
        return ("permission denied half-way", len(checks), sum(checks))
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", scene.folder], check=False)
        scene.close()


def crowded_folder(ken, short):
    """A hundred thousand files in one folder."""
    n_files = 2_000 if short else 100_000
    scene = Scene(ken, 0)
    try:
        for number in range(n_files):
            with open(os.path.join(scene.vault, f"{number}.md"), "w", encoding="utf-8") as note:
                note.write(f"# Note {number}\n\nThe {WORD} is number{number} here.\n")
        code, out, _ = scene.run("index", "--json")
        _, hits, _ = scene.run("search", "--format", "paths", f"number{n_files - 7}")
        checks = [code == 0, json.loads(out)["added"] == n_files, hits.split()[:1] == [f"{n_files - 7}.md"]]
        return (f"{n_files} files in a folder", len(checks), sum(checks))
    finally:
        scene.close()


def huge_file(ken, short):
    """A file of a gigabyte beside a note: it is named, not read into memory, and the note is found."""
    scene = Scene(ken, 1)
    try:
        scene.write(1)
        line = b"The heron stood in the reeds and said nothing for a long while.\n"
        with open(os.path.join(scene.vault, "huge.md"), "wb") as file:
            block = line * 16_000
            for _ in range(20 if short else 1_000):
                file.write(block)
        limit = ["sh", "-c", 'ulimit -v 3000000; exec "$0" "$@"']
        code, out, said = scene.run("index", "--json", before=limit)
        say("a file of 1 GB", said or out, scene)
        found = scene.found('"edition1"')
        checks = [code == 0, found is not None and found[0] == 1, "huge.md" in said + out]
        return ("a file of a gigabyte", len(checks), sum(checks))
    finally:
        scene.close()


def hostile_names(ken, short):
    """Names with line ends, escape sequences, wrong UTF-8, 255 bytes, leading dashes, dots and quotes."""
    scene = Scene(ken, 0)
    names = [b"a\nb.md", b"\x1b[31mred.md", b"bad\xff\xfename.md", b"x" * 252 + b".md", b"-rf.md", b"--help.md", b"...md", b"'quo\"te.md",
             "رسالة‮dm.md".encode(), "a‏b​.md".encode(), b"%s%n.md", b"$(id).md", b"`id`.md", b"con.md", b" .md", b"a\tb.md", b"*?.md", b"\\.md"]
    try:
        for number, name in enumerate(names):
            with open(os.path.join(scene.vault.encode(), name), "w", encoding="utf-8") as note:
                note.write(f"# N{number}\n\nThe {WORD} unique{number}word.\n")
        code, _, said = scene.run("index")
        SAID["hostile names"][(said.splitlines() or ["nothing"])[0][:120]] += 1
        results = [code == 0 and "\x1b" not in said]
        for number in range(len(names)):
            code, out, said = scene.run("search", "--json", f"unique{number}word")
            is_skipped = b"\xff" in names[number] or names[number].startswith(b".")
            is_clean = "\x1b" not in out + said
            results.append(is_clean and (is_skipped or code == 0 and len(json.loads(out)["hits"]) >= 1))
        return ("hostile names", len(results), sum(results))
    finally:
        scene.close()


def damaged(data, dice):
    """Returns the bytes of a file with one kind of damage, of ten."""
    data, page = bytearray(data), 4096
    at, other = (dice.randrange(len(data) // page) * page for _ in range(2))
    place, n = dice.randrange(len(data)), dice.randrange(1, 3 * page)
    match dice.randrange(10):
        case 0:
            data[place] ^= 1 << dice.randrange(8)
        case 1:
            data[dice.randrange(100)] ^= 1 << dice.randrange(8)
        case 2:
            data[at : at + page] = bytes(page)
        case 3:
            data[place : place + n] = bytes(len(data[place : place + n]))
        case 4:
            data[place : place + n] = dice.randbytes(len(data[place : place + n]))
        case 5:
            data[at : at + page], data[other : other + page] = data[other : other + page], data[at : at + page]
        case 6:
            data[at : at + page] = data[other : other + page]
        case 7:
            data.insert(place, dice.randrange(256))
        case 8:
            del data[place:]
        case _:
            data += dice.randbytes(n)
    return bytes(data)


def damaged_indexes(ken, short):
    """Index files with damage: `ken doctor --deep` finds it, or the answers are those of the whole file; a search says
    that it is damaged or answers as before; and the next run makes it good."""
    n_tries, dice, scene = (40 if short else 1_200), random.Random(11), Scene(ken, 60)
    question = ("search", "--no-update", "--json", "-n", "20", "heron note w31")
    tried = held = n_found = 0
    try:
        scene.write(1)
        scene.run("index")
        name = next(name for name in os.listdir(scene.data) if name.endswith(".db"))
        path = os.path.join(scene.data, name)
        with open(path, "rb") as file:
            whole = file.read()
        hits = lambda out: [(hit["path"], hit["score"]) for hit in json.loads(out)["hits"]]
        expected = hits(scene.run(*question)[1])
        for number in range(n_tries):
            shutil.rmtree(scene.data)
            os.mkdir(scene.data, 0o700)
            bytes_ = damaged(whole, dice)
            with open(path, "wb") as file:
                file.write(bytes_)
            code, out, said = scene.run("doctor", "--deep")
            is_found = code != 0
            say("damaged indexes", said + "\n".join(f"error: {line}" for line in out.splitlines() if line.startswith("BAD")), scene)
            code, out, said = scene.run(*question)
            is_same = code == 0 and hits(out) == expected
            is_sound = is_same or code == 2
            if number % 10 == 0:
                is_sound = is_sound and (scene.run("index")[0] == 0 or b"" == bytes_[:16].strip(b"\0") or "not an index" in said)
            n_found += is_found
            tried, held = tried + 1, held + (is_sound and (is_found or is_same))
    finally:
        scene.close()
    SAID["damaged indexes"][f"{n_found} of {tried} found by ken doctor --deep"] += 1
    return ("damaged indexes", tried, held)


def clock_backwards(ken, short):
    """The clock of the machine goes back ten years between runs: what changes is seen."""
    library = next((path for path in ("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1", "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1") if os.path.exists(path)), None)
    if library is None:
        return ("a clock that goes back (left out: no faketime)", 0, 0)
    scene, checks = Scene(ken, 20), []
    try:
        scene.write(1)
        scene.run("index")
        past = ["env", f"LD_PRELOAD={library}", "FAKETIME=-3650d", "FAKETIME_DONT_RESET=1"]
        scene.write(2)
        code, _, said = scene.run("index", before=past)
        say("a clock that goes back", said if code else "nothing", scene)
        checks = [code == 0, scene.versions(1, 2) == (0, 20), scene.run("search", WORD, before=past)[0] == 0]
        checks.append(scene.run("doctor")[0] == 0)
        return ("a clock that goes back", len(checks), sum(checks))
    finally:
        scene.close()


ATTACKS = (
    failing_calls, random_kills, two_writers, many_readers, removed_mount, denied_half_way, crowded_folder,
    huge_file, hostile_names, clock_backwards, damaged_indexes,
)


def run(ken, short):
    return (attack(ken, short) for attack in ATTACKS)


if __name__ == "__main__":
    wanted = [name for name in sys.argv[2:] if not name.startswith("--")]
    for attack in ATTACKS:
        if not wanted or attack.__name__ in wanted:
            started = time.monotonic()
            name, tried, held = attack(os.path.abspath(sys.argv[1]), "--long" not in sys.argv)
            print(f"{held:4} of {tried:4} held  {name} ({time.monotonic() - started:.0f} s)", flush=True)
    for kind, texts in SAID.items():
        for text, n in texts.most_common():
            print(f"{kind}: {n} x {text}")
