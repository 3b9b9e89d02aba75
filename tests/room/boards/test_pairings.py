"""Pairing lists as tournament programs and spreadsheets write them."""

import csv
from io import StringIO
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.config.schema import LONGEST_NAME
from lab.support.paths import DATA
from room.boards.pairing_columns import short_name
from room.boards.pairings import MAX_LIST, Pairing, read_pairings
from room.hub.words import page_words

CASES = DATA / "cases"
BOARDS = ("1", "2", "12", "A-1")
WORDS = page_words("en")
ANNA = Pairing("1", ("Anna", "Bob"))
CID = Pairing("12", ("Cid", "Dora"))


def read(content: bytes | str) -> tuple[list[tuple[str, ...]], list[str]]:
    """Return board, player, player of each pairing, and the problems."""
    content = content if isinstance(content, bytes) else content.encode()
    found = read_pairings(content, BOARDS, WORDS)
    return [(board, *names) for board, names in found.pairings], found.problems


MOE, DOE = ("1", "Moe, Ada", "Roe, Åse"), ("2", "Doe, Ida", "Poe, Bo")


@pytest.mark.parametrize(
    "text",
    [
        '01;Moe, Ada;"Roe,\nÅse"\nTable 2;Doe, Ida;Poe, Bo\n',
        "Bord;Navn;Fornavn;Navn;Fornavn\n1;Moe;Ada;Roe;Åse\n2;Doe;Ida;Poe;Bo\n",
        "Seat;Player;Club\n1;Moe, Ada;Roe, Åse\n2;Doe, Ida;Poe, Bo\n",
        "Seat;Home;Club;Away\n1;Moe, Ada;Rom;Roe, Åse\n2;Doe, Ida;;Poe, Bo\n",
        '"1;Moe, Ada;Roe, Åse"\n"2;Doe, Ida;Poe, Bo"\n',
        "1,“Moe, Ada”,„Roe, Åse“\n2,“Doe, Ida”,”Poe, Bo”\n",
        "1;Moe, Ada;vs.;Roe, Åse\n2;Doe, Ida;-;Poe, Bo\n",
        "1;Moe, Ada vs. Roe, Åse\n2;Doe, Ida vs. Poe, Bo\n",
        "Board;Player\n1;Moe, Ada\n1;Roe, Åse\n2;Doe, Ida\n;Poe, Bo\n",
        "Table;No.;Name;Rtg;No.;Name;Rtg\n1;2;Moe, Ada;7;12;Roe, Åse;9\n2;1;Doe, Ida;;3;Poe, Bo;",
        "Bo.;No.;;Name;Result;;Name;No.\n1;2;;Moe, Ada;;;Roe, Åse;12\n2;1;;Doe, Ida;;;Poe, Bo;12\n",
        "No.;Name;No.;Name;Tisch\n2;Moe, Ada;12;Roe, Åse;1\n1;Doe, Ida;3;Poe, Bo;2\n",
        "1,Moe, Ada,Roe, Åse\n2,Doe, Ida,Poe, Bo\n",
        '1, "Moe, Ada", "Roe, Åse"\n2, "Doe, Ida", "Poe, Bo"\n',
        "Table  White     Black\n1      Moe, Ada  Roe, Åse\n2      Doe, Ida  Poe, Bo\n",
        "Table 1: Moe, Ada - Roe, Åse\nTable 2: Doe, Ida \u2013 Poe, Bo\n",
        "1. Moe, Ada vs. Roe, Åse\n2. Doe, Ida vs. Poe, Bo\n",
        "\u200b1;Moe, Ada;Roe, Åse\nTisch-\uff12;Doe, Ida;Poe, Bo\n",
        "Player;Club;Player;No.\nMoe, Ada;Rom;Roe, Åse;1\nDoe, Ida;;Poe, Bo;2\n",
        "Board;Challenger;;Club;Player\n1;Moe, Ada;;Rom;Roe, Åse\n2;Doe, Ida;;;Poe, Bo\n",
        "Board\n1;Moe, Ada;Roe, Åse\n2;Doe, Ida;Poe, Bo\n",
        ";1;Moe, Ada;Roe, Åse\n;2;Doe, Ida;Poe, Bo\n",
        ";White;Black\n1;Moe, Ada;Roe, Åse\n2;Doe, Ida;Poe, Bo\n",
        "|Table|Player 1|Player 2|\n|---|---|---|\n|1|Moe, Ada|Roe, Åse|\n|2|Doe, Ida|Poe, Bo|\n",
    ],
)
def test_the_separator_and_the_columns_follow_from_what_fits(text: str) -> None:
    assert read(text) == ([MOE, DOE], [])


