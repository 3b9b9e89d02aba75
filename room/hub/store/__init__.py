"""Keep lines and results in SQLite or PostgreSQL; nothing else has SQL."""
