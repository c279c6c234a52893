-- The language told from the text, where the source did not say; part of what the derived index was made from.
ALTER TABLE documents ADD COLUMN detected TEXT;

-- The identity that the text had when it was written: what is read is compared with it.
ALTER TABLE chunks ADD COLUMN id BLOB;
-- A sketch of its words, by which near-duplicates are told.
ALTER TABLE chunks ADD COLUMN signature BLOB;

-- Words come as the analysis gives them, between spaces; compounds stand apart, so that phrases run on past them.
DROP TABLE literal;
CREATE VIRTUAL TABLE literal USING fts5 (
    words, title, tags, compounds,
    content = '', contentless_delete = 1, tokenize = "ascii tokenchars '-./_@+#&=:,$%'"
);
-- Bytes of new words that are gathered before they are written: the default of 1 MB makes many small pieces, which are
-- then merged again and again.
INSERT INTO literal (literal, rank) VALUES ('hashsize', 16777216);