BOARD_CELLS = ["{}", "0{}", "{}.0", "{}.", "T{}", "({})", "[{}]", "#{}", "Bord: {}"]
BOARD_CELLS += ['="{}"', "Nr. {}"]
HEADINGS = (
    "Table White Black",
    "TableNumber Player1Name Player2Name",
    "Uhr Links Rechts",
    "Tisch-Nr. Heim Gast",
    "Bd P1 P2",
    "Pöytä Pelaaja1 Pelaaja2",
    "Match HJEMME UDE",
)
OTHERS = (("Club", "Rom", ""), ("Rating", "1850", "1790"), ("", "", ""), ("Score", "2", "1.5"))
ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "windows-1252")


@given(st.randoms())
def test_a_table_says_the_same_however_it_was_saved(random: Random) -> None:
    """Separator, quotes, encoding, line ends, headings, empty rows, and columns of other things."""
    pick, encoding = random.choice, random.choice(ENCODINGS)
    board, heading = pick(BOARD_CELLS), pick(HEADINGS).split()
    has_heading = pick((True, False))
    table = [heading, *([board.format(each[0]), *each[1:]] for each in (MOE, DOE))]
    for row in table if pick((True, False)) else ():
        row.append(row.pop(0))
    if has_heading:
        for other in random.sample(OTHERS, random.randrange(3)):
            place = random.randrange(4)
            for row, cell in zip(table, other, strict=True):
                row.insert(place, cell)
    table.insert(random.randrange(4), [""] * len(heading))
    file = StringIO(newline="")
    separator, end = pick(";,|\t"), pick(("\n", "\r\n", "\r"))
    quotes = pick(("excel", "unix"))  # where they are needed, or around each cell
    writer = csv.writer(file, quotes, delimiter=separator, lineterminator=end)
    writer.writerows(table if has_heading else [row for row in table if row is not heading])
    text = pick(("", f"sep={separator}{end}")) + file.getvalue()
    mark = "" if encoding.startswith("win") else "\ufeff"
    assert read((mark + text).encode(encoding, "replace")) == ([MOE, DOE], [])


def test_lists_of_the_cases() -> None:
    assert read((CASES / "pairings-semicolons.csv").read_bytes()) == ([MOE, DOE], [])
    known = read_pairings((CASES / "pairings-one-line.csv").read_bytes(), ["FINAL"], WORDS)
    assert known.pairings == [Pairing("FINAL", ("Ada", "Bo"))]
    assert known.summary == "1 board read"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("final,Ada,Bo\n", "line 1: there is no board final"),
        ("A9,Ada White,Bo Black\n1,Anna,Bob\n", "line 1: there is no board A9"),
        ("Round 3\nTable,Player 1,Player 2\n1,Anna,Bob\n", "line 1: expected a board and two"),
        ("1,Anna,Bob\n2,Ida,bye\n", "line 2: a bye is no match"),
        ("1,Anna,Bob\n2,- BYE -,Ida\n", "line 2: a bye is no match"),
        ("1,Anna,Bob\n2,Ida,1850\n", "line 2: expected a board and two players"),
        ("Table,Player 1,Hat,Player 2\n1,Anna,red,Bob\n", "column not understood: Hat"),
        ("Game;Table;One;Two\n7;1;Anna;Bob\n", "column not understood: Game"),
        ("1,Anna,Bob,Oslo\n", "column not understood: 4"),
        ("1,Anna,1850,Bob\n", "column not understood: 3"),
        ("1,Anna,DEN,Bob,NOR\n", "column not understood: 3"),
        ("3;1;Anna;Bob\n3;2;Ida;bye", "column not understood: 1"),
        ("Table,Player 1,Player 2\n1,Anna,Bob,Oslo\n", "column not understood: 4"),
        ("1,Anna,Bob\n2,Ida,w/o\n12,Wo,Ida\n", "line 2: a bye is no match"),
        ("1,Anna,Bob\n2,Ida,X\n", "line 2: a bye is no match"),
        (f"1,Anna,Bob\n2,{80 * 'x'}y,XX\n", "line 2: a bye is no match"),
        (f"1,Anna,Bob{30_000 * ','}\n" + 300 * "2\n", "line 2: expected a board and two"),
        ('1,Anna,Bob\n2,"Ida,Uwe\n', "line 2: expected a board and two players"),
        ("Table,Result\n", "line 1: expected a board and two"),
        ("1,Anna,Bob\nTable,White,Black\n", "line 2: there is no board Table"),
        ("1,Anna,Bob\n,Ida,Uwe\n", "line 2: expected a board and two"),
        ("1,Anna,Bob\n2,Ida,bye,Oslo\n", "column not understood: 4"),
        ("12;;Round\nTable;Player 1;Elo;Player 2\n1;Anna;7;Bob\n", "line 1: expected a board"),
        ("Round 3\nAnna;Bob;1\nIda;bye;2\n", "line 1: expected a board and two"),
        ("Table,Player 1,Player 2,Player 3\n1,Anna,Bob,Cid\n", "column not understood: Player 3"),
        ("1;GER;Anna;Bob\n2;NOR;IDA;-\n", "column not understood: 2"),
        ("1;12;Anna;Bob\n2;1;Ida;bye\n", "column not understood: 2"),
        ("A;1;Ida;Uwe\nA;2;Eva;Kai\n", "line 1: expected a board and two"),
        ("1;bye\n", "line 1: a bye is no match"),
        ("1,-,Ida\n", "line 1: a bye is no match"),
        ("Ida;Uwe;1\n", "line 1: expected a board and two"),
        ("Ida;Uwe;1;2\nEva;Kai;2\n", "line 1: expected a board and two"),
        ("Ida;Uwe;1\nEva;Kai;final\n", "line 1: expected a board and two"),
        ("1;Ida;2\nfinal;Uwe;12\n", "line 1: expected a board and two"),
        ("Ida;1850;1;Uwe\nEva;1790;2;Kai\n", "line 1: expected a board and two"),
    ],
)
def test_nothing_is_left_out_without_a_word(text: str, problem: str) -> None:
    pairings, problems = read(text)
    assert problems[0].startswith(problem)
    assert pairings == ([("1", "Anna", "Bob")] if "Anna" in text else [])


