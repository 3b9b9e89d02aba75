"""Pairing lists as tournament programs and spreadsheets write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.config.schema import LONGEST_NAME
from room.offers.pairings import MAX_LIST, Pairing, read_pairings, short_name
from room.web.page_files import page_words

BOARDS = ("1", "2", "12", "A-1")
WORDS = page_words("en")
ANNA = Pairing("1", ("Anna", "Bob"))
CID = Pairing("12", ("Cid", "Dora"))


@pytest.mark.parametrize(
    "text",
    [
        "1,Anna,Bob\n12,Cid,Dora\n",
        "Board;Player 1;Player 2\r\n1;Anna;Bob\r\n12;Cid;Dora\r\n",
        "1\tAnna\tBob\n\n12\tCid\tDora",
        "\ufeffTable,White,Black\n1, Anna , Bob ,7,x\n12,Cid,Dora\n,,\n",
        '"1","Anna","Bob"\n"12","Cid","Dora"\n',
    ],
)
def test_lists_of_any_program_are_read(text: str) -> None:
    """Commas, semicolons or tabs; a heading; empty lines; more columns."""
    assert read_pairings(text.encode(), BOARDS, WORDS) == ([ANNA, CID], [])


@pytest.mark.rule("R125")
def test_names_are_made_such_as_an_offer_may_have() -> None:
    content = '1,"Müller, Anna-Katharina",\u202eBob\u0007\n'.encode()
    [(_, names)] = read_pairings(content, BOARDS, WORDS).pairings
    assert names == ("Müller, Anna-Katharina", "Bob")
    assert short_name("x" * 39 + " y") == "x" * 39


def test_windows_writes_another_encoding() -> None:
    [(_, names)] = read_pairings("1;Jürgen;Åse\n".encode("cp1252"), BOARDS, WORDS).pairings
    assert names == ("Jürgen", "Åse")


def test_what_says_nothing_usable_is_named_by_its_line() -> None:
    content = b"1,Anna,Bob\n9,Eve,Fay\n1,Gus,Hal\n2,Ida\n12, ,Dora\n12,Cid,Dora\n"
    found = read_pairings(content, BOARDS, WORDS)
    assert found.pairings == [ANNA, CID]
    assert found.problems == [
        "line 2: there is no board 9",
        "line 3: board 1 again",
        "line 4: expected a board and two players",
        "line 5: expected a board and two players",
    ]


def test_a_first_line_without_a_heading_is_not_skipped_in_silence() -> None:
    assert read_pairings(b"9,Eve,Fay\n", BOARDS, WORDS).problems == ["line 1: there is no board 9"]


def test_a_file_that_is_no_list_is_refused() -> None:
    assert read_pairings(b"1" * (MAX_LIST + 1), BOARDS, WORDS).problems == [
        "the list is larger than 64 KB"
    ]
    assert read_pairings(b"", BOARDS, WORDS) == ([], [])


@given(st.binary(max_size=200) | st.text(alphabet='1,;\n"A\r\t ', max_size=60).map(str.encode))
def test_any_file_is_read(content: bytes) -> None:
    for board, names in read_pairings(content, BOARDS, WORDS).pairings:
        assert board in BOARDS
        assert all(0 < len(name) <= LONGEST_NAME and name.isprintable() for name in names)
