"""`room/web/static_wall.py`: a board as the page of the hub draws it."""

from collections.abc import Iterator
from html.parser import HTMLParser
from random import Random
from typing import Any

import msgspec
from msgspec.structs import replace

from clock.match.types import Crawford, Pair, Phase, Side
from clock.units import SECOND_NS
from lab.support.examples import examples
from lab.support.rows import row
from lab.support.world import World
from room.boards.board import UNKNOWN, Board, Player
from room.hub.words import page_words
from room.web.static_wall import static_wall
from tests.room.pages.engine import Engine
from tests.room.pages.test_time import sent, some_cases

PAGE = """
const Intl = { Collator: class {}, NumberFormat: class { format() { return ""; } } };
const location = {}, URLSearchParams = class { get() {} };
class Node {
  constructor() {
    const setProperty = (name, value) => (this.attributes.style = `${name}:${value}`);
    Object.assign(this, { attributes: {}, style: { setProperty }, children: [] });
  }
  append(...children) { this.children.push(...children); }
  getAttribute(name) { return this.attributes[name]; }
  setAttribute(name, value) { this.attributes[name] = value; }
  get textContent() { return this.children.map((each) => each.textContent ?? each).join(""); }
  set textContent(text) { this.children = [text]; }
}
const document = { documentElement: {}, createElement: () => new Node() };
"""
# What a static page leaves out: how much of the delay and of a break is left, and words for times.
DRAWN = """
const UNKEPT = { undefined: ["href"], time: ["role", "aria-label"] };
const listed = ({ attributes, hidden, children }) => {
  for (const name of UNKEPT[attributes.class] ?? []) delete attributes[name];
  const text = children.filter((each) => typeof each === "string").join("");
  const below = children.filter((each) => each instanceof Node).flatMap(listed);
  return hidden || !(text || below.length) ? [] : [[attributes, text], ...below];
};
const drawn = (board, nowNs, words) => {
  const tile = new Tile(board, []), say = sayer(words);
  const { turn } = board;
  tile.draw(board, nowNs, say);
  const still = { ...board, until_ns: null, turn: turn && { ...turn, delay_ns: 0 } };
  tile.state.textContent = board.state === "FINISHED" ? "" : stateText(still, nowNs, say);
  return listed(tile.node);
};
const drawAll = (boards, words) => boards.map(([board, nowNs]) => drawn(board, nowNs, words));
"""
NAMES = (None, "", "<b>&amp;", *(letters * "x" for letters in (8, 9, 12, 13, 15, 16, 20, 21)))
SAYS = {  # while no clock runs
    Phase.FINISHED.value: (["finished"], ["finished", "end_score", "practice"]),
    Phase.STOPPED.value: (["call_director", "reason_request"],),
    UNKNOWN: ([],),
}
CLOCK = "5b1c"  # no board, although it is in the name of one


class Elements(HTMLParser):
    """The elements of a page that have a text, each with its attributes and its own text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[list[Any]] = []
        self._open: list[list[Any]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._open.append([dict(attrs), ""])
        self.found.append(self._open[-1])

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        ended = self._open.pop()
        if ended is self.found[-1] and not ended[1]:
            self.found.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1][1] += data


def some_boards(count: int) -> Iterator[tuple[Board, int]]:
    """Return random boards that run, stand or are over; each with an instant to draw it at."""
    random = Random(5)
    for state, instants in some_cases(count):
        for at_ns in instants:
            board = replace(
                msgspec.convert(sent(state), Board),
                id=random.choice(("7", "1234", "<7&>5")),
                players={side: Player(random.choice(NAMES), random.randrange(30)) for side in Side},
                legs=Pair(random.randrange(2), random.randrange(2)),
                best_of_three=random.random() < 0.5,
                crawford=random.choice(list(Crawford)),
                certain=random.random() < 0.5,
                winner=random.choice((None, *Side)),
            )
            if board.turn is None or random.random() < 0.3:
                phase = random.choice(list(SAYS))
                board = replace(board, turn=None, state=phase, says=random.choice(SAYS[phase]))
            yield board, at_ns - random.choice((0, SECOND_NS))


def test_a_board_is_drawn_as_the_page_of_the_hub_draws_it() -> None:
    """In each method, with and without a limit, running or not, over or not, at any instant."""
    engine, words = Engine(), page_words("en")
    engine.run(PAGE)
    engine.load("tile.js")
    engine.load("words.js")
    engine.run(DRAWN)

    def say(key: str, **values: object) -> str:
        return words[key].format(**values)

    boards = list(some_boards(examples(60)))
    pages = engine.call("drawAll", msgspec.to_builtins(boards), words)
    for (board, at_ns), page in zip(boards, pages, strict=True):
        with row(board, at_ns):
            assert Elements(static_wall([board], at_ns, say)).found[2:-1] == page


def test_boards_stand_in_the_order_of_the_room() -> None:
    """By hall and by name, numbers in them as numbers; clocks without a board last."""
    board = msgspec.convert(sent(World().state), Board)
    places = (
        *(
            ("", name, name)
            for name in ("2", "10", "Final", "table 2", f"table {CLOCK}", "Table 10")
        ),
        *(("", name, None) for name in ("zinc 2", f"{CLOCK} 2", f"{CLOCK} 10")),
        *((hall, "1", "1") for hall in ("Hall 2", "Hall 10")),
    )
    for clock, order in ((CLOCK, places), (None, places[:7])):
        boards = [
            replace(board, hall=hall, id=name, board=named, clock=clock)
            for hall, name, named in order
        ]
        page = Elements(static_wall(boards[::-1], 0, lambda key, **_: key)).found
        shown = [text for attributes, text in page if attributes.get("class") == "id"]
        assert shown == [name for _, name, _ in order]
