"""What single lines prove: which are new, when they were written, what state they lead to. Pure."""
