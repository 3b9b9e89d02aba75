"""The web application, which address answers what to whom, and the programs that serve it."""
