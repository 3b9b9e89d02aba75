"""The user interface: what the three buttons mean and what the two panels show.

`dialogue` turns presses into inputs of the match, with the pages of `menu`, `menu_fields` and
`forms`. `pages`, `director_pages` and `error_pages` make the panels' contents, of which `face` has
the frame, `preview` says what a press would do and `descriptions` puts events into words; `i18n`
has the texts. Imports `match`, `eventlog` and `config`; no clock, file, thread or randomness.
"""
