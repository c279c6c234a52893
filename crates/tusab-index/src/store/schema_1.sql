CREATE TABLE state (
    -- One row. `generation` counts the committed batches; a derived index names the one it was made from.
    store TEXT NOT NULL DEFAULT (lower(hex(randomblob(16)))),
    generation INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO state DEFAULT VALUES;

CREATE TABLE documents (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    language TEXT,
    date TEXT,
    link TEXT,
    tags TEXT NOT NULL, -- a JSON array
    content_hash BLOB NOT NULL,
    generation INTEGER NOT NULL -- of the batch that wrote it last
) STRICT;
CREATE INDEX documents_by_generation ON documents (generation);

-- Documents removed after some generation: what a derived index that is behind must forget.
CREATE TABLE removed (
    document INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL
) STRICT;

CREATE TABLE chunks (
    -- Never used twice, so that a derived index cannot take a new chunk for an old one.
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    original_text TEXT NOT NULL,
    key_phrases TEXT NOT NULL, -- a JSON array
    section TEXT,
    position TEXT NOT NULL, -- JSON
    part TEXT, -- JSON
    speakers TEXT NOT NULL, -- a JSON array
    UNIQUE (document, ordinal)
) STRICT;

-- Literal words and phrases. It keeps no text of its own, only the index; rows are chunk keys.
CREATE VIRTUAL TABLE literal USING fts5 (
    original_text, title, tags,
    content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
