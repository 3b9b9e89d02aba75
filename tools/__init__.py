"""Programs beside the tests: they write documents, build what tests need, kill parts of a room."""
