#!/usr/bin/python3
"""recoll in a process that stays, through Debian's python3-recoll: recoll_warm.py CONFIG FOLDER."""

import re
import sys
import urllib.parse

from recoll import recoll

from talk import serve

config, folder = sys.argv[1:]
db = recoll.connect(confdir=config)


def ask(question):
    query = db.query()
    words = [word for word in re.findall(r"\w+", question) if word != "OR"]
    query.execute(" OR ".join(words) if words else "a", stemming=1)
    found = [hit.url for hit in query.fetchmany(30)]
    return [urllib.parse.unquote(url.removeprefix("file://")).removeprefix(folder + "/") for url in found]


serve(ask)
