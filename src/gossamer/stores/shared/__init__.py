"""What all stores share: rows and their checksums, ledger rules, ranking, exports."""
