"""Runs programs and says what they took: CPU seconds, seconds by the clock, memory. Needs GNU time."""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time


class Run:
    """What one run of a program took."""

    def __init__(self, command, env=None, stdin=None, may_fail=False):
        command = [str(part) for part in command]
        memory = pathlib.Path(tempfile.gettempdir()) / f"ken-bench-{os.getpid()}.memory"
        started = time.perf_counter()
        # A child begins with the memory of who forked it: `time` is small, and this program is not.
        process = subprocess.Popen(
            ["/usr/bin/time", "-q", "-f", "%M", "-o", memory, *command],
            env=env,
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.output = process.stdout.read().decode(errors="replace")
        # Children that the program waited for are part of it: qmd starts one, for example.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.wall = time.perf_counter() - started
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak_mb = int(memory.read_text().split()[-1]) * 1024 / 1e6
        if process.returncode not in (0, 1) and not may_fail:
            sys.exit(f"{' '.join(command)} failed:\n{self.output[-2000:]}")


def cpu_seconds(pid):
    """Returns the CPU time of a running process, with all its threads, to the nanosecond (Linux)."""
    return time.clock_gettime((~pid << 3) | 2)


class Warm:
    """A program that stays and answers: a question is a line of JSON, and so is the list of paths."""

    def __init__(self, command, env=None):
        self.process = subprocess.Popen(
            [str(part) for part in command],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        line = self.process.stdout.readline()
        if line.strip() != b"ready":
            sys.exit(f"{' '.join(map(str, command))} did not get ready: {line.decode()}")
        self.pid = self.process.pid

    def ask(self, question):
        self.process.stdin.write(json.dumps(question).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


def warm_times(warm, questions):
    """Asks each question once, after some others, and returns CPU milliseconds of each."""
    for question in questions[:20]:
        warm.ask(question)
    times = []
    for question in questions[20:]:
        before = cpu_seconds(warm.pid)
        warm.ask(question)
        times.append((cpu_seconds(warm.pid) - before) * 1e3)
    return times


def memory_mb(pid):
    """Returns the peak memory of a running process."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def percentile(values, share):
    values = sorted(values)
    return values[min(int(len(values) * share), len(values) - 1)]


def size_mb(path):
    """Returns what a file or a folder takes, in MB."""
    path = pathlib.Path(path)
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files) / 1e6


def ndcg_at_10(ranking, relevant):
    """Discounted gain of the first ten files over the best possible."""
    gains = [relevant.get(path, 0) for path in ranking[:10]]
    best = sorted((gain for gain in relevant.values() if gain > 0), reverse=True)[:10]
    dcg = [gain / math.log2(at + 2) for at, gain in enumerate(gains)]
    ideal = [gain / math.log2(at + 2) for at, gain in enumerate(best)]
    return sum(dcg) / sum(ideal) if ideal else 0.0
