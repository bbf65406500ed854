"""Nothing is lost: runs that are killed, disks that are full, vaults that are empty all of a sudden.

`run(ken, short)` tries the binary `ken` and returns (name, tried, held) for each kind of attack.
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

WORD = "heron"


class Scene:
    """A vault of notes that all say which version they are, and an index beside it."""

    def __init__(self, ken, n_notes):
        self.ken, self.n_notes = ken, n_notes
        self.folder = tempfile.mkdtemp(prefix="ken-loss-")
        self.vault = os.path.join(self.folder, "vault")
        self.data = os.path.join(self.folder, "data")
        os.mkdir(self.vault)
        open(os.path.join(self.folder, "config.toml"), "w").close()

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, number):
        return os.path.join(self.vault, f"{number % 7}", f"{number}.md")

    def write(self, version):
        for number in range(self.n_notes):
            os.makedirs(os.path.dirname(self.path(number)), exist_ok=True)
            words = " ".join(f"w{(number * 31 + k * version) % 4001}" for k in range(160))
            with open(self.path(number), "w", encoding="utf-8") as note:
                note.write(f"# Note {number}\n\nThe {WORD} edition{version}.\n\n{words}\n")

    def command(self, *args):
        return [self.ken, *args]

    def env(self):
        kept = {k: v for k, v in os.environ.items() if not k.startswith("KEN_")}
        kept.update(
            KEN_VAULT=self.vault,
            KEN_DATA_DIR=self.data,
            KEN_CONFIG=os.path.join(self.folder, "config.toml"),
            NO_COLOR="1",
        )
        return kept

    def start(self, *args, before=()):
        return subprocess.Popen(
            [*before, *self.command(*args)],
            env=self.env(),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *args, before=()):
        process = self.start(*args, before=before)
        out, err = process.communicate(timeout=600)
        return process.returncode, out, err

    def found(self, query, *args):
        _, out, _ = self.run("search", "--mode", "lexical", "--json", "-n", "1000", "--per-note", "1", *args, query)
        try:
            answer = json.loads(out)
        except ValueError:
            return None
        paths = {path for hit in answer["hits"] for path in [hit["path"], *hit.get("also_in", [])]}
        return len(paths), " ".join(answer["notices"])

    def versions(self, old, new):
        """How many notes are of the old and of the new version, as a reader sees it."""
        counts = []
        for version in (old, new):
            found = self.found(f'"edition{version}"', "--no-update")
            if found is None:
                return None
            counts.append(found[0])
        return tuple(counts)

    def is_whole(self, old, new, is_running=False):
        """Two questions are asked: a run may be done between them, and both see all of what they ask for."""
        n = self.n_notes
        return self.versions(old, new) in ((n, 0), (0, n), *([(n, n)] if is_running else []))


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
    scene = Scene(ken, 120)
    tried = held = 0
    probe = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64"]
    try:
        if shutil.which("strace") is None or subprocess.run([*probe, "true"], check=False).returncode:
            return ("killed at a write (left out: no strace)", 0, 0)
        scene.write(1)
        scene.run("index")
        shutil.copytree(scene.data, scene.data + ".kept")
        scene.write(2)
        count = os.path.join(scene.folder, "count")
        trace = ["strace", "-f", "-qq", "-o", count, "-e", "trace=pwrite64"]
        scene.run("index", before=trace)
        with open(count, encoding="utf-8", errors="replace") as lines:
            n_writes = sum(1 for line in lines if "pwrite64(" in line)
        step = max(1, n_writes // (12 if short else 120))
        for when in range(1, n_writes, step):
            shutil.rmtree(scene.data)
            shutil.copytree(scene.data + ".kept", scene.data)
            kill = f"inject=pwrite64:signal=KILL:when={when}"
            scene.run("index", before=[*trace, "-e", kill])
            is_held = scene.is_whole(1, 2) and scene.run("doctor")[0] == 0
            code, _, said = scene.run("index")
            is_held = is_held and code == 0 and "damaged" not in said
            tried, held = tried + 1, held + (is_held and scene.versions(1, 2) == (0, 120))
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
        kept = scene.data + ".kept"
        shutil.copytree(scene.data, kept)
        can = subprocess.run(["unshare", "--mount", "sh", "-c", "mount -t tmpfs ken /mnt"], check=False, capture_output=True)
        if can.returncode:
            return ("full disks (left out: nothing can be mounted)", 0, 0)
        scene.write(2)
        for size in sizes:
            # Everything happens in one namespace: the run that fails, and the look at what it left.
            inner = f'"{ken}" index; "{ken}" search --no-update --mode lexical -n 1000 --per-note 1 --format paths \\"edition1\\" | sort -u | wc -l; "{ken}" search --no-update --mode lexical -n 1000 --per-note 1 --format paths \\"edition2\\" | sort -u | wc -l'
            before = ["unshare", "--mount", "sh", "-c", script, f"{size}k", scene.data, kept, "sh", "-c", inner]
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
        as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        before = as_nobody if os.geteuid() == 0 else []
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
