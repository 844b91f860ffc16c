-- What sites sent for pages, byte for byte: other views of a page are made of it while it is fresh. Apart from the
-- documents, whose rows are read without it.
CREATE TABLE replies (
    document BIGINT NOT NULL, -- the page that it was kept with, and goes with
    identity VARCHAR NOT NULL, -- of the request
    fetched_at DOUBLE NOT NULL,
    fresh_until DOUBLE NOT NULL,
    body_hash VARCHAR NOT NULL, -- as in the details of the pages made of it
    bytes BIGINT NOT NULL, -- what the row takes, roughly
    details VARCHAR NOT NULL, -- its other fields, as JSON
    body BLOB NOT NULL -- zlib
);

-- Who knows schema 1 alone may go on: a reply whose page it let go is let go in turn, as one that has no page.
DELETE FROM meta WHERE key = 'store.schema_min';
INSERT INTO meta VALUES ('store.schema_min', '1');
