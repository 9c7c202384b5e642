"""The JSON Schemas of the TOML files, in `docs/schemas/`: `python -m tools.schemas` after a key was changed.

An editor checks a file against its schema, completes its keys and words, and shows what a key means. msgspec makes the
schemas of the structs that read the files; the descriptions are the docstrings below the keys. A schema accepts every
file that its command accepts. It refuses wrong keys, types, ranges and words; what depends on other keys, on files or
on the game only the command knows.
"""
