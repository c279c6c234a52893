-- Whether a question is a document's title.
-- Written at once: a list of what is not sorted in yet would be read by each question.
CREATE INDEX documents_of_label ON documents USING gin (labels) WITH (fastupdate = off);
