"""A ruling from the hub's interface to a hand at the box, and what the hub learns of it.

Hub, web application and clock are the real ones; the broker between them is a function call that
can lose what it carries, and time is virtual.
"""

import json
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from clock.match.inputs import NamesSet
from clock.match.rules import Recorded
from clock.match.types import Pair, Phase, Side
from clock.text import fields, message
from clock.ui.i18n import LANGUAGES
from clock.units import SECOND_NS
from lab.support import hubs
from lab.support.last_run import PHASES, Written
from lab.support.offers import MASTER
from lab.support.rows import row
from room.boards.rulings import Rulings
from room.hub.words import hub_message
from room.lines.events import Place
from tests.room.web.test_site import lines
from tests.stories.test_offers_from_the_room import Hall
from tests.stories.test_rulings import CARRY_OUT, MORE, OPEN, STOPPED

PATH = "/api/1/rulings/7"


class Room(Hall):
    """A hall whose director proposes rulings for its board."""

    def look(self, path: str = PATH) -> Any:
        """What the director's page shows of the ruling."""
        return self.get(path)

    def propose(self, *answers: object, item: str = "add_time", **changes: object) -> int:
        """The director proposes what they have looked at; return the status of the answer."""
        after = self.look()["after"]
        wanted = {"after": after, "item": item, "answers": answers or MORE, "by": "Eva"}
        return self.director.post(PATH, json=wanted | changes).status_code

    @property
    def ruling(self) -> str:
        """What has become of the latest ruling."""
        return str(self.look()["ruling"]["state"])

    @property
    def reserve_ns(self) -> int:
        """The left player's reserve at the box."""
        state = self.board.state
        return state.reserve_ns(state.turn.side, state.at_ns) if state.turn else 0


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A board whose clock is stopped in the left player's turn."""
    with closing(Room(tmp_path)) as room:
        yield room.hear().press(STOPPED)


@pytest.mark.rule("R218")
def test_from_the_phone_to_the_box_and_back(room: Room) -> None:
    """It is sent, shown, carried out by a hand at the box, once; then another can be proposed."""
    before = room.reserve_ns
    assert room.look()["why"] == ""
    left = {"name": "", "points": 0, "reserve_ns": before}
    assert room.look()["players"]["left"] == left
    assert (room.propose(), room.ruling) == (200, "sent")
    assert room.hear().ruling == "shown"
    assert room.reserve_ns == before
    assert room.press(f"{OPEN}\n{CARRY_OUT}").ruling == "done"
    assert room.reserve_ns == before + 72 * SECOND_NS
    number = room.hub.feed.number
    told = b"".join(room.hub.feed.since(0, None))
    assert b"event: ruling" in told
    assert b'"state":"done"' in told
    assert room.hear().hear().ruling == "done"
    assert b"event: ruling" not in b"".join(room.hub.feed.since(number, None))  # nothing new
    assert room.reserve_ns == before + 72 * SECOND_NS
    assert (room.propose(), room.hear().ruling) == (200, "shown")
    assert room.press(f"{OPEN}\n1 press left").ruling == "refused"


@pytest.mark.rule("R218")
@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_entries_of_the_menu_lead_to_what_would_happen(room: Room, lang: str) -> None:
    """Each item with its questions, from the menu of the box itself, and at the end the preview."""
    items = [each["item"] for each in room.look(f"{PATH}?lang={lang}")["items"]]
    assert {"set_time", "score", "resume", "end_match", "penalty"} <= set(items)
    assert "new_match" not in items
    answers, asked, previews = list[Any](), dict[str, Any](), []
    for answer, kind in zip(MORE, ("choice", "time", "choice"), strict=True):
        given = str(answers).replace("'", '"').replace("None", "null")
        found = room.look(f"{PATH}/form?lang={lang}&item=add_time&answers={given}")
        asked = found["entry"]
        previews.append(found["preview"])
        assert asked["kind"] == kind
        as_json = list(answer) if isinstance(answer, tuple) else answer
        assert kind == "time" or as_json in [each["answer"] for each in asked["options"]]
        answers.append(as_json)
    given = str(answers).replace("'", '"').replace("None", "null")
    preview = room.look(f"{PATH}/form?lang={lang}&item=add_time&answers={given}")["preview"]
    assert any("→" in line for line in preview)
    reasons = [each["label"] for each in asked["options"]]
    assert previews == [[], [], [line for line in preview if line not in reasons]]
    for wrong in ("x", '["nobody"]'):
        path = f"{PATH}/form?item=add_time&answers={wrong}"
        assert room.director.get(path).status_code == 400


