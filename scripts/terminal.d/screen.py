"""A terminal of a given size, driven through tmux: keys in, what is on the screen out."""

import os
import re
import shutil
import subprocess
import tempfile
import time

PATIENCE_S = 60


class Screen:
    """One tmux server with one window, in an environment of its own."""

    def __init__(self, columns, rows, environment, folder):
        self.socket = os.path.join(tempfile.mkdtemp(prefix="ken-tmux-"), "socket")
        variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "TERM": "tmux-256color",
            "PS1": "$ ",
            **environment,
        }
        self.env = {**variables, "TERM": "xterm-256color"}
        options = ["-f", "/dev/null", "-u"]
        words = ["new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", str(folder), "sh"]
        self.tmux(*options, *words)
        self.tmux("set", "-g", "set-clipboard", "on")
        self.tmux("set", "-g", "escape-time", "0")
        self.tmux("set", "-g", "status", "off")
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))
        # A shell of root has a prompt of its own, whatever the environment says.
        self.type("PS1='$ '; clear")
        self.key("Enter")
        self.wait(lambda text: text.strip() == "$")

    def tmux(self, *words):
        run = subprocess.run(["tmux", "-S", self.socket, *words], env=self.env, capture_output=True)
        if run.returncode != 0:
            raise RuntimeError(f"tmux {' '.join(words)}: {run.stderr.decode()}")
        return run.stdout.decode()

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def key(self, *names):
        self.tmux("send-keys", *names)

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def text(self):
        return self.tmux("capture-pane", "-p")

    def styled(self):
        return self.tmux("capture-pane", "-p", "-e")

    def value(self, name):
        return self.tmux("display-message", "-p", "#{" + name + "}").strip()

    def wait(self, wanted, what="the screen"):
        """Waits until the screen shows something: a text, or what a function says of it."""
        is_there = wanted if callable(wanted) else lambda text: wanted in text
        end = time.monotonic() + PATIENCE_S
        while True:
            text = self.text()
            if is_there(text):
                return text
            if time.monotonic() > end:
                raise AssertionError(f"{what} never showed {wanted!r}:\n{text}")
            time.sleep(0.02)

    def run(self, command):
        """Runs a command in the shell and waits for its end; returns the screen."""
        self.type("clear; " + command + "; echo 'done':$?")
        self.key("Enter")
        return self.wait(lambda text: re.search(r"^done:\d+", text, re.M))

    def close(self):
        try:
            self.tmux("kill-server")
        except RuntimeError:
            pass
        shutil.rmtree(os.path.dirname(self.socket), ignore_errors=True)
