"""The TOML file."""
