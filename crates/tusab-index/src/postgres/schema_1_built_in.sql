-- Where the extensions are not to be had, after the tables: PostgreSQL's own index of words.
ALTER TABLE chunks
    ADD COLUMN nominates tsvector NOT NULL GENERATED ALWAYS AS (tusab.words(terms)) STORED,
    ADD COLUMN says tsvector NOT NULL GENERATED ALWAYS AS (strip(tusab.words(literal))) STORED;
CREATE INDEX chunks_words ON chunks USING gin (nominates, says) WITH (fastupdate = off);
