-- The whole index of one domain. Disposable: everything here can be made again from the vault.
-- A change of this file bumps SCHEMA_VERSION in store.rs, and older files are rebuilt.

-- Which index this is: 16 random bytes and the number of commits. The first table, so that it lies on the
-- second page: store/file/identity.rs reads it from there.
CREATE TABLE identity (token BLOB NOT NULL);
INSERT INTO identity (token) VALUES (CAST(randomblob(16) || zeroblob(8) AS BLOB));

-- Facts about the index as a whole: model identity, settings, counts, dictionary.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value ANY
) STRICT, WITHOUT ROWID;

-- One row per file of the vault.
CREATE TABLE note (
    id            INTEGER PRIMARY KEY,
    path          TEXT NOT NULL UNIQUE,   -- verbatim, below the vault
    named_by_file INTEGER NOT NULL,       -- whether the path says what the note is called
    title         TEXT NOT NULL,
    format        TEXT NOT NULL,
    language      TEXT NOT NULL,
    kind          TEXT,
    memory_type   TEXT,                   -- semantic, procedural or episodic
    status        TEXT,
    category      TEXT,                   -- PARA: first folder
    area          TEXT,                   -- PARA: second folder
    tags          TEXT,                   -- JSON list
    aliases       TEXT,                   -- JSON list
    properties    TEXT,                   -- JSON object, all of the front matter
    summary       TEXT,
    author        TEXT,
    published     TEXT,                   -- YYYY-MM-DD
    created       TEXT,
    modified      TEXT,
    date          TEXT,                   -- the date shown and aged by
    date_source   TEXT,                   -- where `date` came from
    evergreen     INTEGER NOT NULL DEFAULT 0,
    superseded_by TEXT,
    headings      TEXT,                   -- JSON list of [level, text]
    pagerank      REAL,
    centrality    REAL,
    n_neighbours  INTEGER,                -- notes it links to or is linked from
    anchor_texts  TEXT,                   -- JSON list: what others call it when they link to it
    links_to      BLOB,                   -- keys of the paths it links to, four bytes each
    n_lines       INTEGER NOT NULL,
    size          INTEGER NOT NULL,       -- size, times and inode tell an unchanged file
    mtime_ns      INTEGER NOT NULL,
    inode         INTEGER NOT NULL,
    ctime_ns      INTEGER NOT NULL,
    hash          BLOB NOT NULL,          -- of the file's bytes as read
    warnings      TEXT                    -- JSON list of [line, message]
) STRICT;

-- The texts of a few notes each, credentials masked, compressed with the dictionary in meta.
-- The range of a note that is gone is blanked; a block without any note is removed.
CREATE TABLE text_block (
    id   INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
CREATE TABLE note_text (
    note    INTEGER PRIMARY KEY REFERENCES note(id),
    block   INTEGER NOT NULL REFERENCES text_block(id),
    start   INTEGER NOT NULL,             -- byte range in the unpacked block
    n_bytes INTEGER NOT NULL,
    own_start INTEGER                     -- where in it the file itself begins, if the text is read out of it
) STRICT;
CREATE INDEX note_text_block ON note_text(block);

-- The passages of a note, as byte ranges of its text. The id is also that of the vector.
CREATE TABLE chunk (
    id         INTEGER PRIMARY KEY,
    note       INTEGER NOT NULL REFERENCES note(id),
    ordinal    INTEGER NOT NULL,
    heading    INTEGER,                   -- index into note.headings
    start_byte INTEGER NOT NULL,
    end_byte   INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line   INTEGER NOT NULL,
    page       INTEGER,
    picture    TEXT,                      -- the file with the picture that it was read from, if it was
    handle     INTEGER NOT NULL,          -- short public id, stable while path and text are
    print      INTEGER NOT NULL,          -- fingerprint: passages of the same words have the same
    first_print INTEGER NOT NULL,         -- of the first paragraph, and of the last one
    last_print INTEGER NOT NULL,
    pieces     BLOB                       -- word pieces of the model, each once: rising, see pieces.rs
) STRICT;
CREATE INDEX chunk_note ON chunk(note);

-- Chunk ids that are free to be used again.
CREATE TABLE free_vector_id (id INTEGER PRIMARY KEY) STRICT;

-- Chunks that no vector was made of yet.
CREATE TABLE chunk_without_vector (chunk INTEGER PRIMARY KEY REFERENCES chunk(id)) STRICT;

-- Vectors, a fixed number per block: binary codes for the scan, magnitudes for the rescoring. A block of codes is long, since all
-- of them are read; one of magnitudes lies on a page, since few are.
CREATE TABLE vector_code (block INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TABLE vector_row  (block INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;

-- Vectors of a second model, by a digest of that model and the text. They outlive the notes they were made
-- of, until somebody looks for what is left over.
CREATE TABLE text_vector (key BLOB PRIMARY KEY, data BLOB NOT NULL) STRICT, WITHOUT ROWID;

-- Names a note can be called by: file name, aliases, title, as keys for comparison; each once as it is
-- written and once by its stems.
CREATE TABLE name (
    key  TEXT NOT NULL,
    note INTEGER NOT NULL REFERENCES note(id),
    rank INTEGER NOT NULL,                -- 0 file name, 1 alias, 2 title
    PRIMARY KEY (key, note)
) STRICT, WITHOUT ROWID;
CREATE INDEX name_note ON name(note);

-- Links as written. What they lead to is decided when asked: a new note may resolve old links.
CREATE TABLE link (
    source INTEGER NOT NULL REFERENCES note(id),
    line   INTEGER NOT NULL,
    kind   INTEGER NOT NULL,
    target TEXT NOT NULL,
    anchor TEXT,
    shown  TEXT                             -- unless it is the target itself
) STRICT;
CREATE INDEX link_source ON link(source);

-- When a file last came or went in each folder: one that came is found without any clock.
CREATE TABLE folder (
    path     TEXT PRIMARY KEY,
    mtime_ns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Other files of the vault that links may lead to: pictures, sounds, documents.
CREATE TABLE attachment (path TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- Files that could not be taken, from the last run that looked at them.
CREATE TABLE skipped (
    path   TEXT PRIMARY KEY,
    reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The last run's files and folders that a rule left out.
CREATE TABLE left_out (
    path TEXT PRIMARY KEY,
    rule TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The day of each file's last commit, in vaults that git keeps.
CREATE TABLE committed (
    path TEXT PRIMARY KEY,
    day  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Credentials that were masked: where, never what.
CREATE TABLE masked (
    note    INTEGER NOT NULL REFERENCES note(id),
    line    INTEGER NOT NULL,
    pattern TEXT NOT NULL
) STRICT;
CREATE INDEX masked_note ON masked(note);

-- The segment files of the word index.
CREATE TABLE lexical_file (
    id   INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice, so that cached ranges stay true
    name TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL
) STRICT;
CREATE TABLE lexical_block (
    id   INTEGER PRIMARY KEY,               -- file << 24 | number of the block
    data BLOB NOT NULL
) STRICT;
