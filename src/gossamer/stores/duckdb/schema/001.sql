-- No index, no primary key, no unique column in this store: DuckDB has lost index entries when one process replayed
-- the log of another. Who holds the lease is alone with the file, so every change keeps names unique by itself.
CREATE TABLE documents (
    id BIGINT NOT NULL,
    url VARCHAR NOT NULL,
    view VARCHAR NOT NULL,
    host VARCHAR NOT NULL,
    title VARCHAR NOT NULL,
    fetched_at DOUBLE NOT NULL,
    used_at DOUBLE NOT NULL,
    version BIGINT NOT NULL,
    content_hash VARCHAR NOT NULL,
    chars BIGINT NOT NULL,
    chunk_count BIGINT NOT NULL,
    word_count BIGINT NOT NULL, -- of all its chunks, as they are indexed
    cut VARCHAR NOT NULL, -- names the present chunks: vectors of the same name are of them
    bytes BIGINT NOT NULL, -- what the row and its chunks take, roughly
    details VARCHAR NOT NULL, -- the other fields of a page, as JSON
    body BLOB NOT NULL -- the text: UTF-8, zlib
);

-- Earlier texts of a document.
CREATE TABLE snapshots (
    document BIGINT NOT NULL,
    version BIGINT NOT NULL,
    content_hash VARCHAR NOT NULL,
    title VARCHAR NOT NULL,
    fetched_at DOUBLE NOT NULL,
    bytes BIGINT NOT NULL,
    details VARCHAR NOT NULL,
    body BLOB NOT NULL
);

-- cid is the document's id * 4096 + the position in the page: a page is one range of this table.
CREATE TABLE chunks (
    cid BIGINT NOT NULL,
    id VARCHAR NOT NULL, -- also the checksum of the row
    section VARCHAR NOT NULL, -- a JSON list
    start BIGINT NOT NULL,
    stop BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    text VARCHAR NOT NULL
);

-- Prepared words of title, section and text: how often each is in a chunk that has `length` of them.
CREATE TABLE postings (
    word VARCHAR NOT NULL,
    cid BIGINT NOT NULL,
    times BIGINT NOT NULL,
    length BIGINT NOT NULL
);

-- All vectors of a page by one model, packed: at two bytes a number, and at one for a first look at all pages.
CREATE TABLE vectors (
    document BIGINT NOT NULL,
    model VARCHAR NOT NULL,
    dimension BIGINT NOT NULL,
    kept BIGINT NOT NULL, -- counts up: the greatest was kept last
    cut VARCHAR NOT NULL,
    chunk_ids VARCHAR NOT NULL, -- 32 digits of each id
    bytes BIGINT NOT NULL,
    f16 BLOB NOT NULL,
    i8 BLOB NOT NULL
);

-- The dimension that a model has answered with so far.
CREATE TABLE models (
    name VARCHAR NOT NULL,
    dimension BIGINT NOT NULL
);

-- What attempts may cost and have cost, in millionths of a dollar; without `until` it is settled.
CREATE TABLE ledger (
    op VARCHAR NOT NULL,
    provider VARCHAR NOT NULL,
    day VARCHAR NOT NULL,
    amount BIGINT NOT NULL,
    until DOUBLE
);
