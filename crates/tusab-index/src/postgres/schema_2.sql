-- A project that was set aside has given its name free, and can be taken back.
ALTER TABLE projects ADD COLUMN is_aside boolean NOT NULL DEFAULT false;
ALTER TABLE projects DROP CONSTRAINT projects_name_key;
CREATE UNIQUE INDEX projects_of_name ON projects (name) WHERE NOT is_aside;

-- Counts what was committed, by which a reader of a copy knows how far that is.
ALTER TABLE projects ADD COLUMN batches bigint NOT NULL DEFAULT 0;

-- Small files that belong to a project beside its passages, such as conversations.
CREATE TABLE files (
    project bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    content bytea NOT NULL,
    version bigint NOT NULL DEFAULT 1, -- counts what was written: who changes it says which one they have read
    PRIMARY KEY (project, name)
);

-- Who wrote it last, of those who keep its source.
ALTER TABLE documents ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
