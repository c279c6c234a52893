CREATE TABLE state (
    -- One row. `generation` counts the committed batches; a derived index names the one it was made from.
    store TEXT NOT NULL DEFAULT (lower(hex(randomblob(16)))),
    generation INTEGER NOT NULL DEFAULT 0,
    -- What generations up to this one had replaced is gone: who reads an earlier one would miss it.
    swept INTEGER NOT NULL DEFAULT 0
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
    generation INTEGER NOT NULL, -- of the batch that wrote or removed it last
    removed INTEGER -- the generation that removed it; swept away once the derived indexes have forgotten it
) STRICT;
CREATE INDEX documents_by_generation ON documents (generation);
CREATE INDEX documents_removed ON documents (removed) WHERE removed IS NOT NULL;

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
    page INTEGER,
    speakers TEXT NOT NULL, -- a JSON array
    marks TEXT NOT NULL, -- a JSON array of [byte, milliseconds]
    -- From which generation on it is there, and from which on no more. What was replaced stays until the derived
    -- indexes have the new: a search reads the state that its BM25 index was made from.
    added INTEGER NOT NULL,
    replaced INTEGER
) STRICT;
CREATE INDEX chunks_of_document ON chunks (document, ordinal);
CREATE INDEX chunks_replaced ON chunks (replaced) WHERE replaced IS NOT NULL;

-- Literal words and phrases. It keeps no text of its own, only the index; rows are chunk keys.
CREATE VIRTUAL TABLE literal USING fts5 (
    original_text, title, tags,
    content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
