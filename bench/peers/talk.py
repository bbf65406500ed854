"""The side of a warm peer: reads questions as lines of JSON, writes lists of paths."""

import json
import sys


def serve(ask):
    """Answers until there are no more questions. `ask` takes a text and returns paths, best first."""
    print("ready", flush=True)
    for line in sys.stdin:
        paths = list(dict.fromkeys(ask(json.loads(line))))
        print(json.dumps(paths), flush=True)