class Step(NamedTuple):
    """A question of a form."""

    name: str
    labels: list[str]  # of what can be chosen; none: a time or a number is typed
    preview: list[str]  # of what the item would do after the answers until here


def walked(room: hubs.Room, item: str, at: int) -> tuple[list[Step], list[str]]:
    """What an item asks if the first or the last of all answers is given, and what that does."""
    answers, steps = list[Any](), list[Step]()
    while True:
        given = {"lang": "de", "item": item, "answers": json.dumps(answers)}
        answer = room.director.get(f"{PATH}/form", params=given)
        found, entry = answer.json(), answer.json().get("entry")
        if entry is None:
            assert found.get("preview") or found == fields("error", message("rule_nothing"))
            return steps, found.get("preview", [])
        options = entry.get("options", [])
        steps.append(Step(entry["name"], [each["label"] for each in options], found["preview"]))
        assert all(steps[-1].labels)
        typed = entry.get("most" if at else "value")
        answers.append(options[at]["answer"] if options else typed)


@pytest.mark.rule("R218")
@pytest.mark.parametrize("phase", ["READY", "STOPPED"])
def test_each_answer_is_taken_and_what_it_would_do_is_known_before_the_reason(phase: str) -> None:
    """Known after a time or a number, if nothing but reasons are asked then; see R114, R218."""
    named = NamesSet(20 * SECOND_NS, Pair("Ann", "Bob"))
    match = Written(record=(Recorded.WHO,)).give(*PHASES[phase], named)
    with closing(hubs.Room()) as room:
        room.tell(lines(match.lines, Place("hall/red", "red", hint="7", clock="red")))
        items = [each["item"] for each in room.get(PATH)["items"]]
        for item, at in product(items, (0, -1)):
            with row(item, at):
                steps, end = walked(room, item, at)
                assert steps[-1].name == "ruler"
                for count, step in enumerate(steps):
                    after = steps[count:]
                    is_typed = count > 0 and not steps[count - 1].labels
                    is_known = is_typed and all(each.name in ("why", "ruler") for each in after)
                    said = {label for each in after for label in each.labels}
                    assert step.preview == [line for line in end if line not in said] * is_known


@pytest.mark.rule("R223")
def test_names_from_the_phone_stand_at_the_box_and_on_the_boards(room: Room) -> None:
    """Written where there is a keyboard, seen at the box before they count, then shown by all."""
    asked = room.look(f"{PATH}/form?item=names")["entry"]
    assert (asked["kind"], len(asked["options"])) == ("names", 1)
    assert room.propose(["Bodil", " "], item="names") == 400
    assert room.propose(["Bodil", "Ada"], item="names") == 200
    assert room.hear().press(OPEN).board.state.names != Pair("Bodil", "Ada")
    room.press(CARRY_OUT)
    assert room.board.state.names == Pair("Bodil", "Ada")
    board = room.get("/api/1/boards/7")
    assert [board["players"][side]["name"] for side in Side] == ["Bodil", "Ada"]
    entry = room.look(f"{PATH}/form?item=add_time")["entry"]
    assert [each["label"] for each in entry["options"]] == ["Bodil", "Ada"]


@pytest.mark.rule("R218")
def test_while_a_clock_runs_the_director_is_told_to_stop_it(room: Room) -> None:
    after = room.look()["after"]
    room.press("1 press centre")
    assert room.board.state.phase is Phase.RUNNING
    assert (room.look()["why"], room.look()["items"]) == ("a clock runs: stop it first", [])
    assert room.propose(after=after) == 409


