#!/usr/bin/env python3
"""A plain hybrid search as it has been published: FTS5 and vectors of Model2Vec in one SQLite file.

    replica.py index FOLDER INDEX | ask INDEX QUESTION | warm INDEX        (MODEL names the model's folder)

Sections at H2, then H3, then paragraphs above 2,000 characters; shorter than 30 are dropped. BM25 over
text, section and context (1.0, 0.5, 0.3), nearest neighbours by sqlite-vec, thirty of each, and
reciprocal rank fusion with k = 60. Written from the description; it is here to be compared with.
"""

import os
import pathlib
import re
import sys

import apsw
import sqlite_vec

from talk import serve

CANDIDATES = 30
K = 60
LIST_SECTIONS = {"related", "see also", "links", "references"}
SCHEMA = """
create table if not exists file (path text primary key, stamp integer);
create table if not exists chunk (id integer primary key, path text, section text, text text);
create index if not exists chunk_path on chunk (path);
create virtual table if not exists words using fts5 (text, section, context, tokenize = 'porter unicode61');
create virtual table if not exists near using vec0 (embedding float[256] distance_metric=cosine);
"""


def connect(index):
    db = apsw.Connection(str(index))
    db.enable_load_extension(True)
    db.load_extension(sqlite_vec.loadable_path())
    db.execute("pragma journal_mode = wal; pragma synchronous = normal")
    db.execute(SCHEMA)
    return db


def load_model():
    from model2vec import StaticModel

    return StaticModel.from_pretrained(os.environ["MODEL"])


def split(text, mark):
    """Yields heading and body of each part that begins with a heading of that depth."""
    parts = re.split(rf"(?m)^{mark} +(.+)$", text)
    yield "", parts[0]
    yield from zip(parts[1::2], parts[2::2])


def paragraphs(text, limit):
    """Yields paragraphs, joined as long as they are not longer than the limit."""
    held = ""
    for paragraph in re.split(r"\n\s*\n", text):
        if held and len(held) + len(paragraph) > limit:
            yield held
            held = ""
        held = f"{held}\n\n{paragraph}" if held else paragraph
    yield held


def sections(text):
    for heading, body in split(text, "##"):
        if heading.strip().lower() in LIST_SECTIONS:
            continue
        if len(body) <= 2000:
            yield heading, body
            continue
        for below, part in split(body, "###"):
            name = f"{heading} > {below}" if below else heading
            for piece in paragraphs(part, 2000) if len(part) > 2000 else [part]:
                yield name, piece


def chunks_of(path, text):
    front = re.match(r"---\n(.*?)\n---\n", text, re.S)
    tags = " ".join(re.findall(r"(?m)^tags:\s*(.+)$", front.group(1))) if front else ""
    title = re.search(r"(?m)^(?:title:|#)\s+(.+)$", text)
    title = title.group(1).strip() if title else pathlib.Path(path).stem
    body = text[front.end():] if front else text
    for section, piece in sections(body):
        piece = piece.strip()
        if len(piece) >= 30:
            yield path, section, piece, f"{title} {tags}"


def changed(db, folder):
    known = dict(db.execute("select path, stamp from file"))
    for file in sorted(folder.rglob("*.md")):
        path, stamp = str(file.relative_to(folder)), file.stat().st_mtime_ns
        if known.pop(path, None) != stamp:
            yield path, stamp, file
    for path in known:
        forget(db, path)


def forget(db, path):
    for (row,) in list(db.execute("select id from chunk where path = ?", (path,))):
        db.execute("delete from words where rowid = ?", (row,))
        db.execute("delete from near where rowid = ?", (row,))
    db.execute("delete from chunk where path = ?", (path,))
    db.execute("delete from file where path = ?", (path,))


def write(db, model, batch):
    vectors = model.encode([f"{context} {section}\n{text}" for _, section, text, context in batch])
    for (path, section, text, context), vector in zip(batch, vectors):
        db.execute("insert into chunk (path, section, text) values (?, ?, ?)", (path, section, text))
        row = db.last_insert_rowid()
        db.execute(
            "insert into words (rowid, text, section, context) values (?, ?, ?, ?)",
            (row, text, section, context),
        )
        db.execute(
            "insert into near (rowid, embedding) values (?, ?)",
            (row, vector.astype("float32").tobytes()),
        )


def index(folder, target):
    db, model, batch = connect(target), None, []
    with db:
        for path, stamp, file in changed(db, folder):
            model = model or load_model()
            forget(db, path)
            db.execute("insert into file values (?, ?)", (path, stamp))
            batch += chunks_of(path, file.read_text(errors="replace"))
            if len(batch) >= 1000:
                write(db, model, batch)
                batch = []
        if batch:
            write(db, model, batch)
    print(next(db.execute("select count(*) from chunk"))[0], "chunks")


def ask(db, model, question):
    terms = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
    by_words = db.execute(
        "select rowid from words where words match ? order by bm25(words, 1.0, 0.5, 0.3) limit ?",
        (terms, CANDIDATES),
    ) if terms else []
    by_words = [row for (row,) in by_words]
    vector = model.encode([question])[0].astype("float32").tobytes()
    by_meaning = [row for (row,) in db.execute(
        "select rowid from near where embedding match ? and k = ?", (vector, CANDIDATES))]
    scores = {}
    for ranking in (by_words, by_meaning):
        for rank, row in enumerate(ranking, 1):
            scores[row] = scores.get(row, 0) + 1 / (K + rank)
    best = sorted(scores, key=lambda row: (-scores[row], row))
    return [next(db.execute("select path from chunk where id = ?", (row,)))[0] for row in best]


def main():
    verb, *rest = sys.argv[1:]
    if verb == "index":
        index(pathlib.Path(rest[0]), rest[1])
        return
    db, model = connect(rest[0]), load_model()
    if verb == "ask":
        print("\n".join(ask(db, model, rest[1])[:10]))
    else:
        serve(lambda question: ask(db, model, question))


if __name__ == "__main__":
    main()