def test_how_much_was_read_is_always_told() -> None:
    lines = [f"{board},Ada,Bo" for board in (*BOARDS, "13", "14")]
    assert read_pairings("\n".join(lines).encode(), BOARDS, WORDS).summary == (
        "4 boards read, 2 lines not: line 5: there is no board 13; line 6: there is no board 14"
    )


def test_an_encoding_that_is_a_guess_is_named() -> None:
    found = read_pairings("1;Łucja Żak;Bo\n".encode("cp1250"), BOARDS, WORDS)
    assert (found.pairings, found.guess) == ([Pairing("1", ("Łucja Żak", "Bo"))], "windows-1250")


@pytest.mark.rule("R125")
def test_names_are_made_such_as_an_offer_may_have() -> None:
    content = '1,"Mu\u0308ller, Anna-Katharina",\u202eBob\u0007\n'.encode()
    [(_, names)] = read_pairings(content, BOARDS, WORDS).pairings
    assert names == ("Müller, Anna-Katharina", "Bob")
    assert short_name("x" * 39 + " y") == "x" * 39


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


def test_a_file_that_is_no_list_is_refused() -> None:
    for content, why in (
        (b"1" * (MAX_LIST + 1), "the list is larger than 64 KB"),
        (b"PK\x03\x04", WORDS["pairings_no_text"]),
    ):
        found = read_pairings(content, BOARDS, WORDS)
        assert found.problems == [found.summary] == [why]
    assert read(b"") == ([], [])


@given(st.binary(max_size=200) | st.text(alphabet='1,;\n"A\r\t ', max_size=60).map(str.encode))
def test_any_file_is_read(content: bytes) -> None:
    for board, names in read_pairings(content, BOARDS, WORDS).pairings:
        assert board in BOARDS
        assert all(0 < len(name) <= LONGEST_NAME and name.isprintable() for name in names)


@pytest.mark.parametrize(
    ("named", "boards", "meant"),
    [
        ("1", ["Table 1", "Clock 1"], None),  # either
        ("Table 1", ["Table 1", "Clock 1"], "Table 1"),
        ("clock", ["Clock", "Table"], "Clock"),
        ("Table 00", ["0", "00"], "00"),
    ],
)
def test_a_cell_names_one_board_or_none(named: str, boards: list[str], meant: str | None) -> None:
    found = read_pairings(f"{named},7,Ida,TOM".encode(), boards, WORDS)
    assert found.pairings == ([Pairing(meant, ("Ida", "TOM"))] if meant else [])


def test_a_first_line_without_a_board_is_counted() -> None:
    found = read_pairings(b"finale,Ada,Bo\n1,Anna,Bob\n12,Cid,Dora\n", BOARDS, WORDS)
    assert found.pairings == [ANNA, CID]
    assert found.summary == "2 boards read, 1 line not: line 1: there is no board finale"
