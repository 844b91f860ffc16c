-- What sites sent for pages, byte for byte: other views of a page are made of it while it is fresh. Apart from the
-- documents, whose rows are read without it; it goes with the page that it was kept with.
CREATE TABLE replies (
    document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    identity TEXT NOT NULL, -- of the request
    fetched_at REAL NOT NULL,
    fresh_until REAL NOT NULL,
    body_hash TEXT NOT NULL, -- as in the details of the pages made of it
    bytes INTEGER NOT NULL, -- what the row takes, roughly
    details TEXT NOT NULL, -- its other fields, as JSON
    body BLOB NOT NULL -- zlib
);
CREATE INDEX replies_stale ON replies (fresh_until);

-- Who knows schema 1 alone may go on: pages that it renews only have a reply that seems older than it is.
REPLACE INTO meta VALUES ('store.schema_min', '1');
