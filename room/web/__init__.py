"""The web application: which address answers what, and to whom."""
