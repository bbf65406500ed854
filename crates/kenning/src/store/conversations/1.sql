-- Conversations of one data directory. Unlike the index they cannot be made again: a change of this schema is
-- another file beside this one, which older databases go through.

-- Which database this is, as in schema.sql: the first table, so that it lies on the second page.
CREATE TABLE identity (token BLOB NOT NULL);
INSERT INTO identity (token) VALUES (CAST(randomblob(16) || zeroblob(8) AS BLOB));

CREATE TABLE conversation (
    id         TEXT PRIMARY KEY,
    owner      TEXT NOT NULL,             -- the client that began it; empty for the person at this machine
    title      TEXT NOT NULL,
    is_named   INTEGER NOT NULL,          -- whether somebody gave the title
    domains    TEXT NOT NULL,             -- JSON list
    scope      TEXT,                      -- JSON, as the interface wrote it
    begun_at   INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    head       INTEGER                    -- last turn of the branch that is shown
) STRICT;
CREATE INDEX conversation_owner ON conversation(owner, changed_at);

-- Questions with their answers. Turns of one parent are alternatives: an edited question, or an answer that
-- was asked for again.
CREATE TABLE turn (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation TEXT NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
    parent       INTEGER REFERENCES turn(id) ON DELETE CASCADE,
    question     TEXT NOT NULL,
    answer       TEXT NOT NULL,
    state        INTEGER NOT NULL,        -- 0 asked, 1 answered, 2 stopped
    sources      TEXT,                    -- JSON, as the interface wrote it
    model        TEXT,
    asked_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX turn_conversation ON turn(conversation);
CREATE INDEX turn_parent ON turn(parent);
