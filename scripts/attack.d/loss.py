"""Nothing is lost: runs that are killed, disks that are full, vaults that are empty all of a sudden.

`run(ken, short)` tries the binary `ken` and returns (name, tried, held) for each kind of attack.
"""

import os
import signal
import subprocess
import time

from _scene import WORD, Scene, as_nobody, can_trace, traced


def kills(ken, short):
    """Runs are killed at many moments while others read: there is the old index or the new one."""
    n_notes, n_kills = (150, 8) if short else (600, 40)
    scene = Scene(ken, n_notes)
    tried = held = 0
    try:
        scene.write(1)
        scene.run("index")
        version = 1
        started = time.monotonic()
        scene.run("index", "--full")
        whole = time.monotonic() - started
        for number in range(n_kills):
            full = ["--full"] if number % 2 else []
            scene.write(version + 1)
            process = scene.start("index", *full)
            seen = []
            deadline = time.monotonic() + whole * (number + 0.5) / n_kills
            while time.monotonic() < deadline:
                seen.append(scene.is_whole(version, version + 1, is_running=True))
            process.send_signal(signal.SIGKILL)
            process.communicate()
            seen.append(scene.is_whole(version, version + 1))
            seen.append(scene.run("doctor")[0] == 0)
            tried, held = tried + 1, held + all(seen)
            scene.run("index")
            version += 1
            if scene.versions(version - 1, version) != (0, n_notes):
                held -= 1
    finally:
        scene.close()
    return ("killed while others read", tried, held)


