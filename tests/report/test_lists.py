"""Lists as spreadsheets of any country write them; their encodings."""

import pytest

from clock.report.lists import NotTextError, decode


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
