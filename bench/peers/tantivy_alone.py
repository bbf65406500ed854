#!/usr/bin/env python3
"""tantivy by itself, through its Python wheel: one document for each file, title and body, stemmed.

    tantivy_alone.py index FOLDER INDEX | ask INDEX QUESTION | warm INDEX

It has no idea of what changed, so that "nothing changed" is another full run.
"""

import pathlib
import re
import shutil
import sys

import tantivy

from talk import serve


def schema():
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("path", stored=True, tokenizer_name="raw")
    builder.add_text_field("title", tokenizer_name="en_stem")
    builder.add_text_field("body", stored=True, tokenizer_name="en_stem")
    return builder.build()


def index(folder, target):
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    writer = tantivy.Index(schema(), path=str(target)).writer(heap_size=100_000_000)
    for file in sorted(folder.rglob("*.md")):
        text = file.read_text(errors="replace")
        title = re.search(r"(?m)^(?:title:|#)\s+(.+)$", text)
        writer.add_document(tantivy.Document(
            path=str(file.relative_to(folder)),
            title=title.group(1) if title else file.stem,
            body=text,
        ))
    writer.commit()
    writer.wait_merging_threads()


def opened(target):
    found = tantivy.Index.open(str(target))
    searcher = found.searcher()

    def ask(question):
        words = " ".join(re.findall(r"\w+", question)).lower()
        query = found.parse_query(words, ["title", "body"])
        hits = searcher.search(query, 30).hits
        return [searcher.doc(address)["path"][0] for _, address in hits]

    return ask


def main():
    verb, *rest = sys.argv[1:]
    if verb == "index":
        index(pathlib.Path(rest[0]), pathlib.Path(rest[1]))
    elif verb == "ask":
        print("\n".join(opened(rest[0])(rest[1])[:10]))
    else:
        serve(opened(rest[0]))


if __name__ == "__main__":
    main()
