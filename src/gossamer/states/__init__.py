"""Small shared records with expiry."""
