-- When a document was last used: the least useful goes first when space runs out. Apart from the documents, whose
-- rows carry whole texts and would be written anew at every use.
CREATE TABLE uses (
    document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    used_at REAL NOT NULL
);
CREATE INDEX uses_oldest ON uses (used_at);
INSERT INTO uses SELECT id, fetched_at FROM documents;

-- The vectors at a byte a number, for a first look at the whole library; what they are of, the other table tells.
CREATE TABLE vectors8 (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    model TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    i8 BLOB NOT NULL,
    PRIMARY KEY (document, model)
);

-- What attempts may cost, and have cost, in millionths of a dollar; without an end they are settled.
CREATE TABLE ledger (
    op TEXT PRIMARY KEY,
    provider TEXT NOT NULL,
    day TEXT NOT NULL,
    amount INTEGER NOT NULL,
    until REAL
) WITHOUT ROWID;
CREATE INDEX ledger_days ON ledger (day, provider);

-- Who knows schema 1 alone may go on: the tables it does not know only help to find and to choose.
REPLACE INTO meta VALUES ('store.schema_min', '1');
