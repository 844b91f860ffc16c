"""Pure functions of retrieval: chunk, index, rank, choose passages, prove citations."""
