"""What attacks on an index work with: a vault that says which version it is, calls that strace makes fail, another user."""

import json
import os
import shutil
import subprocess
import tempfile

WORD = "heron"
AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def as_nobody():
    """What runs a command as somebody who may not read everything."""
    return AS_NOBODY if os.geteuid() == 0 else []


def traced(call, out="/dev/null", inject=None):
    """What runs a command under strace; a call may be made to fail."""
    command = ["strace", "-f", "-qq", "-o", out, "-e", f"trace={call}"]
    return [*command, "-e", f"inject={call}:{inject}"] if inject else command


def can_trace():
    probe = [*traced("pwrite64"), "true"]
    return shutil.which("strace") and subprocess.run(probe, check=False, capture_output=True).returncode == 0


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

    def keep(self):
        """Keeps the index as it is now, to begin from it again and again."""
        shutil.copytree(self.data, self.data + ".kept")

    def restore(self):
        shutil.rmtree(self.data, ignore_errors=True)
        shutil.copytree(self.data + ".kept", self.data)

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

    def becomes(self, old, new):
        """Whether the next run is good, and leaves all notes of the new version."""
        code, _, said = self.run("index")
        return code == 0 and "damaged" not in said and self.versions(old, new) == (0, self.n_notes)

    def n_calls(self, call, *args):
        """How often a run makes a call, as strace sees it."""
        count = os.path.join(self.folder, "count")
        self.run(*args, before=traced(call, count))
        with open(count, encoding="utf-8", errors="replace") as lines:
            return sum(1 for line in lines if f"{call}(" in line)

    def is_whole(self, old, new, is_running=False):
        """Two questions are asked: a run may be done between them, and both see all of what they ask for."""
        n = self.n_notes
        return self.versions(old, new) in ((n, 0), (0, n), *([(n, n)] if is_running else []))
