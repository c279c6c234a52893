-- What a project holds in all, kept with every batch: scores need it, and counting would read the whole of it.
CREATE TABLE projects (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    chunks bigint NOT NULL DEFAULT 0,
    text_tokens bigint NOT NULL DEFAULT 0,
    title_tokens bigint NOT NULL DEFAULT 0,
    space json -- whose numbers the vectors are; none before the first vector
);

-- Every table begins with the project, by which rows can be spread over servers.
CREATE TABLE documents (
    project bigint NOT NULL,
    key bigint GENERATED ALWAYS AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    content_hash bytea NOT NULL, -- empty while the first batch with it is being written
    record json NOT NULL, -- as text: JSON writes the NUL that PostgreSQL's own text refuses
    spoken text, -- the language, given or detected
    labels text[] NOT NULL, -- what filters look at, in the form that `chunks.labels` has
    date int, -- year, month and day as one number
    PRIMARY KEY (project, key),
    UNIQUE (project, id)
);

CREATE TABLE chunks (
    project bigint NOT NULL,
    key bigint GENERATED ALWAYS AS IDENTITY,
    document bigint NOT NULL,
    ordinal bigint NOT NULL,
    id bytea NOT NULL,
    chunk json NOT NULL,
    has_key_phrases boolean NOT NULL, -- they were given, be they none
    signature bytea,
    -- Words as the analysis gives them, between spaces, each behind the number of its project: no query for one project
    -- can name a word of another.
    terms text NOT NULL, -- stems and compounds of title, section and passage, by which passages are nominated
    literal text NOT NULL, -- the words of passage, title and tags, and the compounds, with a bar between
    labels text NOT NULL, -- kind, language, tags, document and words of the title, for filters
    date int,
    PRIMARY KEY (project, key)
);
CREATE INDEX chunks_of_document ON chunks (project, document, ordinal);
CREATE INDEX chunks_without_key_phrases ON chunks (project, key) WHERE NOT has_key_phrases;

-- In how many chunks of a project, and in how many titles of chunks, a term stands.
CREATE TABLE terms (
    project bigint NOT NULL,
    term text COLLATE "C" NOT NULL,
    chunks int NOT NULL,
    titles int NOT NULL,
    PRIMARY KEY (project, term)
) WITH (fillfactor = 70);

-- By the id of a chunk: they stay when a document is written again with the same passage.
CREATE TABLE vectors (
    project bigint NOT NULL,
    id bytea NOT NULL,
    document bigint NOT NULL,
    embedding vector NOT NULL,
    PRIMARY KEY (project, id)
);
CREATE INDEX vectors_of_document ON vectors (project, document);
