"""The tournament director's configuration file.

`schema` lists the keys with their limits and defaults, `reader` turns TOML text into those tables,
`checks` finds values that contradict each other, and `loader` finds the file and makes `settings`
of it. `fallback` saves what it can of a file that has an error. Imports `match` and nothing else.
"""
