-- Vectors name the chunks that they are of, 32 digits of each id: a page that changes keeps those of what stayed.
ALTER TABLE vectors ADD COLUMN chunk_ids TEXT NOT NULL DEFAULT '';
UPDATE vectors SET chunk_ids = (
    SELECT group_concat(digits, '') FROM (
        SELECT substr(id, 1, 32) AS digits FROM chunks
        WHERE cid BETWEEN document * 4096 AND document * 4096 + 4095 ORDER BY cid
    )
) WHERE EXISTS (SELECT 1 FROM chunks WHERE cid BETWEEN document * 4096 AND document * 4096 + 4095);

-- The dimension that a model has answered with so far.
CREATE TABLE models (
    name TEXT PRIMARY KEY,
    dimension INTEGER NOT NULL
);
INSERT INTO models SELECT model, max(dimension) FROM vectors GROUP BY model;

-- Who knows schema 1 alone may go on: vectors that it writes name no chunks, and are made again.
REPLACE INTO meta VALUES ('store.schema_min', '1');
