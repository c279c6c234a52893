-- After the tables: the index of `pg_search`.
CREATE INDEX chunks_bm25 ON chunks USING bm25 (key, project, terms, literal, labels, date) WITH (
    key_field = 'key',
    text_fields = '{
        "terms": {"tokenizer": {"type": "whitespace", "lowercase": false, "remove_long": 4096}, "record": "freq", "fieldnorms": true},
        "literal": {"tokenizer": {"type": "whitespace", "lowercase": false, "remove_long": 4096}, "record": "position", "fieldnorms": false},
        "labels": {"tokenizer": {"type": "whitespace", "lowercase": false, "remove_long": 4096}, "record": "basic", "fieldnorms": false}
    }'
);

-- pg_search writes no log of its index, and a server that was killed comes back with an old one. What such a server comes
-- back with of an unlogged table is nothing: then the index is made again from the chunks.
CREATE UNLOGGED TABLE bm25_is_whole (yes boolean NOT NULL);
INSERT INTO bm25_is_whole VALUES (true);
