-- An id is never used twice: index entries of a damaged page can then never point at another one.
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    url TEXT NOT NULL,
    view TEXT NOT NULL,
    host TEXT NOT NULL,
    title TEXT NOT NULL,
    fetched_at REAL NOT NULL,
    version INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    chars INTEGER NOT NULL,
    chunk_count INTEGER NOT NULL,
    details TEXT NOT NULL, -- the other fields of a page, as JSON
    body BLOB NOT NULL, -- the text: UTF-8, zlib
    UNIQUE (url, view)
);
CREATE INDEX documents_newest ON documents (view, fetched_at, chunk_count);

-- Earlier texts of a document.
CREATE TABLE snapshots (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    version INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    title TEXT NOT NULL,
    fetched_at REAL NOT NULL,
    details TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (document, version)
);

-- cid is the document's id * 4096 + the position in the page: a page is one range of this table.
CREATE TABLE chunks (
    cid INTEGER PRIMARY KEY,
    id TEXT NOT NULL, -- also the checksum of the row
    section TEXT NOT NULL, -- a JSON list
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    text TEXT NOT NULL
);

-- All vectors of a page by one model, packed as float16.
CREATE TABLE vectors (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    model TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    f16 BLOB NOT NULL,
    PRIMARY KEY (document, model)
);

-- Prepared words of title, section and text; rowid is the cid. Preparing decides what a word is, so the tokenizer
-- only splits at spaces. Ranking needs the positions that detail=column would save.
CREATE VIRTUAL TABLE fts USING fts5 (words, content = '', tokenize = 'ascii');
CREATE VIRTUAL TABLE word_counts USING fts5vocab (fts, row);
