-- The language told from the text, where the source did not say; part of what the derived index was made from.
ALTER TABLE documents ADD COLUMN detected TEXT;

-- The identity that the text had when it was written: what is read is compared with it.
ALTER TABLE chunks ADD COLUMN id BLOB;
-- A sketch of its words, by which near-duplicates are told.
ALTER TABLE chunks ADD COLUMN signature BLOB;
-- 1 once key phrases were given, be they none: enrichment goes on with those that have 0.
ALTER TABLE chunks ADD COLUMN has_key_phrases INTEGER NOT NULL DEFAULT 0;
UPDATE chunks SET has_key_phrases = 1 WHERE key_phrases <> '[]';

-- Whose numbers the vectors are, as JSON; none before the first vector.
ALTER TABLE state ADD COLUMN space TEXT;
-- Counts the commits that changed which vectors there are, as `generation` counts those that changed words: the files
-- of vectors name the one they were made from, and a set of vectors need not touch the other index, nor words these.
ALTER TABLE state ADD COLUMN vectors INTEGER NOT NULL DEFAULT 0;
-- 1 when something was deleted since the file was last written anew: it may still stand in a free page.
ALTER TABLE state ADD COLUMN traces INTEGER NOT NULL DEFAULT 0;
-- Vectors that were removed up to this one are gone: files of an earlier one cannot be caught up.
ALTER TABLE state ADD COLUMN vectors_swept INTEGER NOT NULL DEFAULT 0;

CREATE TABLE vectors (
    chunk INTEGER PRIMARY KEY, -- its key
    generation INTEGER NOT NULL, -- the value of `state.vectors` that it came with
    vector BLOB NOT NULL, -- 32-bit floats, little-endian
    sum INTEGER NOT NULL -- CRC-32 of the vector
) STRICT;
CREATE INDEX vectors_by_generation ON vectors (generation);

-- Words come as the analysis gives them, between spaces; compounds stand apart, so that phrases run on past them.
DROP TABLE literal;
CREATE VIRTUAL TABLE literal USING fts5 (
    words, title, tags, compounds,
    content = '', contentless_delete = 1, tokenize = "ascii tokenchars '-./_@+#&=:,$%'"
);
-- Bytes of new words that are gathered before they are written: the default of 1 MB makes more small pieces, which are
-- then merged again and again.
INSERT INTO literal (literal, rank) VALUES ('hashsize', 2097152);
