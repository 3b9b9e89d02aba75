# ruff: noqa: RUF001 (letters of other alphabets)
"""Letters that a font lacks are spelled in those that it has."""

import unicodedata

import pytest

from hardware.display.glyphs import font
from hardware.display.spelling import spelled, unknown_letters

BLOCKS = {  # first and last character
    "Latin-1": (0xA1, 0xFF),
    "Latin Extended-A and -B": (0x100, 0x24F),
    "Latin Extended Additional": (0x1E00, 0x1EF9),
    "Greek": (0x370, 0x3FF),
    "Greek Extended": (0x1F00, 0x1FFF),
    "Cyrillic": (0x400, 0x52F),
}
NOT_SPELLED = {"ẚ", "ẟ"}  # of transcriptions; no names have them


@pytest.mark.rule("R216")
@pytest.mark.parametrize("block", BLOCKS)
def test_every_letter_is_drawn_or_spelled(block: str) -> None:
    first, last = BLOCKS[block]
    letters = {char for char in map(chr, range(first, last + 1)) if char.isalpha()} - NOT_SPELLED
    assert [char for char in letters if unknown_letters(char)] == []
    for char in letters - set("ЪЬъь"):
        for form in ("NFC", "NFD"):
            assert spelled(unicodedata.normalize(form, char), font("text").characters).strip()


@pytest.mark.rule("R216")
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Aleksander Łoś", "Aleksander Los"),
        ("Ştefan Đorđević", "Stefan Dordevic"),
        ("Ağaoğlu İnce Işık", "Agaoglu Ince Isik"),
        ("Γιώργος Παπαδόπουλος", "Giorgos Papadopoulos"),
        ("Ευάγγελος", "Evangelos"),
        ("Олена Щука", "Olena Shchuka"),
        ("Ђоковић", "Djokovic"),
        ("Þór Sørensen-Weiß", "Þór Sørensen-Weiß"),
        ("Ｆｕｌｌ", "Full"),
        ("Nguyễn", "Nguyen"),
        ("A\u200bx\u030cel", "Axel"),
    ],
)
def test_names_have_their_usual_spelling(name: str, shown: str) -> None:
    assert spelled(name, font("text").characters) == font("text").shorten(name, 999) == shown
    assert unknown_letters(name) == ""


@pytest.mark.parametrize("name", ["דוד כהן", "محمد علي", "望月 太郎", "Ada 🎲", "ʨ"])
def test_what_has_no_spelling_stays(name: str) -> None:
    assert set(unknown_letters(name)) >= {char for char in name if ord(char) > 0x500}
