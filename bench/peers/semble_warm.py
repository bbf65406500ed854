#!/usr/bin/env python3
"""semble in a process that stays: semble_warm.py FOLDER."""

import sys

from semble import SembleIndex
from semble.types import ContentType

from talk import serve

index = SembleIndex.from_path(sys.argv[1], content=ContentType.DOCS)
serve(lambda question: [hit.chunk.file_path for hit in index.search(question, top_k=50)])
