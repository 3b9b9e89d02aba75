"""Lists as spreadsheets of any country write them; their encodings."""

import pytest

from clock.report.lists import NotTextError, Row, decode, rows, spread


@pytest.mark.parametrize(
    ("encoding", "first", "second"),
    [
        ("windows-1250", "Łucja Żak", "Jiří Šíp"),
        ("windows-1250", "Kovačević, Željko", "Erdős"),
        ("windows-1252", "Guðrún Þórsdóttir", "Jürgen Weiß"),
        ("windows-1252", "Søren Kjær", "Hélène Müller"),
        ("windows-1253", "Άννα Παππά", "Γιώργος"),
        ("windows-1254", "I\u015f\u0131l Ağ", "Şule Çağ"),
        ("windows-1254", "Doğan Ayd\u0131n", "Çelik"),
        ("windows-1251", "Иван Петров", "Ольга Ильина"),
        ("windows-1252", "Dara D\u2019Arcy \u2013 “Ace”", "Bo Ek"),
        ("cp850", "Søren Kjær", "Jürgen Weiß"),
        ("mac-roman", "Hélène Müller", "Jörg Häßler"),
        ("windows-1252", "O\u2019Brien", "Özil"),
        ("windows-1250", "Đorđe", "Bo Ek"),
        ("windows-1250", "LeMałek", "Bo Ek"),
        ("windows-1251", "ИВАН", "Bo Ek"),
    ],
)
def test_the_encoding_is_the_one_whose_words_are_words(
    encoding: str, first: str, second: str
) -> None:
    text = f"1;{first};{second}\n"
    assert decode(text.encode(encoding)) == (text, encoding)


@pytest.mark.parametrize(
    "text", ["1\tAda Łoś\tJiří Šíp\r\n", "1;山田太郎;鈴木一郎\n", "2;דוד כהן;Άννα\n"]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_unicode_is_no_guess(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == (text, "")


@pytest.mark.parametrize(
    "content", [b"a" * 40 + b"\0", bytes(64), b"\0a\0a\0\0aa", b"\0" + b"a" * 19, b"%PDF"]
)
def test_zeros_that_are_not_those_of_unicode_are_of_no_text(content: bytes) -> None:
    with pytest.raises(NotTextError):
        decode(content)
    assert decode(b"\xef\xbb\xbf1;\xff\0") == ("1;\ufffd?", "")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("7,Moe, Ada,Roe, Bo\nx,y,z\n", ["1 7 Moe, Ada Roe, Bo", "2 x y z"]),
        ("7,Moe, Ada,Bo\n8,Doe, Ida,Cy\n", ["1 7 Moe Ada Bo", "2 8 Doe Ida Cy"]),
        ("\nTable 7:  Ann  Bo\n", ["2 Table 7: Ann Bo"]),
    ],
)
def test_rows_are_apart_where_most_of_them_are(given: str, expected: list[str]) -> None:
    found = rows(given, lambda all_rows: tuple(-abs(len(row.cells) - 3) for row in all_rows))
    assert [" ".join((str(row.line), *row.cells)) for row in found] == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("7|Ann - Bo", "1 7|Ann|Bo"),
        ("x|Ann - Bo", "1 x|Ann - Bo"),
        ("7|Ann - Bo;8|Cy|Di", "1 7|Ann - Bo;2 8|Cy|Di"),
        ("6|Eve;6|Fay;7|Ann|;|Bo|", "1 6|Eve|Fay;3 7|Ann|Bo"),
        ("6|Eve;6|Fay;7|Ann;7|Bo", "1 6|Eve|Fay;3 7|Ann|Bo"),
        ("6|Eve;7|Ann;8|Bo", "1 6|Eve;2 7|Ann;3 8|Bo"),
        ("x|Ann;x|Bo;7;Cy", "1 x|Ann;2 x|Bo;3 7;4 Cy"),
    ],
)
def test_two_names_of_a_row_or_of_two_rows_are_one_pair(given: str, expected: str) -> None:
    """The row of a pair keeps the line that it begins on."""
    found = spread(
        [Row(line, row.split("|")) for line, row in enumerate(given.split(";"), 1)],
        lambda row: row[0] if row[0].isdigit() else None,
    )
    assert ";".join(f"{row.line} {'|'.join(row.cells)}" for row in found) == expected
