"""What sources report, and what single lines prove: which are new, when they were written. Pure."""
