"""The words on the displays: a module for each language, all with the same keys and blanks."""