def kills_at_writes(ken, short):
    """Runs are killed at the Nth write to a disk, where strace can do it."""
    if not can_trace():
        return ("killed at a write (left out: no strace)", 0, 0)
    scene = Scene(ken, 120)
    tried = held = 0
    try:
        scene.write(1)
        scene.run("index")
        scene.keep()
        scene.write(2)
        n_writes = scene.n_calls("pwrite64", "index")
        step = max(1, n_writes // (12 if short else 120))
        for when in range(1, n_writes, step):
            scene.restore()
            scene.run("index", before=traced("pwrite64", inject=f"signal=KILL:when={when}"))
            is_held = scene.is_whole(1, 2) and scene.run("doctor")[0] == 0
            tried, held = tried + 1, held + (scene.becomes(1, 2) and is_held)
    finally:
        scene.close()
    return ("killed at a write", tried, held)


def emptied(ken, short):
    """A vault that is empty, gone, or cannot be walked stays in the index, and that is said."""
    tried = held = 0
    for what in ("empty", "gone", "pipe", "half"):
        scene = Scene(ken, 50)
        try:
            scene.write(1)
            scene.run("index")
            if what == "gone":
                os.rename(scene.vault, scene.vault + ".away")
            elif what == "pipe":
                os.mkfifo(os.path.join(scene.vault, ".gitignore"))
            else:
                for number in range(50 if what == "empty" else 30):
                    os.remove(scene.path(number))
            for verb in (["index"], ["index", "--full"], ["search", WORD], ["index"]):
                scene.run(*verb)
                found = scene.found(WORD)
                is_held = found is not None and found[0] == 50 and found[1] != ""
                tried, held = tried + 1, held + is_held
            if what in ("empty", "half"):
                code, _, _ = scene.run("index", "--accept-removals")
                left = scene.found(WORD)
                n_left = 0 if what == "empty" else 20
                tried, held = tried + 1, held + (code == 0 and left is not None and left[0] == n_left)
        finally:
            scene.close()
    return ("vaults that are empty, gone or closed", tried, held)


def full_disks(ken, short):
    """A disk that is full is an error, and the index is what it was."""
    script = 'mount -t tmpfs -o size="$0" ken "$1" && cp -a "$2/." "$1" && shift 2 && "$@"; code=$?; exit $code'
    tried = held = 0
    sizes = (1200, 2400, 3600) if short else range(600, 6000, 300)
    scene = Scene(ken, 200)
    try:
        scene.write(1)
        scene.run("index")
        scene.keep()
        can = subprocess.run(["unshare", "--mount", "sh", "-c", "mount -t tmpfs ken /mnt"], check=False, capture_output=True)
        if can.returncode:
            return ("full disks (left out: nothing can be mounted)", 0, 0)
        scene.write(2)
        for size in sizes:
            # Everything happens in one namespace: the run that fails, and the look at what it left.
            inner = f'"{ken}" index; "{ken}" search --no-update --mode lexical -n 1000 --per-note 1 --format paths \\"edition1\\" | sort -u | wc -l; "{ken}" search --no-update --mode lexical -n 1000 --per-note 1 --format paths \\"edition2\\" | sort -u | wc -l'
            before = ["unshare", "--mount", "sh", "-c", script, f"{size}k", scene.data, scene.data + ".kept", "sh", "-c", inner]
            process = subprocess.run(before, env=scene.env(), cwd=scene.folder, capture_output=True, text=True, check=False)
            counts = [int(line) for line in process.stdout.split() if line.isdigit()]
            if len(counts) == 2:
                tried, held = tried + 1, held + (sorted(counts) == [0, 200])
    finally:
        scene.close()
    return ("full disks", tried, held)


def clocks(ken, short):
    """Files whose times are in the future, in the past or the same as before: a change is a change."""
    tried = held = 0
    now = time.time()
    for days in (-20000, -400, 0, 400, 20000):
        scene = Scene(ken, 5)
        try:
            scene.write(1)
            for number in range(5):
                os.utime(scene.path(number), (now + 400 * 86400, now + 400 * 86400))
            scene.run("index")
            with open(scene.path(0), "r+", encoding="utf-8") as note:
                text = note.read().replace("edition1", "edition2")
                note.seek(0)
                note.write(text)
            os.utime(scene.path(0), (now + days * 86400, now + days * 86400))
            found = scene.found('"edition2"')
            tried, held = tried + 1, held + (found is not None and found[0] == 1)
        finally:
            scene.close()
    return ("clocks that go back", tried, held)


def interrupts(ken, short):
    """Ctrl-C ends with 130, says what is missing, and loses nothing."""
    tried = held = 0
    for args in (["index"], ["index", "--full"]):
        # A run may be done before it is stopped: then it is stopped sooner.
        for delay in (0.3, 0.1, 0.05, 0.02, 0.01, 0):
            code, results = interrupted(ken, args, delay)
            if code != 0:
                break
        tried, held = tried + len(results), held + sum(results)
    return ("Ctrl-C", tried, held)


def interrupted(ken, args, delay):
    """Stops a run; returns its exit code and what held."""
    scene = Scene(ken, 900)
    try:
        scene.write(1)
        if "--full" in args:
            scene.run("index")
        process = scene.start(*args)
        while process.poll() is None and not os.path.isdir(scene.data):
            pass
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=600)
        is_told = process.returncode == 130 and "of 900 notes" in err
        code, _, _ = scene.run("index")
        return process.returncode, [is_told, code == 0 and scene.versions(0, 1) == (0, 900)]
    finally:
        scene.close()


def closed_folders(ken, short):
    """A folder that may not be written to can be searched."""
    scene = Scene(ken, 5)
    try:
        scene.write(1)
        scene.run("index")
        before = as_nobody()
        os.chmod(scene.folder, 0o755)
        for name in os.listdir(scene.data):
            os.chmod(os.path.join(scene.data, name), 0o444)
        os.chmod(scene.data, 0o555)
        if before and scene.run("--version", before=before)[0] != 0:
            return ("a closed folder (left out: nobody cannot run the binary)", 0, 0)
        code, out, _ = scene.run("search", "--format", "paths", WORD, before=before)
        os.chmod(scene.data, 0o755)
        return ("a closed folder", 1, int(code == 0 and len(out.split()) == 5))
    finally:
        scene.close()


def run(ken, short):
    attacks = (kills, kills_at_writes, emptied, full_disks, clocks, interrupts, closed_folders)
    return [attack(ken, short) for attack in attacks]


if __name__ == "__main__":
    import sys

    for name, tried, held in run(os.path.abspath(sys.argv[1]), "--long" not in sys.argv):
        print(f"{held:4} of {tried:4} held  {name}", flush=True)
