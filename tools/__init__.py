"""Programs of the project that test nothing: they write documents and build what tests need."""
