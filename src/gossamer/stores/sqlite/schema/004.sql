-- The vectors at a quarter of a byte a number: in a large library they tell which pages are worth a look at the bytes.
CREATE TABLE vectors2 (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    model TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    i2 BLOB NOT NULL,
    PRIMARY KEY (document, model)
);

-- Who knows schema 1 alone may go on: pages that it writes are found by their words, and by vectors when read again.
REPLACE INTO meta VALUES ('store.schema_min', '1');