@pytest.mark.rule("R218")
def test_a_clock_on_a_cable_takes_none_and_the_director_is_told_why(room: Room) -> None:
    cable = Place("/dev/ttyUSB0", "/dev/ttyUSB0", is_file=False, hint="9")
    room.tell(lines([line.rstrip(b"\n") for line in room.board.lines], cable))
    assert room.look("/api/1/rulings/9") == fields("error", hub_message("rule_room"))
    assert room.look("/api/1/rulings/10") == fields("error", hub_message("no_board"))
    statuses = {room.director.get(f"/api/1/rulings/{board}").status_code for board in (9, 10)}
    assert statuses == {404}


@pytest.mark.rule("R218")
def test_two_directors_at_once(room: Room) -> None:
    """The second one is told of the first, and must say that theirs is replaced."""
    assert room.propose() == 200
    assert room.propose(by="Kim") == 409
    first = room.look()["ruling"]["id"]
    assert room.propose("right", *MORE[1:], by="Kim", replaces=first) == 200
    room.hear().press(f"{OPEN}\n{CARRY_OUT}")
    [ruling] = room.board.logged("adjusted")
    assert (ruling["side"], room.ruling) == ("right", "done")


@pytest.mark.rule("R218")
def test_a_ruling_that_comes_late_is_void_and_the_director_knows(room: Room) -> None:
    """Seen before the players went on, lost on its way until they have, or taken back in time."""
    seen = room.look()["after"]
    room.press("1 press centre\n5 press centre")
    assert room.propose(after=seen) == 409
    room.is_lost = True
    assert room.propose() == 200
    assert room.hear().ruling == "sent"
    room.press("1 press centre\n5 press centre")
    assert room.ruling == "late"
    room.is_lost = False
    assert room.hear().hear().ruling == "late"
    room.is_lost = True
    assert room.propose() == 200
    assert room.director.delete(PATH).status_code == 200
    room.is_lost = False
    assert room.hear().ruling == "withdrawn"
    assert room.propose() == 200
    assert room.hear().ruling == "shown"
    assert room.director.delete(PATH).status_code == 409
    assert len(room.board.logged("proposed")) == 1
    assert room.board.logged("adjusted") == []


@pytest.mark.rule("R218")
def test_a_phone_that_leaves_and_one_that_is_not_the_directors(room: Room) -> None:
    """Nothing but the token counts; a ruling that nobody took up is sent no more after a while."""
    room.is_lost = True
    assert room.propose() == 200
    assert room.reader.post(PATH, json={}).status_code == 403
    assert room.reader.get(PATH).status_code == 403
    elsewhere = {"origin": "http://elsewhere"}
    assert room.director.post(PATH, json={}, headers=elsewhere).status_code == 403
    room.hear().now_ns += 600 * SECOND_NS
    room.is_lost = False
    assert room.hear().ruling == "late"
    assert room.board.logged("proposed") == []


@pytest.mark.rule("R218")
def test_who_else_looks_at_a_board_is_told_until_they_close_the_page(room: Room) -> None:
    """By the name that they gave, for half a minute after the page has asked last."""

    def others(page: str, by: str, board: str = "7") -> list[str]:
        found: list[str] = room.look(f"/api/1/rulings/{board}?page={page}&by={by}")["others"]
        return found

    assert others("a", "Eva") == []
    assert (others("b", "Kim"), others("a", "Eva")) == (["Eva"], ["Kim"])
    assert others("", "") == ["Kim", "Eva"]
    room.now_ns += 20 * SECOND_NS
    assert others("b", "Kim") == ["Eva"]
    room.now_ns += 20 * SECOND_NS
    assert (others("b", "Kim"), others("a", "")) == ([], ["Kim"])
    for number in range(100):
        others(f"p{number}", "x" * 200)
    assert others("", "") == 16 * ["x" * 40]


@pytest.mark.rule("R218")
def test_a_hub_that_starts_anew_says_what_stands(room: Room) -> None:
    """It knows of no ruling of its own, but of that which the panels show."""
    assert room.propose() == 200
    shown = room.hear().look()["standing"]
    assert room.hub.offers is not None
    room.hub.offers.rulings = Rulings(MASTER)
    found = room.look()
    assert (found["ruling"], found["standing"]) == (None, shown)
    assert room.propose(by="Kim") == 409
    assert room.propose("right", *MORE[1:], replaces=shown["id"]) == 200
